// Host tails (native/llama/tail.h).
#include "llama/tail.h"

#include "exchange.h"

#include <iterator>
#include <utility>

namespace ggsl::wasm {

namespace {

// Builds the spec of the next chain on a stack. A value comes before its parent: entries before their list, the list before the
// parameter, which belongs to the latest stage.
std::vector<SamplerSpec> stages;
std::vector<Value>       values;

bool tell(Value value) {
    values.push_back(std::move(value));
    return true;
}

Value take_value() {
    if (values.empty()) {
        fail(code::invalid_argument, "expected a value first");
    }
    Value value = std::move(values.back());
    values.pop_back();
    return value;
}

} // namespace

extern "C" {

// Clears unused stages and values.
EMSCRIPTEN_KEEPALIVE void ggsl_stages_begin() {
    stages.clear();
    values.clear();
}

EMSCRIPTEN_KEEPALIVE bool ggsl_stage(const char * name, size_t length) {
    return guarded([&] {
        stages.push_back({ std::string(name, length), {} });
        return true;
    });
}

EMSCRIPTEN_KEEPALIVE bool ggsl_value_number(double number) {
    return guarded([&] { return tell({ number }); });
}
EMSCRIPTEN_KEEPALIVE bool ggsl_value_text(const char * text, size_t length) {
    return guarded([&] { return tell({ std::string(text, length) }); });
}
// A value of a type that no parameter has, described in words.
EMSCRIPTEN_KEEPALIVE bool ggsl_value_other(const char * what, size_t length) {
    return guarded([&] { return tell({ Other{ std::string(what, length) } }); });
}
// The last `count` values become one.
EMSCRIPTEN_KEEPALIVE bool ggsl_value_list(size_t count) {
    return guarded([&] {
        if (count > values.size()) {
            fail(code::invalid_argument, "a list of %zu values, but there are only %zu", count, values.size());
        }
        const auto begin = values.end() - static_cast<ptrdiff_t>(count);
        List       list(std::make_move_iterator(begin), std::make_move_iterator(values.end()));
        values.erase(begin, values.end());
        return tell({ std::move(list) });
    });
}

// The last value is the parameter of that name of the last stage.
EMSCRIPTEN_KEEPALIVE bool ggsl_parameter(const char * name, size_t length) {
    return guarded([&] {
        if (stages.empty()) {
            fail(code::invalid_argument, "expected a stage first");
        }
        stages.back().parameters.insert_or_assign(std::string(name, length), take_value());
        return true;
    });
}

// Builds a chain of the collected stages. `model` may be null if none of them needs a vocabulary.
EMSCRIPTEN_KEEPALIVE Tail * ggsl_tail_open(const SharedModel * model) {
    return guarded([&] { return new Tail(std::exchange(stages, {}), model == nullptr ? nullptr : *model); });
}
EMSCRIPTEN_KEEPALIVE Tail * ggsl_tail_clone(const Tail * from) {
    return guarded([&] { return new Tail(from->clone()); });
}
EMSCRIPTEN_KEEPALIVE void ggsl_tail_close(const Tail * chain) {
    delete chain;
}

// Gives words: the picked token (-1: none), then the tokens, logits (f32) and probabilities (f32), one of each per remaining row.
EMSCRIPTEN_KEEPALIVE bool ggsl_tail_apply(Tail * chain, const int32_t * tokens, size_t count, const float * logits,
                                          size_t logit_count) {
    return guarded([&] {
        const TailRows       rows = chain->apply({ tokens, count }, { logits, logit_count });
        const size_t         left = rows.tokens.size();
        std::vector<int32_t> words{ rows.selected };
        words.insert(words.end(), rows.tokens.begin(), rows.tokens.end());
        words.resize(1 + 3 * left);
        if (left > 0) {
            std::memcpy(&words[1 + left], rows.logits.data(), left * sizeof(float));
            std::memcpy(&words[1 + 2 * left], rows.probs.data(), left * sizeof(float));
        }
        return give(words);
    });
}

EMSCRIPTEN_KEEPALIVE bool ggsl_tail_accept(Tail * chain, int32_t token) {
    return guarded([&] {
        chain->accept(token);
        return true;
    });
}
EMSCRIPTEN_KEEPALIVE bool ggsl_tail_accept_prompt(Tail * chain, const int32_t * tokens, size_t count) {
    return guarded([&] {
        chain->accept_prompt({ tokens, count });
        return true;
    });
}
EMSCRIPTEN_KEEPALIVE bool ggsl_tail_reset(Tail * chain) {
    return guarded([&] {
        chain->reset();
        return true;
    });
}

} // extern "C"

} // namespace ggsl::wasm
