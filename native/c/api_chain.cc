// ggsl.h: chains.
#include "arguments.h"
#include "chain.h"
#include "spec/tables.generated.h"
#include "version.h"

#include <cmath>
#include <cstring>

using ggsl::dim_vocabulary;
using namespace ggsl::c;

namespace {

ggsl_part named(ggsl_kind kind, ggsl_type type, const std::string & name) {
    ggsl_part part{};
    part.kind          = kind;
    part.type          = type;
    part.name          = name.c_str();
    part.default_value = NAN;
    part.min           = -INFINITY;
    part.max           = INFINITY;
    return part;
}

const char * doc_of(const std::optional<std::string> & doc) {
    return doc ? doc->c_str() : nullptr;
}

ggsl_part part_of(const Param & param) {
    constexpr ggsl_type types[] = { GGSL_F32, GGSL_I32, GGSL_BOOL, GGSL_SEED };
    ggsl_part           part    = named(GGSL_PARAM, types[static_cast<size_t>(param.type)], param.name);
    part.doc                    = doc_of(param.doc);
    part.default_value          = param.standard.value_or(NAN);
    part.min                    = param.range.min.value_or(-INFINITY);
    part.max                    = param.range.max.value_or(INFINITY);
    part.is_min_excluded        = param.range.is_min_excluded;
    part.is_max_excluded        = param.range.is_max_excluded;
    return part;
}

ggsl_part required(ggsl_kind kind, ggsl_type type, const std::string & name, Dim capacity) {
    ggsl_part part   = named(kind, type, name);
    part.is_required = true;
    part.capacity = capacity == dim_vocabulary ? static_cast<uint32_t>(limits::dim) : static_cast<uint32_t>(capacity);
    return part;
}

// All parts of a kind. What several features read is one part.
std::vector<ggsl_part> parts_of(const Spec & spec, ggsl_kind kind) {
    std::vector<ggsl_part> parts;
    const auto             add = [&](const ggsl_part & part) {
        for (const ggsl_part & other : parts) {
            if (std::strcmp(other.name, part.name) == 0) {
                return;
            }
        }
        parts.push_back(part);
    };
    if (kind == GGSL_PARAM) {
        for (const Param & param : spec.params) {
            parts.push_back(part_of(param));
        }
    } else if (kind == GGSL_SET) {
        for (const TokenSet & set : spec.sets) {
            if (set.name) {
                ggsl_part part = named(kind, GGSL_TOKENS, *set.name);
                part.doc       = doc_of(set.doc);
                part.capacity  = static_cast<uint32_t>(set.capacity);
                parts.push_back(part);
            }
        }
    } else if (kind == GGSL_GRAMMAR) {
        for (const GrammarParam & grammar : spec.grammars) {
            ggsl_part part   = named(kind, GGSL_GBNF, grammar.name);
            part.doc         = doc_of(grammar.doc);
            part.is_required = !grammar.standard;
            parts.push_back(part);
        }
    } else if (kind == GGSL_STATE) {
        for (const State & state : spec.states) {
            parts.push_back(named(kind, state.is_integer ? GGSL_I32 : GGSL_F32, state.name));
        }
    } else if (kind == GGSL_MEASURE) {
        for (const Measure & measure : spec.measures) {
            parts.push_back(named(kind, GGSL_F32, measure.name));
        }
    }
    if (kind == GGSL_STOP) {
        for (const Stop & stop : spec.stops) {
            add(named(kind, GGSL_BOOL, stop.name));
        }
    }
    constexpr ggsl_type types[] = { GGSL_F32, GGSL_I32, GGSL_BOOL };
    for (const Feature & feature : spec.features) {
        if (kind == GGSL_INPUT && feature.from == Feature::From::input) {
            const Dim capacity = feature.form == Feature::Form::sparse ? feature.capacity : 0;
            add(required(kind, types[static_cast<size_t>(feature.type)], feature.name, capacity));
        } else if (kind == GGSL_TEXT && feature.in.kind == TextSource::Kind::input) {
            add(required(kind, GGSL_TOKENS, feature.in.name, feature.in.capacity));
        } else if (kind == GGSL_GUIDE && feature.from == Feature::From::guide) {
            add(required(kind, GGSL_F32, feature.name, 0));
        }
    }
    return parts;
}

} // namespace

ggsl_chain * ggsl_chain_load(const char * json, size_t length) {
    return guarded<ggsl_chain *>(nullptr, [&] {
        check_llama();
        const auto text = span_of(json, length, "json");
        return new ggsl_chain(read_spec(text.data(), text.size()));
    });
}

void ggsl_chain_free(ggsl_chain * chain) {
    delete chain;
}

const char * ggsl_chain_name(const ggsl_chain * chain) {
    return guarded<const char *>(nullptr, [&] {
        check_pointer(chain, "chain");
        return chain->spec->name.c_str();
    });
}

bool ggsl_chain_picks(const ggsl_chain * chain) {
    return guarded(false, [&] {
        check_pointer(chain, "chain");
        return chain->spec->picks();
    });
}

size_t ggsl_chain_count(const ggsl_chain * chain, ggsl_kind kind) {
    return guarded<size_t>(0, [&] {
        check_pointer(chain, "chain");
        return parts_of(*chain->spec, kind).size();
    });
}

bool ggsl_chain_part(const ggsl_chain * chain, ggsl_kind kind, size_t index, ggsl_part * part) {
    return guarded(false, [&] {
        check_pointer(chain, "chain");
        check_pointer(part, "part");
        const auto parts = parts_of(*chain->spec, kind);
        if (index >= parts.size()) {
            refuse(code::invalid_argument, "there is no part " + std::to_string(index) +
                                               " of this kind: the chain has " + std::to_string(parts.size()));
        }
        fill(part, parts[index]);
        return true;
    });
}

bool ggsl_chain_cost(const ggsl_chain * chain, int32_t n_vocab, ggsl_cost * cost) {
    return guarded(false, [&] {
        check_pointer(chain, "chain");
        check_pointer(cost, "cost");
        if (n_vocab < 1 || n_vocab > limits::dim) {
            refuse(code::invalid_argument,
                   "n_vocab must be from 1 to " + std::to_string(limits::dim) + ", found " + std::to_string(n_vocab));
        }
        const Cost found = chain->spec->cost(n_vocab);
        fill(cost, { 0, found.nodes, found.work, found.sorts, found.device_bytes, found.host_bytes, found.upload_bytes,
                     found.readback_bytes });
        return true;
    });
}
