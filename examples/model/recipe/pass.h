// The forward and the backward pass of MICRO sequences, and of a batch of them on all threads.
#pragma once
#include "layers.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

struct Worker {
    const Model & model;
    float drop_rate;                                 // dropout: on the embeddings and on what each block adds
    uint32_t drop_rng;
    struct Acts { Vec x, n1, qkv, prob, o, attn_mask, mid, n2, gu, h, ffn_mask; } acts[LAYERS]; // for the backward pass
    Vec embd_mask, x, nf, logits;                    // the last layer's output, normed; the logits, then their gradient
    Vec branch, dx, dn, dqkv, dprob, dox, dgu, dh;   // scratch
    Vec grad;                                        // gradients of all parameters
    bool keep_embd = false;                          // the embeddings get no gradients

    Worker(const Model & m, float drop_rate, uint32_t seed) : model(m), drop_rate(drop_rate), drop_rng(seed) {
        for (int l = 0; l < m.layers; l++) {
            Acts & a = acts[l];
            a.x.resize(M*D); a.n1 = a.o = a.attn_mask = a.mid = a.n2 = a.ffn_mask = a.x;
            a.qkv.resize(M*3*D); a.prob.resize((size_t) MICRO*HEADS*T*T); a.gu.resize(M*2*FF); a.h.resize(M*FF);
        }
        x.resize(M*D); embd_mask = nf = branch = dx = dn = dox = x;
        logits.resize((size_t) M*m.vocab); dqkv.resize(M*3*D); dprob.resize(T*T); dgu.resize(M*2*FF); dh.resize(M*FF);
        grad.resize(m.size);
    }

    void forward(const Vec & w, const uint16_t * const * seq, int n_seq, bool train) { // seq[s]: T tokens
        const int rows = n_seq*T;
        for (int r = 0; r < rows; r++) memcpy(&x[(size_t) r*D], &w[model.embd + (size_t) seq[r/T][r % T]*D], D*sizeof(float));
        if (train) dropout(x, embd_mask, rows);
        for (int l = 0; l < model.layers; l++) {
            const Layer & p = model.layer[l];
            Acts & a = acts[l];
            a.x = x;
            rms_norm(a.x.data(), &w[p.attn_norm], a.n1.data(), rows);
            linear(a.n1.data(), &w[p.qkv], a.qkv.data(), rows, D, 3*D);
            rope(a.qkv.data(), rows, +1);
            for (int s = 0; s < n_seq; s++) for (int h = 0; h < HEADS; h++) {
                const float * q = &a.qkv[(size_t) s*T*3*D + h*HD], * k = q + D, * v = k + D;
                float * prob = &a.prob[(size_t) (s*HEADS + h)*T*T];
                gemm(false, true, T, T, HD, 1/std::sqrt((float) HD), q, 3*D, k, 3*D, 0, prob, T);
                for (int t = 0; t < T; t++) softmax(prob + t*T, t + 1, T);
                gemm(false, false, T, HD, T, 1, prob, T, v, 3*D, 0, &a.o[(size_t) s*T*D + h*HD], D);
            }
            linear(a.o.data(), &w[p.attn_output], branch.data(), rows, D, D);
            if (train) dropout(branch, a.attn_mask, rows);
            for (int i = 0; i < rows*D; i++) a.mid[i] = a.x[i] + branch[i];
            rms_norm(a.mid.data(), &w[p.ffn_norm], a.n2.data(), rows);
            linear(a.n2.data(), &w[p.gate_up], a.gu.data(), rows, D, 2*FF);
            for (int r = 0; r < rows; r++) {
                const float * g = &a.gu[(size_t) r*2*FF], * u = g + FF;
                float * h = &a.h[(size_t) r*FF];
                for (int i = 0; i < FF; i++) h[i] = g[i]/(1 + std::exp(-g[i]))*u[i];
            }
            linear(a.h.data(), &w[p.ffn_down], branch.data(), rows, FF, D);
            if (train) dropout(branch, a.ffn_mask, rows);
            for (int i = 0; i < rows*D; i++) x[i] = a.mid[i] + branch[i];
        }
        rms_norm(x.data(), &w[model.output_norm], nf.data(), rows);
        linear(nf.data(), &w[model.embd], logits.data(), rows, D, model.vocab);
    }

