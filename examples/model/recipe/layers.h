// Parts of layers, forward and backward, on rows of numbers.
#pragma once
#include "model.h"
#include <cblas.h>
#include <cmath>

// C[m x n] = alpha * op(A) op(B) + beta * C
inline void gemm(bool ta, bool tb, int m, int n, int k, float alpha, const float * a, int lda, const float * b, int ldb, float beta, float * c, int ldc) {
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

// y[rows x out] = x[rows x in] w[out x in]^T
inline void linear(const float * x, const float * w, float * y, int rows, int in, int out) {
    gemm(false, true, rows, out, in, 1, x, in, w, in, 0, y, out);
}
inline void linear_back(const float * x, const float * w, const float * dy, float * dx, float * dw, int rows, int in, int out) {
    gemm(false, false, rows, in, out, 1, dy, out, w, in, 0, dx, in); // dx  = dy w
    gemm(true, false, out, in, rows, 1, dy, out, x, in, 1, dw, in);  // dw += dy^T x
}

inline void rms_norm(const float * x, const float * g, float * y, int rows) {
    for (int r = 0; r < rows; r++, x += D, y += D) {
        float ss = 0;
        for (int i = 0; i < D; i++) ss += x[i]*x[i];
        const float s = 1/std::sqrt(ss/D + EPS);
        for (int i = 0; i < D; i++) y[i] = x[i]*s*g[i];
    }
}
inline void rms_norm_back(const float * x, const float * g, const float * dy, float * dx, float * dg, int rows) { // dx += ...
    for (int r = 0; r < rows; r++, x += D, dy += D, dx += D) {
        float ss = 0, dot = 0;
        for (int i = 0; i < D; i++) { ss += x[i]*x[i]; dot += x[i]*g[i]*dy[i]; }
        const float s = 1/std::sqrt(ss/D + EPS), k = s*s*dot/D;
        for (int i = 0; i < D; i++) {
            dg[i] += dy[i]*x[i]*s;
            dx[i] += s*(dy[i]*g[i] - x[i]*k);
        }
    }
}

// rotate the pairs (2i, 2i+1) of every q and k head by position; sign = -1 undoes it (llama.cpp's "norm" RoPE)
inline void rope(float * qkv, int rows, float sign) {
    static const Vec table = [] {
        Vec t((size_t) T*HD);
        for (int p = 0; p < T; p++) for (int i = 0; i < HD/2; i++) {
            const double a = p*std::pow((double) ROPE_BASE, -2.0*i/HD);
            t[(size_t) p*HD + 2*i] = std::cos(a); t[(size_t) p*HD + 2*i + 1] = std::sin(a);
        }
        return t;
    }();
    for (int r = 0; r < rows; r++) {
        const float * t = &table[(size_t) (r % T)*HD];
        for (int h = 0; h < 2*HEADS; h++) { // q heads, then k heads
            float * x = qkv + (size_t) r*3*D + h*HD;
            for (int i = 0; i < HD; i += 2) {
                const float c = t[i], s = sign*t[i + 1], a = x[i], b = x[i + 1];
                x[i] = a*c - b*s; x[i + 1] = a*s + b*c;
            }
        }
    }
}
