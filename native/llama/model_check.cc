#include "model_check.h"

#include "graph/failure.h"

#include <llama-hparams.h> // a private header: LLAMA_MAX_LAYERS, LLAMA_MAX_EXPERTS

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

namespace ggsl {

namespace {

class Header {
public:
    Header(const gguf_context * context, const std::string & name) : context(context), name(name) {
        arch = text("general.architecture").value_or("");
    }

    const std::string & architecture() const { return arch; }

    // Keys of the architecture, e.g. "block_count" for llama.block_count.
    std::string key(const char * suffix) const { return arch + "." + suffix; }

    std::optional<uint32_t> count(const std::string & key) const {
        const int64_t id = find(key, GGUF_TYPE_UINT32);
        return id < 0 ? std::nullopt : std::optional(gguf_get_val_u32(context, id));
    }

    std::optional<float> number(const std::string & key) const {
        const int64_t id = find(key, GGUF_TYPE_FLOAT32);
        return id < 0 ? std::nullopt : std::optional(gguf_get_val_f32(context, id));
    }

    std::optional<std::string> text(const std::string & key) const {
        const int64_t id = find(key, GGUF_TYPE_STRING);
        return id < 0 ? std::nullopt : std::optional<std::string>(gguf_get_val_str(context, id));
    }

    // The largest of a count for each layer, or the one for all.
    uint32_t largest(const std::string & key, uint32_t layers) const {
        const int64_t id = find(key, GGUF_TYPE_ARRAY);
        if (id < 0) {
            return count(key).value_or(0);
        }
        const gguf_type type = gguf_get_arr_type(context, id);
        if (type != GGUF_TYPE_UINT32 && type != GGUF_TYPE_INT32) {
            return 0;
        }
        const auto *   values = static_cast<const uint32_t *>(gguf_get_arr_data(context, id));
        const uint32_t length = static_cast<uint32_t>(std::min<size_t>(gguf_get_arr_n(context, id), layers));
        return length == 0 ? 0 : *std::max_element(values, values + length);
    }

    // The id of an array of texts, or -1.
    int64_t texts(const char * key) const {
        const int64_t id = find(key, GGUF_TYPE_ARRAY);
        return id >= 0 && gguf_get_arr_type(context, id) == GGUF_TYPE_STRING ? id : -1;
    }

    // A list of i32; empty if there is none.
    std::span<const int32_t> numbers(const char * key) const {
        const int64_t id = find(key, GGUF_TYPE_ARRAY);
        if (id < 0 || gguf_get_arr_type(context, id) != GGUF_TYPE_INT32) {
            return {};
        }
        return { static_cast<const int32_t *>(gguf_get_arr_data(context, id)), gguf_get_arr_n(context, id) };
    }

    // A list of u8 or i8; empty if there is none.
    std::span<const uint8_t> raw_bytes(const char * key) const {
        const int64_t id = find(key, GGUF_TYPE_ARRAY);
        if (id < 0 ||
            (gguf_get_arr_type(context, id) != GGUF_TYPE_UINT8 && gguf_get_arr_type(context, id) != GGUF_TYPE_INT8)) {
            return {};
        }
        return { static_cast<const uint8_t *>(gguf_get_arr_data(context, id)), gguf_get_arr_n(context, id) };
    }

    [[noreturn]] void refuse(const char * format, ...) const __attribute__((format(printf, 2, 3))) {
        char    message[512];
        va_list args;
        va_start(args, format);
        std::vsnprintf(message, sizeof(message), format, args);
        va_end(args);
        fail(code::invalid_model, "%s is damaged: %s", name.c_str(), message);
    }

    const gguf_context * const context;

private:
    int64_t find(const std::string & key, gguf_type type) const {
        const int64_t id = gguf_find_key(context, key.c_str());
        return id >= 0 && gguf_get_kv_type(context, id) == type ? id : -1;
    }

