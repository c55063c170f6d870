// What a chain costs for one token of one sequence, as compiler/graph/cost.ts estimates it.
#include "spec/reading.h"
#include "spec/tables.generated.h"

#include "graph/ops.h"

#include <algorithm>

namespace ggsl::c {

namespace {

constexpr uint64_t word     = 4;
constexpr uint64_t tail_row = 12; // token, logit and probability

class Coster {
public:
    Coster(const Spec & spec, int32_t vocab_size) : spec(spec), vocab_size(vocab_size) {}

    Cost cost() const {
        Cost found{};
        for (const SpecNode & node : spec.nodes) {
            if (!takes_time(node)) {
                continue;
            }
            uint64_t most = rows(node);
            for (const int32_t input : node.inputs) {
                most = std::max(most, rows(node_at(input)));
            }
            const auto op = static_cast<OpId>(node.op);
            found.nodes += 1;
            found.work += most;
            found.sorts += (op == OpId::argsort || op == OpId::top_k) && node_at(node.inputs[0]).dim == dim_vocabulary;
        }
        found.device_bytes = word * most_live();
        found.host_bytes   = tail_bytes() + word * window_values();
        uint64_t uploads   = spec.uniforms.size();
        for (size_t i = 1; i < spec.inputs.size(); ++i) {
            // columns that never change are on the device already
            uploads +=
                spec.is_constant(spec.inputs[i]) ? 0 : static_cast<uint64_t>(spec.inputs[i].fed_size(vocab_size));
        }
        found.upload_bytes = word * uploads;
        uint64_t reads     = spec.scalars().size();
        for (const int32_t output : outputs()) {
            reads += output < 0 ? 0 : rows(node_at(output));
        }
        found.readback_bytes = word * reads;
        return found;
    }

private:
    const SpecNode & node_at(int32_t id) const { return spec.nodes[static_cast<size_t>(id)]; }
    uint64_t         rows(const SpecNode & node) const { return static_cast<uint64_t>(bind_dim(node.dim, vocab_size)); }

    // The values that a sequence keeps in windows.
    uint64_t window_values() const {
        uint64_t values = 0;
        for (const Window & window : spec.windows) {
            values += static_cast<uint64_t>(window.size);
        }
        return values;
    }

    std::array<int32_t, 4> outputs() const {
        return { spec.outputs.sampled, spec.outputs.candidates, spec.outputs.logits, spec.outputs.probs };
    }

    // Of the leaves, only inputs of bits launch a kernel: the one that takes them apart.
    bool takes_time(const SpecNode & node) const {
        const bool is_input = static_cast<OpId>(node.op) == OpId::input;
        return op_names[node.op].launches ||
               (is_input && spec.inputs[static_cast<size_t>(node.attrs[0])].part == SpecInput::Part::bits);
    }

    // The most rows that are needed at one time when the nodes run in order.
    uint64_t most_live() const {
        const size_t        count = spec.nodes.size();
        std::vector<size_t> last(count, SIZE_MAX); // the node that reads it last
        for (size_t id = 0; id < count; ++id) {
            for (const int32_t input : spec.nodes[id].inputs) {
                last[static_cast<size_t>(input)] = id;
            }
        }
        const auto keep = [&](int32_t id) {
            if (id >= 0) {
                last[static_cast<size_t>(id)] = count;
            }
        };
        for (const int32_t output : outputs()) {
            keep(output);
        }
        for (const int32_t scalar : spec.scalars()) {
            keep(scalar);
        }
        std::vector<std::vector<size_t>> ends(count);
        for (size_t id = 0; id < count; ++id) {
            if (last[id] < count) {
                ends[last[id]].push_back(id);
            }
        }
        const auto own = [&](size_t id) { return takes_time(spec.nodes[id]) ? rows(spec.nodes[id]) : 0; };
        uint64_t   now = 0, most = 0;
        for (size_t id = 0; id < count; ++id) {
            now += own(id);
            most = std::max(most, now);
            for (const size_t ended : ends[id]) {
                now -= own(ended);
            }
        }
        return most;
    }

    uint64_t tail_bytes() const {
        if (spec.tail.empty()) {
            return 0;
        }
        uint64_t bytes = tail_row * rows(node_at(std::max(0, spec.outputs.logits)));
        for (const TailStage & stage : spec.tail) {
            for (const auto & [name, arg] : stage.args) {
                bytes += argument_bytes(name, arg);
            }
        }
        return bytes;
    }

