#include "tail_stage.h"

#include "model.h"

#include <algorithm>

namespace ggsl {

namespace {

class GrammarStage : public TailStage {
public:
    explicit GrammarStage(Grammar grammar) : TailStage("grammar", nullptr), grammar(std::move(grammar)) {}

    void                       apply(llama_token_data_array & rows) override { grammar.apply(rows); }
    void                       accept(llama_token token) override { grammar.accept(token); }
    void                       reset() override { grammar.reset(); }
    bool                       may_refuse() const override { return true; }
    void                       undo() override { grammar.undo(); }
    std::unique_ptr<TailStage> clone() const override { return std::make_unique<GrammarStage>(grammar); }

private:
    Grammar grammar;
};

// llama.cpp's clone of adaptive_p restarts its random numbers, and reads past the end of an array when it accepts the token that
// the original has just picked. So this class counts the draws, and its clone repeats them and picks the token again.
class AdaptiveStage : public TailStage {
public:
    explicit AdaptiveStage(SamplerPtr sampler) : TailStage("adaptive_p", std::move(sampler)) {}

    void apply(llama_token_data_array & rows) override {
        pending.assign(rows.data, rows.data + rows.size);
        is_sorted    = rows.sorted;
        draws_before = draws;
        draws += rows.size > 1 ? 1 : 0; // a single row is picked without a random number
        TailStage::apply(rows);
    }

    void accept(llama_token token) override {
        TailStage::accept(token);
        pending.clear();
        draws_before = draws;
    }

    void reset() override {
        TailStage::reset();
        pending.clear();
        draws_before = draws = 0;
    }

    std::unique_ptr<TailStage> clone() const override {
        auto copy = std::make_unique<AdaptiveStage>(SamplerPtr(llama_sampler_clone(sampler.get())));
        for (size_t i = 0; i < draws_before; ++i) {
            llama_token_data       rows[] = { { LLAMA_TOKEN_NULL, 0.0f, 0.0f }, { LLAMA_TOKEN_NULL, 0.0f, 0.0f } };
            llama_token_data_array array{ rows, 2, -1, true };
            llama_sampler_apply(copy->sampler.get(), &array);
        }
        // Clears the state of picks: this id is not a token.
        llama_sampler_accept(copy->sampler.get(), INT32_MAX);
        copy->draws = copy->draws_before = draws_before;
        if (!pending.empty()) {
            std::vector<llama_token_data> rows = pending;
            llama_token_data_array        array{ rows.data(), rows.size(), -1, is_sorted };
            copy->apply(array);
        }
        return copy;
    }

private:
    std::vector<llama_token_data> pending; // rows of the latest pick, until a token is accepted
    bool                          is_sorted    = false;
    size_t                        draws        = 0;
    size_t                        draws_before = 0; // before the pending pick
};

// penalties and dry: llama.cpp allocates their window at its full length. This class gives them one of about the length of the
// text, and twice as much when that is full. The results are the same: a window that was never full forgot no token, and holds
// the same tokens as a longer one.
class WindowStage : public TailStage {
public:
    WindowStage(SamplerSpec spec, const llama_vocab * vocab, size_t window)
        : TailStage(spec.name, nullptr), spec(std::move(spec)), vocab(vocab), window(window),
          capacity(std::min(window, first_capacity)) {
        open();
    }

    void accept(llama_token token) override {
        if (capacity < window) {
            tokens.push_back(token);
            if (tokens.size() > capacity) {
                grow();
                return;
            }
        }
        TailStage::accept(token);
    }

    void reset() override {
        TailStage::reset();
        tokens.clear();
    }

    std::unique_ptr<TailStage> clone() const override { return std::unique_ptr<TailStage>(new WindowStage(*this)); }

    size_t bytes_after(size_t more) const override {
        return std::min(window, std::max(capacity, 2 * (tokens.size() + more))) * bytes_per_token;
    }

private:
    static constexpr size_t first_capacity  = 256;
    static constexpr size_t bytes_per_token = 16; // here, and in llama.cpp

    WindowStage(const WindowStage & from)
        : TailStage(from.name, SamplerPtr(llama_sampler_clone(from.sampler.get()))), spec(from.spec), vocab(from.vocab),
          window(from.window), capacity(from.capacity), tokens(from.tokens) {}

    void open() {
        spec.parameters["last_n"] = { static_cast<double>(capacity) };
        sampler                   = make_sampler(spec, vocab);
    }

    void grow() {
        capacity = std::min(window, 2 * capacity);
        open();
        for (const llama_token token : tokens) {
            TailStage::accept(token);
        }
        if (capacity == window) {
            tokens = {}; // from now on the sampler forgets by itself
        }
    }

    SamplerSpec              spec;
    const llama_vocab *      vocab;
    size_t                   window;
    size_t                   capacity;
    std::vector<llama_token> tokens; // all of the text, while the window is longer
};

} // namespace

std::unique_ptr<TailStage> TailStage::clone() const {
    return std::make_unique<TailStage>(name, SamplerPtr(llama_sampler_clone(sampler.get())));
}

std::unique_ptr<TailStage> make_stage(const SamplerSpec & spec, const Model * model) {
    const llama_vocab * vocab = model == nullptr ? nullptr : model->vocab();
    if (spec.name == "grammar") {
        const auto [text, root] = grammar_texts(spec, vocab);
        return std::make_unique<GrammarStage>(Grammar(*model, text, root));
    }
    if (const size_t window = window_length(spec); window > 0) {
        return std::make_unique<WindowStage>(spec, vocab, window);
    }
    SamplerPtr sampler = make_sampler(spec, vocab);
    if (spec.name == "adaptive_p") {
        return std::make_unique<AdaptiveStage>(std::move(sampler));
    }
    return std::make_unique<TailStage>(spec.name, std::move(sampler));
}

} // namespace ggsl
