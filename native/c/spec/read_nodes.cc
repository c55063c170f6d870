#include "spec/reading.h"
#include "spec/tables.generated.h"

#include "graph/ops.h"

#include <algorithm>

namespace ggsl::c {

namespace {

// Whether a vector of dim `a` can be longer than one of dim `b`, whatever V is.
bool is_more(Dim a, Dim b) {
    return a != b && b != dim_vocabulary && (a == dim_vocabulary || a > b);
}

// Reads the attributes of one node; their faults are those of one node only.
class NodeReader {
public:
    NodeReader(Reading & reading, size_t id) : reading(reading), json(reading.json["nodes"][id]), id(id) {}

    void read() {
        const std::string & name  = json["op"].get_ref<const std::string &>();
        const auto          found = std::find_if(std::begin(op_names), std::end(op_names),
                                                 [&](const OpNames & names) { return names.name == name; });
        if (found == std::end(op_names)) {
            return fault("unknown op");
        }
        const auto origin = json.find("origin");
        if (origin != json.end() && !index_below((*origin)["stage"], reading.json["stages"].size())) {
            return fault("there is no stage " + show((*origin)["stage"]));
        }
        node().op = static_cast<int32_t>(found - op_names);
        names     = found;
        op        = &op_table()[static_cast<size_t>(node().op)];
        if (read_operands() && read_attrs() && check_operands()) {
            check_result();
        }
    }

private:
    SpecNode &       node() { return reading.spec.nodes[id]; }
    const SpecNode & operand(size_t i) { return reading.spec.nodes[static_cast<size_t>(node().inputs[i])]; }

    void fault(const std::string & text) {
        reading.fault("node %" + std::to_string(id) + " (" + json["op"].get<std::string>() + "): " + text);
    }

    bool read_operands() {
        const Json & inputs   = json["inputs"];
        const auto   required = static_cast<size_t>(op->required_operands());
        const auto   most     = static_cast<size_t>(op->operand_count);
        if (inputs.size() < required || inputs.size() > most) {
            const std::string range = required == most ? "" : std::to_string(required) + " to ";
            fault("takes " + range + std::to_string(most) + " operands, found " + std::to_string(inputs.size()));
            return false;
        }
        for (const Json & input : inputs) {
            const std::optional<int32_t> index = index_below(input, id);
            if (!index) {
                fault("operand " + show(input) + " is not a node before this one");
                return false;
            }
            node().inputs.push_back(*index);
        }
        return true;
    }

    bool read_attrs() {
        const size_t before = reading.faults.size();
        const Json & attrs  = json["attrs"];
        for (const auto & [name, _] : attrs.items()) {
            const auto * end = names->attrs + op->attr_count;
            if (std::none_of(names->attrs, end, [&](const AttrNames & attr) { return attr.name == name; })) {
                fault("unknown attribute " + show(std::string_view(name)));
            }
        }
        for (size_t i = 0; i < static_cast<size_t>(op->attr_count); ++i) {
            const AttrNames & attr  = names->attrs[i];
            const auto        found = attrs.find(std::string(attr.name));
            if (found == attrs.end() && attr.has_default) {
                node().attrs[i] = attr.default_value;
            } else {
                read_attr(attr, op->attrs[i].kind, found == attrs.end() ? nullptr : &*found, node().attrs[i]);
            }
        }
        return reading.faults.size() == before;
    }

    // `value`: null if it is absent.
    void read_attr(const AttrNames & attr, AttrKind kind, const Json * value, double & into) {
        const Json        none;
        const Json &      given = value == nullptr ? none : *value;
        std::string       expected;
        const std::string most = std::to_string(limits::dim);
        switch (kind) {
            case AttrKind::choice: {
                const auto * end   = std::end(attr.choices);
                const auto * found = std::find_if(std::begin(attr.choices), end, [&](std::string_view choice) {
                    return given.is_string() && given.get_ref<const std::string &>() == choice;
                });
                into               = static_cast<double>(found - attr.choices);
                expected =
                    found == end ? "one of " + std::string(attr.choices[0]) + ", " + std::string(attr.choices[1]) : "";
                break;
            }
            case AttrKind::integer:
                expected = is_integer(given) && std::fabs(number_of(given)) <= limits::dim ? "" : "an integer";
                break;
            case AttrKind::count: expected = is_dim(given) ? "" : "V or an integer from 1 to " + most; break;
            case AttrKind::f32:   expected = is_finite_f32(given) ? "" : "a finite f32 number"; break;
        }
        if (!expected.empty()) {
            const std::string found = value == nullptr ? "undefined" : show(given);
            return fault("`" + std::string(attr.name) + "` must be " + expected + ", found " + found);
        }
        if (kind == AttrKind::count) {
            into = dim_of(given);
        } else if (kind != AttrKind::choice) {
            into = number_of(given);
        }
    }

