// ggsl.h: the text of a sampler.
#include "arguments.h"
#include "sampler/chain_sampler.h"
#include "sequence/saved.h"

#include <cmath>
#include <cstring>

using namespace ggsl::c;

namespace {

const char * text_or_null(const std::string & text) {
    return text.empty() ? nullptr : text.c_str();
}

} // namespace

bool ggsl_sampler_accept_prompt(llama_sampler * sampler, const int32_t * tokens, size_t count) {
    return guarded(false, [&] {
        sampler_of(sampler).accept_prompt(span_of(tokens, count, "tokens"));
        return true;
    });
}

bool ggsl_sampler_draft(llama_sampler * sampler, const int32_t * tokens, size_t count) {
    return guarded(false, [&] {
        sampler_of(sampler).set_draft(span_of(tokens, count, "tokens"));
        return true;
    });
}

bool ggsl_sampler_is_ready(llama_sampler * sampler) {
    return guarded(false, [&] {
        const ChainSampler & own = sampler_of(sampler);
        own.sequence.uniforms();
        own.sequence.inputs();
        return true;
    });
}

const char * ggsl_sampler_fault(const llama_sampler * sampler) {
    return guarded<const char *>(nullptr, [&] { return text_or_null(sampler_of(sampler).fault()); });
}

bool ggsl_sampler_state(const llama_sampler * sampler, const char * state, double * value) {
    return guarded(false, [&] {
        const ChainSampler & own = sampler_of(sampler);
        check_pointer(value, "value");
        const size_t index =
            find_by_name(own.spec().states, state, "state", [](const State & each) { return each.name; });
        *value = static_cast<double>(own.sequence.states()[index]);
        return true;
    });
}

bool ggsl_sampler_measure(const llama_sampler * sampler, const char * measure, double * value) {
    return guarded(false, [&] {
        const ChainSampler & own = sampler_of(sampler);
        check_pointer(value, "value");
        const size_t index =
            find_by_name(own.spec().measures, measure, "measure", [](const Measure & each) { return each.name; });
        const auto & values = own.sequence.measures();
        *value              = values.empty() ? NAN : static_cast<double>(values[index]);
        return true;
    });
}

const char * ggsl_sampler_stop(const llama_sampler * sampler) {
    return guarded<const char *>(nullptr, [&]() -> const char * {
        const Stop * stop = sampler_of(sampler).sequence.stop();
        return stop == nullptr ? nullptr : stop->name.c_str();
    });
}

int64_t ggsl_sampler_disallowed(const llama_sampler * sampler) {
    return guarded<int64_t>(-1, [&] { return sampler_of(sampler).sequence.disallowed_tokens(); });
}

size_t ggsl_sampler_save(const llama_sampler * sampler, char * buffer, size_t size) {
    return guarded<size_t>(0, [&] {
        const ChainSampler & own = sampler_of(sampler);
        if (size > 0) {
            check_pointer(buffer, "buffer");
        }
        if (!own.spec().tail.empty()) {
            refuse(code::unsupported,
                   "the chain `" + own.spec().name + "` has a host tail, and llama.cpp's samplers cannot be saved");
        }
        const std::string text = Saved::write(own.sequence);
        if (size > 0) {
            const size_t count = std::min(size - 1, text.size());
            std::memcpy(buffer, text.data(), count);
            buffer[count] = '\0';
        }
        return text.size();
    });
}

bool ggsl_sampler_restore(llama_sampler * sampler, const char * json, size_t length) {
    return guarded(false, [&] {
        ChainSampler & own = sampler_of(sampler);
        if (!own.spec().tail.empty()) {
            refuse(code::unsupported, "the chain `" + own.spec().name + "` has a host tail, which cannot be restored");
        }
        const auto text = span_of(json, length, "json");
        own.resume(Saved::read(own.sequence, text.data(), text.size()));
        return true;
    });
}

bool ggsl_sampler_is_in_graph(const llama_sampler * sampler) {
    return guarded(false, [&] { return sampler_of(sampler).is_in_graph(); });
}

const char * ggsl_sampler_refusal(const llama_sampler * sampler) {
    return guarded<const char *>(nullptr, [&] { return text_or_null(sampler_of(sampler).refusal()); });
}
