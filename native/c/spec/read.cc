#include "spec/reading.h"
#include "spec/tables.generated.h"

#include "error.h"

#include "graph/ops.h"

#include <bit>

namespace ggsl::c {

namespace {

struct Counted {
    const char * part;
    int64_t      most;
};

constexpr Counted counted[] = {
    { "nodes", limits::nodes },   { "params", limits::params },   { "uniforms", limits::uniforms },
    { "draws", limits::draws },   { "states", limits::states },   { "measures", limits::measures },
    { "stops", limits::stops },   { "windows", limits::windows }, { "rules", limits::rules },
    { "writes", limits::writes }, { "inputs", limits::inputs },   { "features", limits::features },
    { "sets", limits::sets },     { "stages", limits::stages },   { "tail", limits::tail },
};

void check_counts(Reading & reading) {
    for (const Counted & each : counted) {
        const auto   found = reading.json.find(each.part);
        const size_t count = found == reading.json.end() ? 0 : found->size();
        if (count > static_cast<size_t>(each.most)) {
            reading.fault(std::string(each.part) + ": at most " + std::to_string(each.most) + " are allowed, found " +
                          std::to_string(count));
        }
    }
}

[[noreturn]] void refuse_faults(const char * code, const Faults & faults) {
    std::string text = "invalid graph spec:";
    for (size_t i = 0; i < faults.size() && i < max_faults; ++i) {
        text += "\n  " + faults[i];
    }
    if (faults.size() > max_faults) {
        text += "\n  and " + std::to_string(faults.size() - max_faults) + " more";
    }
    refuse(code, text);
}

void refuse_any(const Faults & faults, const char * code = code::invalid_spec) {
    if (!faults.empty()) {
        refuse_faults(code, faults);
    }
}

// A later version can have any members.
void check_version(const Json & json) {
    const auto version = json.is_object() ? json.find("ggsl") : json.end();
    if (version != json.end() && is_integer(*version) && number_of(*version) > spec_version) {
        refuse(code::wrong_version, "the spec is of version " + show(*version) + ", this library reads versions 1 to " +
                                        std::to_string(spec_version) +
                                        ": take a newer libggsl, or compile the chain with the compiler of this one");
    }
}

// What an earlier version does not have yet.
void check_members(Reading & reading) {
    const int64_t version = reading.json["ggsl"].get<int64_t>();
    for (const auto & [name, since] : members_since) {
        if (since > version && reading.json.contains(name)) {
            reading.fault("spec." + std::string(name) + ": a spec of version " + std::to_string(version) +
                          " has no such member; version " + std::to_string(since) + " has");
        }
    }
}

} // namespace

std::vector<int32_t> Spec::scalars() const {
    std::vector<int32_t> nodes;
    for (const State & state : states) {
        nodes.push_back(state.next);
    }
    for (const Window & window : windows) {
        nodes.push_back(window.next);
    }
    for (const Measure & measure : measures) {
        nodes.push_back(measure.node);
    }
    for (const Stop & stop : stops) {
        nodes.push_back(stop.node);
    }
    return nodes;
}

std::optional<std::vector<int32_t>> Spec::known_uniforms() const {
    if (!measures.empty() || !stops.empty()) {
        return std::nullopt;
    }
    std::vector<int32_t> found;
    for (const int32_t id : scalars()) {
        const SpecNode & node = nodes[static_cast<size_t>(id)];
        if (static_cast<OpId>(node.op) != OpId::uniform) {
            return std::nullopt;
        }
        found.push_back(static_cast<int32_t>(node.attrs[0]));
    }
    return found;
}

Graph wire_graph(const Spec & spec) {
    const auto           dim = [](Dim given) { return given == dim_vocabulary ? -1 : given; };
    std::vector<int32_t> words{ wire_magic,
                                wire_version,
                                static_cast<int32_t>(spec.uniforms.size()),
                                static_cast<int32_t>(spec.inputs.size()),
                                static_cast<int32_t>(spec.scalars().size()),
                                0,
                                static_cast<int32_t>(spec.nodes.size()),
                                spec.outputs.sampled,
                                spec.outputs.candidates,
                                spec.outputs.logits,
                                spec.outputs.probs };
    for (const SpecInput & input : spec.inputs) {
        const bool is_guide = input.part == SpecInput::Part::dense &&
                              spec.features[static_cast<size_t>(input.feature)].from == Feature::From::guide;
        const int32_t role = is_guide ? 1 : spec.is_constant(input) ? 2 : input.part == SpecInput::Part::bits ? 3 : 0;
        words.insert(words.end(), { static_cast<int32_t>(input.dtype), dim(input.dim), role });
    }
    for (const int32_t node : spec.scalars()) {
        words.push_back(node);
    }
    for (const SpecNode & node : spec.nodes) {
        words.insert(words.end(), { node.op, static_cast<int32_t>(node.dtype), dim(node.dim),
                                    static_cast<int32_t>(node.inputs.size()) });
        words.insert(words.end(), node.inputs.begin(), node.inputs.end());
        const Op & op = op_table()[static_cast<size_t>(node.op)];
        for (size_t i = 0; i < static_cast<size_t>(op.attr_count); ++i) {
            words.push_back(op.attrs[i].kind == AttrKind::f32
                                ? std::bit_cast<int32_t>(static_cast<float>(node.attrs[i]))
                                : static_cast<int32_t>(node.attrs[i]));
        }
    }
    return decode_wire(words.data(), words.size());
}

Spec read_spec(const char * text, size_t length) {
    if (length > 4 * static_cast<size_t>(limits::spec) ||
        utf16_length({ text, length }) > static_cast<size_t>(limits::spec)) {
        refuse(code::limit_exceeded, "the spec has more than " + std::to_string(limits::spec) + " characters");
    }
    const Json json = parse_json(text, length, code::invalid_spec, "the spec");
    check_version(json);
    Reading reading{ json };
    check_shape(json, spec_shape(), "spec", reading.faults);
    refuse_any(reading.faults);
    check_members(reading);
    refuse_any(reading.faults);
    check_counts(reading);
    refuse_any(reading.faults);

    reading.spec.name        = json["name"];
    reading.spec.stage_count = json["stages"].size();
    for (const auto read : { read_nodes, read_outputs, read_params, read_uniforms, read_draws, read_feeds, read_sets,
                             read_grammars, read_rules, read_tail }) {
        read(reading);
    }
    refuse_any(reading.faults);
    check_cost(reading.spec, reading.faults);
    refuse_any(reading.faults, code::limit_exceeded);
    if (!reading.patterns.empty()) {
        refuse(code::unsupported,
               "a set of tokens has the pattern " + show(std::string_view(reading.patterns[0])) +
                   ", and only the JavaScript runtime reads patterns: give the tokens' texts or ids in its place");
    }
    reading.spec.graph = wire_graph(reading.spec);
    return std::move(reading.spec);
}

} // namespace ggsl::c