    bool check_operands() {
        const size_t before = reading.faults.size();
        Dim          shared = 0;
        for (size_t i = node().inputs.size(); i-- > 0;) {
            shared = op->operands[i].dim == OperandDim::rows ? operand(i).dim : shared;
        }
        for (size_t i = 0; i < node().inputs.size(); ++i) {
            const auto & [dtype, dim, _] = op->operands[i];
            const std::string name       = "operand `" + std::string(names->operands[i]) + "`";
            const bool        fits =
                dtype == OperandDtype::any || (dtype == OperandDtype::i32) == (operand(i).dtype == Dtype::i32);
            if (!fits) {
                fault(name + " is " + show_dtype(dtype == OperandDtype::i32 ? Dtype::i32 : Dtype::f32) + ", found " +
                      show_dtype(operand(i).dtype));
            }
            if (is_scalar(i) && operand(i).dim != 1) {
                fault(name + " must be a scalar, found " + show_dim(operand(i).dim) + " rows");
            }
            const bool is_shared = dim == OperandDim::rows || (dim == OperandDim::broadcast && operand(i).dim != 1);
            if (is_shared && operand(i).dim != shared) {
                fault(name + " has " + show_dim(shared) + " rows, found " + show_dim(operand(i).dim));
            }
        }
        return reading.faults.size() == before;
    }

    bool is_scalar(size_t i) const { return op->operands[i].dim == OperandDim::scalar; }

    void check_result() {
        int32_t attrs[max_attrs] = {};
        for (size_t i = 0; i < static_cast<size_t>(op->attr_count); ++i) {
            attrs[i] = op->attrs[i].kind == AttrKind::f32 ? 0 : static_cast<int32_t>(node().attrs[i]);
        }
        const auto dtype = static_cast<Dtype>(op->dtype.apply(
            attrs, [&](int32_t i) { return static_cast<int32_t>(operand(static_cast<size_t>(i)).dtype); }));
        const Dim  dim   = op->dim.apply(attrs, [&](int32_t i) { return operand(static_cast<size_t>(i)).dim; });
        if (node().dtype != dtype) {
            fault(std::string("its type must be ") + show_dtype(dtype) + ", not " + show_dtype(node().dtype));
        }
        if (node().dim != dim) {
            fault("its dim must be " + show_dim(dim) + ", not " + show_dim(node().dim));
        }
        check_own();
    }

    // Rules of single ops that the table cannot express.
    void check_own() {
        const double first = node().attrs[0];
        switch (static_cast<OpId>(node().op)) {
            case OpId::uniform:
                if (first < 0 || first >= static_cast<double>(reading.json["uniforms"].size())) {
                    fault("there is no uniform " + show(first));
                }
                break;
            case OpId::input: check_input(first); break;
            case OpId::top_k:
                if (is_more(node().dim, operand(0).dim)) {
                    fault("k must be at most the number of rows, " + show_dim(operand(0).dim));
                }
                break;
            case OpId::set_rows:
                if (is_more(operand(1).dim, operand(0).dim)) {
                    fault("more rows are written than x has");
                }
                break;
            case OpId::clamp:
                if (first > node().attrs[1]) {
                    fault("`lo` is above `hi`");
                }
                break;
            case OpId::view: check_view(first, node().dim, operand(0).dim); break;
            default:         break;
        }
    }

    void check_input(double index) {
        const Json & inputs = reading.json["inputs"];
        if (index < 0 || index >= static_cast<double>(inputs.size())) {
            return fault("there is no input " + show(index));
        }
        const Json & input = inputs[static_cast<size_t>(index)];
        const Dtype  dtype = dtype_of(input["dtype"]);
        const Dim    dim   = dim_of(input["dim"]);
        if (dtype != node().dtype || dim != node().dim) {
            fault("input " + show(index) + " is " + show_dtype(dtype) + "[" + show_dim(dim) + "]");
        }
    }

