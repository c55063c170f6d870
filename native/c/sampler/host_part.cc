#include "sampler/host_part.h"

#include "error.h"

#include "llama/sampler.h"

namespace ggsl::c {

namespace {

// llama.cpp's own samplers, with the sequence's parameters.
std::vector<SamplerSpec> tail_specs(const Spec & spec, const Sequence & sequence) {
    std::vector<SamplerSpec> specs;
    for (const TailStage & stage : spec.tail) {
        SamplerSpec made{ stage.name, {} };
        for (const auto & [name, arg] : stage.args) {
            Value & value = made.parameters[name];
            if (const auto * number = std::get_if<double>(&arg)) {
                value.data = *number;
            } else if (const auto * text = std::get_if<std::string>(&arg)) {
                value.data = *text;
            } else if (const auto * param = std::get_if<ParamRef>(&arg)) {
                value.data = sequence.param(static_cast<size_t>(param->index));
            } else {
                List list;
                for (const Breaker & breaker : std::get<std::vector<Breaker>>(arg)) {
                    const auto * token = std::get_if<int32_t>(&breaker);
                    list.push_back(token == nullptr ? Value{ std::get<std::string>(breaker) }
                                                    : Value{ static_cast<double>(*token) });
                }
                value.data = std::move(list);
            }
        }
        specs.push_back(std::move(made));
    }
    return specs;
}

} // namespace

HostPart::HostPart(std::shared_ptr<const Prepared> given, const Sequence & sequence) : prepared(std::move(given)) {
    restart(sequence);
}

void HostPart::restart(const Sequence & sequence) {
    if (!prepared->spec->tail.empty()) {
        tail.emplace(tail_specs(*prepared->spec, sequence), prepared->model);
    }
}

void HostPart::apply(const std::vector<float> & uniforms, const std::vector<Fed> & inputs,
                     llama_token_data_array & candidates) {
    const BoundGraph & bound = *prepared->bound;
    if (!evaluator) {
        evaluator = std::make_unique<Evaluator>(*prepared->graph, bound.vocab_size, 1,
                                                ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU), 1);
    }
    const std::vector<float> logits = logits_of(candidates, bound.vocab_size);
    check_logits(logits, logits.size());
    Feeds feeds{ logits, uniforms, { std::monostate() } };
    for (size_t i = 1; i < bound.graph.inputs.size(); ++i) {
        if (bound.graph.inputs[i].is_constant) {
            feeds.inputs.emplace_back(std::monostate());
        } else {
            std::visit([&](const auto & values) { feeds.inputs.emplace_back(std::span(values)); }, inputs[i - 1]);
        }
    }
    results = evaluator->run(feeds);
    take_results(results, candidates);
    if (tail) {
        apply_tail(candidates);
    }
    if (prepared->spec->picks() && candidates.selected < 0) {
        refuse(code::no_candidate, "the chain `" + prepared->spec->name + "` picked a token that is no candidate");
    }
}

void HostPart::apply_tail(llama_token_data_array & candidates) {
    std::vector<int32_t> tokens;
    std::vector<float>   logits;
    for (size_t i = 0; i < candidates.size; ++i) {
        tokens.push_back(candidates.data[i].id);
        logits.push_back(candidates.data[i].logit);
    }
    const TailRows rows = tail->apply(tokens, logits);
    if (rows.tokens.size() > candidates.size) {
        refuse(code::internal, "the host tail gives more rows than it got");
    }
    candidates.size     = rows.tokens.size();
    candidates.sorted   = false;
    candidates.selected = -1;
    for (size_t i = 0; i < candidates.size; ++i) {
        candidates.data[i] = { rows.tokens[i], rows.logits[i], rows.probs[i] };
        if (rows.tokens[i] == rows.selected) {
            candidates.selected = static_cast<int64_t>(i);
        }
    }
}

void HostPart::accept(int32_t token) {
    if (tail) {
        tail->accept(token);
    }
}

void HostPart::accept_prompt(std::span<const int32_t> tokens) {
    if (tail) {
        tail->accept_prompt(tokens);
    }
}

std::unique_ptr<HostPart> HostPart::clone() const {
    std::unique_ptr<HostPart> copy(new HostPart(prepared));
    if (tail) {
        copy->tail.emplace(tail->clone());
    }
    copy->results = results;
    return copy;
}

} // namespace ggsl::c
