#include "tail.h"

#include "graph/failure.h"

#include <algorithm>
#include <cmath>

namespace ggsl {

namespace {

// Most of llama.cpp's samplers assume a row with a finite logit.
void check_rows(const llama_token_data_array & array, const std::string & where) {
    bool is_alive = false;
    for (size_t i = 0; i < array.size; ++i) {
        const llama_token_data & row = array.data[i];
        if (std::isnan(row.logit) || row.logit == INFINITY) {
            fail(code::invalid_logits, "the logit of token %d is %s %s", row.id, std::isnan(row.logit) ? "NaN" : "+inf",
                 where.c_str());
        }
        is_alive |= row.logit != -INFINITY;
    }
    if (!is_alive) {
        fail(code::no_candidate, "no token is left %s", where.c_str());
    }
}

TailRows take(const llama_token_data_array & array) {
    TailRows result;
    float    best = -INFINITY;
    for (size_t i = 0; i < array.size; ++i) {
        const llama_token_data & row = array.data[i];
        if (row.logit != -INFINITY) {
            result.tokens.push_back(row.id);
            result.logits.push_back(row.logit);
            best = std::max(best, row.logit);
        }
    }
    double sum = 0;
    for (const float logit : result.logits) {
        const double weight = std::exp(static_cast<double>(logit) - static_cast<double>(best));
        result.probs.push_back(static_cast<float>(weight));
        sum += weight;
    }
    for (float & prob : result.probs) {
        prob = static_cast<float>(static_cast<double>(prob) / sum);
    }
    if (array.selected >= 0 && array.selected < static_cast<int64_t>(array.size)) {
        result.selected = array.data[array.selected].id;
    }
    return result;
}

} // namespace

Tail::Tail(const std::vector<SamplerSpec> & specs, std::shared_ptr<Model> given) : model(std::move(given)) {
    for (size_t i = 0; i < specs.size(); ++i) {
        stages.push_back(make_stage(specs[i], model.get()));
        // A later stage would move the row that was picked.
        if (picks_token(specs[i].name) && i + 1 < specs.size()) {
            fail(code::invalid_argument, "%s picks the token, so no stage can follow it", specs[i].name.c_str());
        }
    }
}

void Tail::check_token(int32_t token) const {
    const int32_t limit = model ? model->vocab_size() : INT32_MAX;
    if (token < 0 || token >= limit) {
        fail(code::invalid_argument, "token: expected 0 to %d, found %d", limit - 1, token);
    }
}

TailRows Tail::apply(std::span<const int32_t> tokens, std::span<const float> logits) {
    if (tokens.size() != logits.size()) {
        fail(code::invalid_argument, "%zu tokens for %zu logits", tokens.size(), logits.size());
    }
    rows.clear();
    for (size_t i = 0; i < tokens.size(); ++i) {
        check_token(tokens[i]);
        if (logits[i] != -INFINITY) {
            rows.push_back({ tokens[i], logits[i], 0.0f });
        }
    }
    llama_token_data_array array{ rows.data(), rows.size(), -1, false };
    check_rows(array, "in the rows given");
    for (const auto & stage : stages) {
        stage->apply(array);
        check_rows(array, "after " + stage->name);
    }
    return take(array);
}

void Tail::check_memory(size_t more) const {
    size_t bytes = 0;
    for (const auto & stage : stages) {
        bytes += stage->bytes_after(more);
    }
    if (bytes > max_tail_bytes) {
        fail(
            code::limit_exceeded,
            "the host tail's stages need %zu MiB for the text, expected at most %zu (max_tail_bytes): use fewer stages, or a "
            "smaller last_n",
            bytes >> 20, max_tail_bytes >> 20);
    }
}

void Tail::accept(int32_t token) {
    check_token(token);
    check_memory(1);
    std::vector<TailStage *> accepted;
    try {
        for (const auto & stage : stages) {
            if (stage->may_refuse()) {
                stage->accept(token);
                accepted.push_back(stage.get());
            }
        }
    } catch (const Failure &) {
        for (TailStage * stage : accepted) {
            stage->undo();
        }
        throw;
    }
    for (const auto & stage : stages) {
        if (!stage->may_refuse()) {
            stage->accept(token);
        }
    }
}

void Tail::accept_prompt(std::span<const int32_t> tokens) {
    for (const int32_t token : tokens) {
        check_token(token);
    }
    check_memory(tokens.size());
    for (const auto & stage : stages) {
        for (size_t i = 0; i < tokens.size() && !stage->may_refuse(); ++i) {
            stage->accept(tokens[i]);
        }
    }
}

void Tail::reset() {
    for (const auto & stage : stages) {
        stage->reset();
    }
}

Tail Tail::clone() const {
    Tail copy;
    copy.model = model;
    for (const auto & stage : stages) {
        copy.stages.push_back(stage->clone());
    }
    return copy;
}

} // namespace ggsl