    // V can equal the view's count, so a view into V rows must start at 0 or end at the end.
    void check_view(double offset, Dim count, Dim from) {
        const std::string shows = "shows " + show_dim(count) + " ";
        if (offset == 0) {
            return is_more(count, from) ? fault(shows + "of " + show_dim(from) + " rows") : void();
        }
        if (count == dim_vocabulary) {
            return fault("a view of V rows must start at the first row");
        }
        const bool is_inside = offset < 0 ? count == -offset && !is_more(count, from)
                                          : from != dim_vocabulary && count == 1 && offset < from;
        if (!is_inside) {
            fault(shows + "rows from " + show(offset) + " on of " + show_dim(from));
        }
    }

    Reading &       reading;
    const Json &    json;
    const size_t    id;
    const OpNames * names = nullptr;
    const Op *      op    = nullptr;
};

} // namespace

void read_nodes(Reading & reading) {
    // a node may be compared with a later one's type before that is read
    for (const Json & node : reading.json["nodes"]) {
        SpecNode & added = reading.spec.nodes.emplace_back();
        added.dtype      = dtype_of(node["dtype"]);
        added.dim        = dim_of(node["dim"]);
    }
    for (size_t id = 0; id < reading.spec.nodes.size(); ++id) {
        NodeReader(reading, id).read();
    }
}

void read_outputs(Reading & reading) {
    Spec &       spec    = reading.spec;
    const Json & outputs = reading.json["outputs"];
    // `dim`: 0 for any
    const auto check = [&](const std::string & name, const Json & value, Dtype dtype, Dim dim) -> int32_t {
        const std::optional<int32_t> id = index_below(value, spec.nodes.size());
        if (!id) {
            reading.fault("output " + name + ": there is no node " + show(value));
            return -1;
        }
        const SpecNode & node = spec.nodes[static_cast<size_t>(*id)];
        if (node.dtype != dtype) {
            reading.fault("output " + name + ": is " + show_dtype(dtype) + ", found " + show_dtype(node.dtype));
        } else if (dim != 0 && node.dim != dim) {
            reading.fault("output " + name + ": has " + show_dim(dim) + " rows, found " + show_dim(node.dim));
        }
        return *id;
    };
    const auto output = [&](const char * name, Dtype dtype, Dim dim) {
        const auto found = outputs.find(name);
        return found == outputs.end() ? -1 : check(name, *found, dtype, dim);
    };
    Dim rows = dim_vocabulary;
    if (const auto found = outputs.find("candidates"); found != outputs.end()) {
        const std::optional<int32_t> id = index_below(*found, spec.nodes.size());
        rows                            = id ? spec.nodes[static_cast<size_t>(*id)].dim : rows;
    }
    spec.outputs.sampled    = output("sampled", Dtype::i32, 1);
    spec.outputs.candidates = output("candidates", Dtype::i32, 0);
    spec.outputs.logits     = output("logits", Dtype::f32, rows);
    spec.outputs.probs      = output("probs", Dtype::f32, rows);
    for (const Json & state : reading.json["states"]) {
        const std::string name = state["name"];
        spec.states.push_back(
            { name, state.contains("type"), {}, check("state " + name, state["next"], Dtype::f32, 1) });
    }
    std::map<std::string, int> window_names;
    if (const auto windows = reading.json.find("windows"); windows != reading.json.end()) {
        for (const Json & window : *windows) {
            const std::string name = window["name"];
            const auto        size = static_cast<int32_t>(number_of(window["size"]));
            spec.windows.push_back({ name, size, check("window " + name, window["next"], Dtype::f32, 1) });
            ++window_names[name];
        }
    }
    std::map<std::string, int> names;
    if (const auto measures = reading.json.find("measures"); measures != reading.json.end()) {
        for (const Json & measure : *measures) {
            const std::string name = measure["name"];
            spec.measures.push_back({ name, check("measure " + name, measure["node"], Dtype::f32, 1) });
            ++names[name];
        }
    }
    if (const auto stops = reading.json.find("stops"); stops != reading.json.end()) {
        for (const Json & stop : *stops) {
            const std::string name = stop["name"];
            spec.stops.push_back({ name, check("stop " + name, stop["node"], Dtype::f32, 1) });
        }
    }
    if (names.size() != spec.measures.size()) {
        reading.fault("measures: two have the same name");
    }
    if (window_names.size() != spec.windows.size()) {
        reading.fault("windows: two have the same name");
    }
    if (outputs.empty()) {
        reading.fault("outputs: there are none");
    }
}

} // namespace ggsl::c
