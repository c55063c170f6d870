// Test only: finds where a chain's choice is a tie, by following its text with logits that are off by the rounding error.
#pragma once

#include "addon/convert.h"

#include <llama.h>

#include <cmath>
#include <random>
#include <set>
#include <span>
#include <vector>

namespace ggsl::test {

using Tokens = std::vector<llama_token>;

struct TieOptions {
    Tokens follow; // the text so far, independent of the chain's picks
    double off;    // the largest error of a logit
};

inline TieOptions to_tie_options(const Napi::Value & follow, const Napi::Value & off) {
    return { addon::to_vector<int32_t>(follow, "follow"), off.ToNumber().DoubleValue() };
}

// The logits of the last token of a batch.
inline std::span<float> last_logits(llama_context * context) {
    const llama_vocab * vocab = llama_model_get_vocab(llama_get_model(context));
    return { llama_get_logits_ith(context, -1), static_cast<size_t>(llama_vocab_n_tokens(vocab)) };
}

inline void decode(llama_context * context, Tokens batch) {
    if (llama_decode(context, llama_batch_get_one(batch.data(), static_cast<int32_t>(batch.size()))) != 0) {
        fail(code::compute_failed, "the oracle cannot decode");
    }
}

// Half of the error is independent per logit. The other half shifts the tokens before a random index one way and the rest the
// other way, as the errors of prefix sums do.
inline void shake(std::span<float> logits, double off, std::mt19937 & random) {
    const size_t place = random() % logits.size();
    const double side  = random() % 2 == 0 ? 0.5 : -0.5;
    for (size_t token = 0; token < logits.size(); ++token) {
        const double own = random() * 0x1p-32 - 0.5;
        logits[token] += static_cast<float>(off * (own + (token < place ? side : -side)));
    }
}

// The tokens that a chain may pick after `follow`, with errors from `off` down to `off` / 128. `open` returns a chain that has
// accepted the prompt, `sample` its pick from the context's last logits, `accept` passes it a token. llama.cpp's clones of chains
// restart their random numbers, so every trial starts with the prompt.
template <typename Open, typename Sample, typename Accept>
std::vector<llama_token> picks_near(llama_context * context, const Tokens & prompt, const TieOptions & options,
                                    Open open, Sample sample, Accept accept) {
    constexpr int scales = 8, trials = 128;

    std::vector<std::vector<float>> rows;
    const auto                      read = [&](const Tokens & batch) {
        decode(context, batch);
        const std::span<float> logits = last_logits(context);
        rows.emplace_back(logits.begin(), logits.end());
    };
    read(prompt);
    for (const llama_token token : options.follow) {
        read({ token });
    }

    std::mt19937          random(1);
    std::set<llama_token> picks;
    for (int trial = 0; trial < trials; ++trial) {
        const double off    = std::ldexp(options.off, -(trial % scales));
        const auto   chain  = open();
        llama_token  picked = -1;
        for (size_t i = 0; i < rows.size(); ++i) {
            const std::span<float> logits = last_logits(context);
            std::copy(rows[i].begin(), rows[i].end(), logits.begin());
            shake(logits, off, random);
            picked = sample(chain.get());
            if (i < options.follow.size()) {
                accept(chain.get(), options.follow[i]);
            }
        }
        picks.insert(picked);
    }
    return { picks.begin(), picks.end() };
}

} // namespace ggsl::test
