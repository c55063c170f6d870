#include "tail_stage.h"

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
    std::unique_ptr<TailStage> clone() const override { return std::make_unique<GrammarStage>(grammar.clone()); }

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

} // namespace

std::unique_ptr<TailStage> TailStage::clone() const {
    return std::make_unique<TailStage>(name, SamplerPtr(llama_sampler_clone(sampler.get())));
}

std::unique_ptr<TailStage> make_stage(const SamplerSpec & spec, const llama_vocab * vocab) {
    SamplerPtr sampler = make_sampler(spec, vocab);
    if (spec.name == "grammar") {
        return std::make_unique<GrammarStage>(Grammar(vocab, std::move(sampler)));
    }
    if (spec.name == "adaptive_p") {
        return std::make_unique<AdaptiveStage>(std::move(sampler));
    }
    return std::make_unique<TailStage>(spec.name, std::move(sampler));
}

} // namespace ggsl