    const std::string & name;
    std::string         arch;
};

uint32_t check_layers(const Header & header) {
    const std::string key    = header.key("block_count");
    const uint32_t    layers = header.count(key).value_or(1);
    if (layers < 1 || layers > LLAMA_MAX_LAYERS) {
        header.refuse("%s: expected 1 to %d, found %u", key.c_str(), LLAMA_MAX_LAYERS, layers);
    }
    const std::string more = header.key("nextn_predict_layers");
    if (header.count(more).value_or(0) > layers) {
        header.refuse("%s: expected at most the %u layers of the model, found %u", more.c_str(), layers,
                      *header.count(more));
    }
    return layers;
}

void check_experts(const Header & header, uint32_t layers) {
    const std::string key_count  = header.key("expert_count");
    const std::string key_used   = header.key("expert_used_count");
    const std::string key_groups = header.key("expert_group_count");
    const std::string key_group  = header.key("expert_group_used_count");
    const uint32_t    experts    = header.count(key_count).value_or(0);
    const uint32_t    used       = header.largest(key_used, layers);
    const uint32_t    groups     = header.count(key_groups).value_or(0);
    const uint32_t    group_used = header.count(key_group).value_or(0);
    // for these architectures, llama.cpp takes one expert for none
    if (experts <= 1 && header.architecture().starts_with("hunyuan")) {
        return;
    }
    if (experts > LLAMA_MAX_EXPERTS) {
        header.refuse("%s: expected at most %d, found %u", key_count.c_str(), LLAMA_MAX_EXPERTS, experts);
    }
    if (used > experts || (experts > 0 && used == 0)) {
        header.refuse("%s: expected %s of %u experts, found %u", key_used.c_str(), experts > 0 ? "1 or more" : "none",
                      experts, used);
    }
    if (groups > 0 && groups >= experts) {
        header.refuse("%s: expected fewer than the %u experts, found %u", key_groups.c_str(), experts, groups);
    }
    if (groups > 1 && (experts % groups != 0 || group_used == 0 || group_used >= groups)) {
        header.refuse("%u experts in %u groups, of which %u are used: expected groups of equal size, and fewer of them "
                      "used than there are",
                      experts, groups, group_used);
    }
}

// llama.cpp asserts `eps >= 0` while it computes.
void check_numbers(const Header & header) {
    for (const char * suffix :
         { "attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon", "attention.group_norm_epsilon" }) {
        const std::string key = header.key(suffix);
        const float       eps = header.number(key).value_or(0.0f);
        if (!(eps >= 0.0f) || std::isinf(eps)) {
            header.refuse("%s: expected a number of 0 or more, found %g", key.c_str(), static_cast<double>(eps));
        }
    }
    const std::string                     key   = header.key("rope.scaling.type");
    const std::string                     found = header.text(key).value_or("none");
    constexpr std::array<const char *, 4> known = { "none", "linear", "yarn", "longrope" };
    if (std::find(known.begin(), known.end(), found) == known.end()) {
        header.refuse("%s: expected none, linear, yarn or longrope, found \"%.60s\"", key.c_str(), found.c_str());
    }
}

// The id of a special token, as llama.cpp reads it; -1 if the vocabulary has none.
int64_t special_token(const Header & header, const char * key, uint32_t otherwise, size_t size) {
    const uint32_t given = header.count(key).value_or(otherwise);
    const uint32_t id    = given < size ? given : otherwise;
    return id < size ? static_cast<int64_t>(id) : -1;
}

// WordPiece: llama.cpp takes these tokens for granted in each text, and ends the process for tokens that are bytes.
void check_word_pieces(const Header & header, size_t size) {
    for (const auto & [name, key, otherwise] :
         { std::tuple{ "begin", "tokenizer.ggml.bos_token_id", 101u },
           std::tuple{ "unknown", "tokenizer.ggml.unknown_token_id", 100u },
           std::tuple{ "separator", "tokenizer.ggml.seperator_token_id", 102u } }) {
        if (special_token(header, key, otherwise, size) < 0) {
            header.refuse("its vocabulary of words has no %s token, which %s names", name, key);
        }
    }
    constexpr int32_t byte  = 6;
    const auto        types = header.numbers("tokenizer.ggml.token_type");
    for (size_t i = 0; i < std::min(size, types.size()); ++i) {
        if (types[i] == byte) {
            header.refuse("the token %zu of its vocabulary of words is a byte, which such a vocabulary has not", i);
        }
    }
}

// The bytes of a token of RWKV: escapes as in C.
std::string unescaped(const char * text) {
    std::string bytes;
    const auto  digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; };
    for (; *text != 0; ++text) {
        if (*text != '\\') {
            bytes.push_back(*text);
            continue;
        }
        if (*++text == 0) {
            break;
        }
        if (*text == 'x' && text[1] != 0 && text[2] != 0) {
            bytes.push_back(static_cast<char>(digit(text[1]) * 16 + digit(text[2])));
            text += 2;
        } else {
            bytes.push_back(*text == 't' ? '\t' : *text == 'n' ? '\n' : *text == 'r' ? '\r' : *text);
        }
    }
    return bytes;
}

// llama.cpp looks for the longest token at each place for ever where a token begins and no shorter one ends.
void check_rwkv(const Header & header, int64_t id, size_t size) {
    std::array<bool, 256>    ends{};
    std::array<int64_t, 256> begins;
    begins.fill(-1);
    for (size_t i = 0; i < size; ++i) {
        const std::string bytes = unescaped(gguf_get_arr_str(header.context, id, i));
        if (!bytes.empty()) {
            const auto first = static_cast<uint8_t>(bytes[0]);
            begins[first]    = static_cast<int64_t>(i);
            ends[first]      = ends[first] || bytes.size() == 1;
        }
    }
    for (size_t byte = 0; byte < ends.size(); ++byte) {
        if (begins[byte] >= 0 && !ends[byte]) {
            header.refuse(
                "the token %lld of the vocabulary begins with the byte %zu, which is no token: each such byte "
                "must be one",
                static_cast<long long>(begins[byte]), byte);
        }
    }
}

// The tables that normalize texts of a T5: a length, which llama.cpp does not check, and what has it.
void check_characters(const Header & header) {
    const auto bytes = header.raw_bytes("tokenizer.ggml.precompiled_charsmap");
    if (bytes.empty()) {
        return;
    }
    uint32_t length = 0;
    std::memcpy(&length, bytes.data(), std::min(sizeof(length), bytes.size()));
    if (bytes.size() < sizeof(length) || length > bytes.size() - sizeof(length)) {
        header.refuse("tokenizer.ggml.precompiled_charsmap has %zu bytes, and says that %u follow the first 4",
                      bytes.size(), length);
    }
}

// What a kind of vocabulary must have.
void check_kind(const Header & header, const std::string & type, int64_t id, size_t size) {
    const std::string words = header.text("tokenizer.ggml.pre").value_or("");
    // llama.cpp asserts that no part of a text has a blank when it looks for merges
    if (words == "whitespace" && (type == "gpt2" || type == "gemma4" || type == "hybriddna")) {
        header.refuse("tokenizer.ggml.pre is whitespace, and tokenizer.ggml.model %s: expected both to be whitespace",
                      type.c_str());
    }
    if (type == "bert") {
        check_word_pieces(header, size);
    } else if (type == "rwkv") {
        check_rwkv(header, id, size);
    } else if (type == "t5") {
        check_characters(header);
    }
}

constexpr size_t longest_token = size_t{ 1 } << 16;

// llama.cpp finds a token by its text, so that two tokens cannot have the same one.
void check_vocabulary(const Header & header) {
    const std::string type = header.text("tokenizer.ggml.model").value_or("");
    const int64_t     id   = header.texts("tokenizer.ggml.tokens");
    check_kind(header, type, id, id < 0 ? 0 : gguf_get_arr_n(header.context, id));
    // "hybriddna" makes texts distinct while it loads them; "none" has no tokens
    if (id < 0 || type == "hybriddna" || type == "none" || type == "no_vocab") {
        return;
    }
    const size_t size = gguf_get_arr_n(header.context, id);
    if (size == 0) {
        header.refuse("the vocabulary is empty");
    }
    std::unordered_map<std::string, size_t> tokens;
    tokens.reserve(size);
    for (size_t i = 0; i < size; ++i) {
        std::string text = gguf_get_arr_str(header.context, id, i);
        if (text.size() > longest_token) {
            header.refuse("the token %zu of the vocabulary has %zu bytes, at most %zu are allowed", i, text.size(),
                          longest_token);
        }
        if (text.empty()) {
            text = "[EMPTY_" + std::to_string(i) + "]"; // as llama.cpp names it
        }
        const auto [first, is_new] = tokens.emplace(std::move(text), i);
        if (!is_new) {
            header.refuse("the tokens %zu and %zu of the vocabulary have the same text, \"%.60s\"", first->second, i,
                          first->first.c_str());
        }
    }
}

// ggml has no kernels that multiply by weights of these types, some of which are for its own intermediate results, and calls a null
// pointer. Tables that are only looked up may have them.
void check_tensors(const Header & header) {
    constexpr std::array unusable = { GGML_TYPE_I8,  GGML_TYPE_I16,  GGML_TYPE_I32, GGML_TYPE_I64,
                                      GGML_TYPE_F64, GGML_TYPE_Q8_1, GGML_TYPE_Q8_K };
    constexpr std::array tables   = { "tid2eid", "d2t", "masked_embd_ordering" };
    for (int64_t i = 0; i < gguf_get_n_tensors(header.context); ++i) {
        const ggml_type   type     = gguf_get_tensor_type(header.context, i);
        const std::string name     = gguf_get_tensor_name(header.context, i);
        const bool        is_table = std::any_of(tables.begin(), tables.end(),
                                                 [&](const char * table) { return name.find(table) != std::string::npos; });
        if (!is_table && std::find(unusable.begin(), unusable.end(), type) != unusable.end()) {
            header.refuse("the tensor %.80s has the type %s, with which nothing can be computed", name.c_str(),
                          ggml_type_name(type));
        }
    }
}

} // namespace

void check_counts(std::span<const uint8_t> start, const std::string & name) {
    constexpr size_t keys_at = 16, tensors_at = 8;
    const auto       count = [&](size_t at) {
        uint64_t number = 0;
        std::memcpy(&number, start.data() + at, sizeof(number));
        return number;
    };
    if (start.size() < counts_end) {
        return;
    }
    for (const auto & [what, at, most] :
         { std::tuple{ "keys", keys_at, most_keys }, std::tuple{ "tensors", tensors_at, most_tensors } }) {
        if (count(at) > most) {
            fail(code::invalid_model, "%s is damaged: it has %llu %s, at most %zu are allowed", name.c_str(),
                 static_cast<unsigned long long>(count(at)), what, most);
        }
    }
}

void check_header(const gguf_context * context, const std::string & name) {
    const Header header(context, name);
    check_experts(header, check_layers(header));
    check_numbers(header);
    check_vocabulary(header);
    check_tensors(header);
}

} // namespace ggsl