    // A window of tokens, a text, or a list of texts.
    static uint64_t argument_bytes(const std::string & name, const TailArg & arg) {
        if (const auto * number = std::get_if<double>(&arg)) {
            return name == "last_n" ? word * static_cast<uint64_t>(std::max(0.0, *number)) : 0;
        }
        if (const auto * text = std::get_if<std::string>(&arg)) {
            return utf16_length(*text);
        }
        uint64_t bytes = 0;
        if (const auto * list = std::get_if<std::vector<Breaker>>(&arg)) {
            for (const Breaker & breaker : *list) {
                bytes += length_of(breaker, word);
            }
        }
        return bytes;
    }

public:
    static uint64_t length_of(const Breaker & breaker, uint64_t of_token) {
        const auto * text = std::get_if<std::string>(&breaker);
        return text == nullptr ? of_token : utf16_length(*text);
    }

private:
    const Spec &  spec;
    const int32_t vocab_size;
};

// The lengths of the longest text and the longest lists.
struct Longest {
    uint64_t text = 0, breakers = 0, items = 0;

    void add(const std::string & given) { text = std::max<uint64_t>(text, utf16_length(given)); }
    void add(const std::vector<Breaker> & list) {
        breakers = std::max<uint64_t>(breakers, list.size());
        for (const Breaker & breaker : list) {
            text = std::max(text, Coster::length_of(breaker, 0));
        }
    }
};

Longest longest_of(const Spec & spec) {
    Longest most;
    for (const TokenSet & set : spec.sets) {
        most.items = std::max<uint64_t>(most.items, set.of.size());
        for (const TokenItem & item : set.of) {
            if (const auto * text = std::get_if<std::string>(&item)) {
                most.add(*text);
            }
        }
    }
    for (const Feature & feature : spec.features) {
        most.add(feature.gbnf);
        most.add(feature.breakers);
        most.breakers = std::max<uint64_t>(most.breakers, feature.sequences.size());
        for (const TokenSequence & sequence : feature.sequences) {
            most.add(sequence.text);
        }
    }
    for (const GrammarParam & grammar : spec.grammars) {
        most.add(grammar.standard.value_or(""));
    }
    for (const TailStage & stage : spec.tail) {
        for (const auto & [_, arg] : stage.args) {
            if (const auto * text = std::get_if<std::string>(&arg)) {
                most.add(*text);
            } else if (const auto * list = std::get_if<std::vector<Breaker>>(&arg)) {
                most.add(*list);
            }
        }
    }
    for (const Ending & ending : spec.endings) {
        most.add(ending.text);
    }
    return most;
}

} // namespace

int32_t SpecInput::fed_size(int32_t vocab_size) const {
    return part == Part::bits ? (vocab_size + word_bits - 1) / word_bits : bind_dim(dim, vocab_size);
}

Cost Spec::cost(int32_t vocab_size) const {
    return Coster(*this, vocab_size).cost();
}

void check_cost(const Spec & spec, Faults & faults) {
    const Cost    cost  = spec.cost(static_cast<int32_t>(cost_limits::vocab_size));
    const Longest most  = longest_of(spec);
    const auto    check = [&](const char * limit, const char * what, int64_t allowed, uint64_t found) {
        if (found > static_cast<uint64_t>(allowed)) {
            faults.push_back(std::string("too many ") + what + ": at most " + std::to_string(allowed) +
                                " are allowed, found " + std::to_string(found) + " (`" + limit + "`)");
        }
    };
    check("stages", "stages in this chain", cost_limits::stages, spec.stage_count);
    check("work", "rows to compute for a token", cost_limits::work, cost.work);
    check("sorts", "sorts of the vocabulary for a token", cost_limits::sorts, cost.sorts);
    check("deviceBytes", "bytes of device memory for a sequence", cost_limits::device_bytes, cost.device_bytes);
    check("hostBytes", "bytes of memory for the host tail", cost_limits::host_bytes, cost.host_bytes);
    check("textLength", "characters in this text", cost_limits::text_length, most.text);
    check("breakers", "breakers in this list", cost_limits::breakers, most.breakers);
    check("setItems", "entries in this set of tokens", cost_limits::set_items, most.items);
}

} // namespace ggsl::c