    // the summed cross entropy of the next tokens; turns the logits into their gradient, scaled
    double loss(const uint16_t * const * seq, int n_seq, float scale) {
        double sum = 0;
        for (int r = 0; r < n_seq*T; r++) {
            float * p = &logits[(size_t) r*model.vocab];
            const int target = seq[r/T][r % T + 1];
            softmax(p, model.vocab, model.vocab);
            sum -= std::log(std::max(p[target], 1e-30f));
            p[target] -= 1;
            for (int i = 0; i < model.vocab; i++) p[i] *= scale;
        }
        return sum;
    }

    // the summed cross entropy of another model's next tokens, whose logits these are, less that model's own entropy
    double divergence(Vec & teacher, int n_seq, float scale) {
        double sum = 0;
        for (int r = 0; r < n_seq*T; r++) {
            float * p = &logits[(size_t) r*model.vocab], * q = &teacher[(size_t) r*model.vocab];
            softmax(p, model.vocab, model.vocab);
            softmax(q, model.vocab, model.vocab);
            float row = 0;
            for (int i = 0; i < model.vocab; i++) {
                row += q[i]*std::log(std::max(q[i], 1e-30f)/std::max(p[i], 1e-30f));
                p[i] = (p[i] - q[i])*scale;
            }
            sum += row;
        }
        return sum;
    }

