// The files of the training: texts as tokens, and the model as GGUF.
#pragma once
#include "ggml.h"
#include "gguf.h"
#include "model.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

inline std::vector<std::string> read_lines(const std::string & file) {
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    if (lines.empty()) { fprintf(stderr, "cannot read %s\n", file.c_str()); exit(1); }
    return lines;
}

inline Tokens read_tokens(const std::string & file) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    Tokens tokens(bytes.size()/2);
    memcpy(tokens.data(), bytes.data(), tokens.size()*2);
    if (tokens.size() <= T) { fprintf(stderr, "cannot read %s\n", file.c_str()); exit(1); }
    return tokens;
}

// the matrices of a GGUF, as floats, in the order of model.params; layer l of the model is layer from[l] of the file
inline Vec read_gguf(const std::string & file, const Model & model, const std::vector<int> & from) {
    ggml_context * ctx = nullptr;
    gguf_context * in = gguf_init_from_file(file.c_str(), { false, &ctx });
    Vec w(model.size);
    for (const auto & p : model.params) {
        std::string name = p.name;
        if (name.compare(0, 4, "blk.") == 0) name = "blk." + std::to_string(from.at(name[4] - '0')) + name.substr(5);
        const ggml_tensor * t = in ? ggml_get_tensor(ctx, name.c_str()) : nullptr;
        if (!t || t->ne[0] != p.cols || t->ne[1] != std::max(p.rows, 1)) { fprintf(stderr, "%s: no %s\n", file.c_str(), name.c_str()); exit(1); }
        const int64_t n = ggml_nelements(t);
        if (t->type == GGML_TYPE_F32) memcpy(&w[p.at], t->data, n*sizeof(float));
        else ggml_get_type_traits(t->type)->to_float(t->data, &w[p.at], n);
    }
    gguf_free(in);
    ggml_free(ctx);
    return w;
}

inline bool write_gguf(const std::string & file, const std::string & data, const Model & model, const Vec & w, const char * name = "KJV and Moby-Dick demo") {
    gguf_context * out = gguf_init_empty();
    gguf_set_val_str(out, "general.architecture", "llama");
    gguf_set_val_str(out, "general.name", name);
    gguf_set_val_str(out, "general.description", "A tiny model trained from scratch on the King James Bible and Moby-Dick (both public domain).");
    gguf_set_val_str(out, "general.license", "cc0-1.0");
    gguf_set_val_u32(out, "general.file_type", 0); // all F32
    gguf_set_val_u32(out, "llama.vocab_size", model.vocab);
    gguf_set_val_u32(out, "llama.context_length", T);
    gguf_set_val_u32(out, "llama.embedding_length", D);
    gguf_set_val_u32(out, "llama.block_count", model.layers);
    gguf_set_val_u32(out, "llama.feed_forward_length", FF);
    gguf_set_val_u32(out, "llama.attention.head_count", HEADS);
    gguf_set_val_u32(out, "llama.attention.head_count_kv", HEADS);
    gguf_set_val_f32(out, "llama.attention.layer_norm_rms_epsilon", EPS);
    gguf_set_val_u32(out, "llama.rope.dimension_count", HD);
    gguf_set_val_f32(out, "llama.rope.freq_base", ROPE_BASE);

    const auto strings = [&](const char * key, const std::vector<std::string> & lines) {
        std::vector<const char *> p;
        for (const auto & s : lines) p.push_back(s.c_str());
        gguf_set_arr_str(out, key, p.data(), p.size());
    };
    const auto tokens = read_lines(data + "/tokens.txt");
    std::vector<int32_t> types(tokens.size(), 1); // normal
    types[0] = 3;                                 // control: <|endoftext|>
    gguf_set_val_str(out, "tokenizer.ggml.model", "gpt2");
    gguf_set_val_str(out, "tokenizer.ggml.pre", "trillion"); // the regex of "gpt-2", but llama_detokenize keeps " ," and " ."
    strings("tokenizer.ggml.tokens", tokens);
    gguf_set_arr_data(out, "tokenizer.ggml.token_type", GGUF_TYPE_INT32, types.data(), types.size());
    strings("tokenizer.ggml.merges", read_lines(data + "/merges.txt"));
    gguf_set_val_u32(out, "tokenizer.ggml.bos_token_id", 0);
    gguf_set_val_u32(out, "tokenizer.ggml.eos_token_id", 0);
    gguf_set_val_bool(out, "tokenizer.ggml.add_bos_token", true);

    ggml_context * ctx = ggml_init({ model.size*sizeof(float) + (1u << 20), nullptr, false });
    for (const auto & p : model.params) {
        ggml_tensor * t = p.rows ? ggml_new_tensor_2d(ctx, GGML_TYPE_F32, p.cols, p.rows) : ggml_new_tensor_1d(ctx, GGML_TYPE_F32, p.cols);
        ggml_set_name(t, p.name.c_str());
        memcpy(t->data, &w[p.at], ggml_nbytes(t));
        gguf_add_tensor(out, t);
    }
    const bool ok = gguf_write_to_file(out, file.c_str(), false);
    ggml_free(ctx);
    gguf_free(out);
    return ok;
}
