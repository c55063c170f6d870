// The sizes of the model and of its training, and where its parameters lie.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

// the model: width, layers, attention heads, head width, feed-forward width, context length
constexpr int   D = 192, LAYERS = 4, HEADS = 3, HD = D/HEADS, FF = 512, T = 512;
constexpr float EPS = 1e-5f, ROPE_BASE = 10000.0f;
// the training
constexpr int   THREADS = 2, BATCH = 16, MICRO = 2; // sequences a step; sequences a thread computes at a time
constexpr float LR = 3e-3f, LR_END = 1e-4f, WARMUP = 200, BETA1 = 0.9f, BETA2 = 0.98f, DECAY = 0.1f, CLIP = 1.0f, DROPOUT = 0.15f;
constexpr int   M = MICRO*T; // token rows a thread computes at a time

using Vec = std::vector<float>;
using Tokens = std::vector<uint16_t>;

struct Param { std::string name; int cols, rows; size_t at; }; // a rows x cols matrix; rows == 0: a vector

struct Layer { size_t attn_norm, qkv, attn_output, ffn_norm, gate_up, ffn_down; };

struct Model { // where each parameter lies in one flat array, so that gradients and moments can share the layout
    int vocab, layers; // at most LAYERS
    std::vector<Param> params;
    size_t size = 0, embd, output_norm;
    Layer layer[LAYERS];

    size_t add(const std::string & name, int cols, int rows) {
        params.push_back({ name, cols, rows, size });
        size += (size_t) cols*std::max(rows, 1);
        return params.back().at;
    }
    explicit Model(int vocab, int layers = LAYERS) : vocab(vocab), layers(layers) {
        embd = add("token_embd.weight", D, vocab); // also the output matrix (tied)
        for (int l = 0; l < layers; l++) {
            const std::string p = "blk." + std::to_string(l) + ".";
            layer[l].attn_norm   = add(p + "attn_norm.weight", D, 0);
            layer[l].qkv         = add(p + "attn_q.weight", D, D); // q, k, v are neighbours: one product for the three
            add(p + "attn_k.weight", D, D);
            add(p + "attn_v.weight", D, D);
            layer[l].attn_output = add(p + "attn_output.weight", D, D);
            layer[l].ffn_norm    = add(p + "ffn_norm.weight", D, 0);
            layer[l].gate_up     = add(p + "ffn_gate.weight", D, FF); // gate, up likewise
            add(p + "ffn_up.weight", D, FF);
            layer[l].ffn_down    = add(p + "ffn_down.weight", FF, D);
        }
        output_norm = add("output_norm.weight", D, 0);
    }
    Vec init(uint32_t seed) const {
        Vec w(size, 1.0f); // the norms stay at 1
        std::mt19937 rng(seed);
        for (const auto & p : params) {
            if (!p.rows) continue;
            const bool into_residual = p.name.find("attn_output") != p.name.npos || p.name.find("ffn_down") != p.name.npos;
            std::normal_distribution<float> normal(0.0f, 0.04f/(into_residual ? std::sqrt(2.0f*LAYERS) : 1.0f));
            for (size_t i = 0; i < (size_t) p.cols*p.rows; i++) w[p.at + i] = normal(rng);
        }
        return w;
    }
};