    void backward(const Vec & w, const uint16_t * const * seq, int n_seq) {
        const int rows = n_seq*T;
        Vec & g = grad;
        gemm(false, false, rows, D, model.vocab, 1, logits.data(), model.vocab, &w[model.embd], D, 0, dn.data(), D);
        if (!keep_embd) gemm(true, false, model.vocab, D, rows, 1, logits.data(), model.vocab, nf.data(), D, 1, &g[model.embd], D);
        std::fill(dx.begin(), dx.end(), 0.0f);
        rms_norm_back(x.data(), &w[model.output_norm], dn.data(), dx.data(), &g[model.output_norm], rows);
        for (int l = model.layers - 1; l >= 0; l--) {
            const Layer & p = model.layer[l];
            Acts & a = acts[l];
            for (int i = 0; i < rows*D; i++) branch[i] = dx[i]*a.ffn_mask[i];
            linear_back(a.h.data(), &w[p.ffn_down], branch.data(), dh.data(), &g[p.ffn_down], rows, FF, D);
            for (int r = 0; r < rows; r++) {
                const float * gate = &a.gu[(size_t) r*2*FF], * up = gate + FF, * d = &dh[(size_t) r*FF];
                float * dg = &dgu[(size_t) r*2*FF], * du = dg + FF;
                for (int i = 0; i < FF; i++) {
                    const float sig = 1/(1 + std::exp(-gate[i]));
                    dg[i] = d[i]*up[i]*sig*(1 + gate[i]*(1 - sig));
                    du[i] = d[i]*gate[i]*sig;
                }
            }
            linear_back(a.n2.data(), &w[p.gate_up], dgu.data(), dn.data(), &g[p.gate_up], rows, D, 2*FF);
            rms_norm_back(a.mid.data(), &w[p.ffn_norm], dn.data(), dx.data(), &g[p.ffn_norm], rows);

            for (int i = 0; i < rows*D; i++) branch[i] = dx[i]*a.attn_mask[i];
            linear_back(a.o.data(), &w[p.attn_output], branch.data(), dox.data(), &g[p.attn_output], rows, D, D);
            for (int s = 0; s < n_seq; s++) for (int h = 0; h < HEADS; h++) {
                const size_t at = (size_t) s*T*3*D + h*HD;
                const float * q = &a.qkv[at], * k = q + D, * v = k + D, * d_o = &dox[(size_t) s*T*D + h*HD];
                const float * prob = &a.prob[(size_t) (s*HEADS + h)*T*T], scale = 1/std::sqrt((float) HD);
                float * dq = &dqkv[at], * dk = dq + D, * dv = dk + D, * ds = dprob.data();
                gemm(true, false, T, HD, T, 1, prob, T, d_o, D, 0, dv, 3*D);
                gemm(false, true, T, T, HD, 1, d_o, D, v, 3*D, 0, ds, T);
                for (int t = 0; t < T; t++) { // through the softmax; prob is 0 past the diagonal
                    const float * pr = prob + t*T;
                    float * d = ds + t*T, dot = 0;
                    for (int i = 0; i < T; i++) dot += d[i]*pr[i];
                    for (int i = 0; i < T; i++) d[i] = pr[i]*(d[i] - dot);
                }
                gemm(false, false, T, HD, T, scale, ds, T, k, 3*D, 0, dq, 3*D);
                gemm(true, false, T, HD, T, scale, ds, T, q, 3*D, 0, dk, 3*D);
            }
            rope(dqkv.data(), rows, -1);
            linear_back(a.n1.data(), &w[p.qkv], dqkv.data(), dn.data(), &g[p.qkv], rows, D, 3*D);
            rms_norm_back(a.x.data(), &w[p.attn_norm], dn.data(), dx.data(), &g[p.attn_norm], rows);
        }
        if (keep_embd) return;
        for (int r = 0; r < rows; r++) {
            float * d = &g[model.embd + (size_t) seq[r/T][r % T]*D];
            for (int i = 0; i < D; i++) d[i] += dx[(size_t) r*D + i]*embd_mask[(size_t) r*D + i];
        }
    }

private:
    void dropout(Vec & y, Vec & mask, int rows) { // zero some elements, scale up the others
        const uint32_t limit = drop_rate*4294967296.0;
        for (int i = 0; i < rows*D; i++) {
            drop_rng = drop_rng*1664525u + 1013904223u;
            mask[i] = drop_rng < limit ? 0.0f : 1/(1 - drop_rate);
            y[i] *= mask[i];
        }
    }
    static void softmax(float * p, int n, int width) { // over the first n; the rest becomes 0
        float max = p[0], sum = 0;
        for (int i = 1; i < n; i++) max = std::max(max, p[i]);
        for (int i = 0; i < n; i++) { p[i] = std::exp(p[i] - max); sum += p[i]; }
        for (int i = 0; i < n; i++) p[i] /= sum;
        std::fill(p + n, p + width, 0.0f);
    }
};

// the mean loss over the windows that begin at starts; with train = true the workers' gradients are set, too
inline double run(std::vector<Worker> & workers, const Vec & w, const Tokens & tokens, const std::vector<size_t> & starts, bool train) {
    std::vector<double> sums(workers.size());
    std::vector<std::thread> threads;
    for (size_t k = 0; k < workers.size(); k++) threads.emplace_back([&, k] {
        Worker & me = workers[k];
        if (train) std::fill(me.grad.begin(), me.grad.end(), 0.0f);
        const size_t first = starts.size()*k/workers.size(), last = starts.size()*(k + 1)/workers.size();
        for (size_t i = first; i < last; i += MICRO) {
            const int n = std::min<size_t>(MICRO, last - i);
            const uint16_t * seq[MICRO];
            for (int s = 0; s < n; s++) seq[s] = &tokens[starts[i + s]];
            me.forward(w, seq, n, train);
            sums[k] += me.loss(seq, n, 1.0f/(starts.size()*T));
            if (train) me.backward(w, seq, n);
        }
    });
    for (auto & t : threads) t.join();
    double sum = 0;
    for (double s : sums) sum += s;
    return sum/(starts.size()*T);
}
