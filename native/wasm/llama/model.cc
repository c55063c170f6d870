// Models, graphs and the versions that must match (native/llama/model.h, wire.h).
#include "graph/backend.h"
#include "graph/columns.h"
#include "graph/ops.h"
#include "exchange.h"

#include <algorithm>

namespace ggsl::wasm {

namespace {

bool give_pieces(const Model::Pieces & pieces) {
    const size_t         head = pieces.offsets.size() * sizeof(int32_t);
    std::vector<uint8_t> bytes(head + pieces.bytes.size());
    std::memcpy(bytes.data(), pieces.offsets.data(), head);
    std::copy(pieces.bytes.begin(), pieces.bytes.end(), bytes.begin() + static_cast<ptrdiff_t>(head));
    return give(bytes);
}

} // namespace

extern "C" {

// Must be called first.
EMSCRIPTEN_KEEPALIVE void ggsl_start() {
    capture_logs();
}

EMSCRIPTEN_KEEPALIVE int32_t ggsl_wire_version() {
    return wire_version;
}

// Gives the names of the op table.
EMSCRIPTEN_KEEPALIVE bool ggsl_op_names() {
    return guarded([] {
        std::vector<std::string> names;
        for (const auto & op : op_table()) {
            names.emplace_back(op.name);
        }
        return give_texts(names);
    });
}

// A GGUF file; its bytes can be released afterwards.
EMSCRIPTEN_KEEPALIVE SharedModel * ggsl_model_open(const uint8_t * bytes, size_t count) {
    return guarded([&] { return new SharedModel(std::make_shared<Model>(std::span(bytes, count))); });
}
EMSCRIPTEN_KEEPALIVE void ggsl_model_close(const SharedModel * model) {
    delete model;
}

// Gives f64: parameters, bytes of the weights, tokens of context in training, size of the vocabulary, the tokens that begin and
// end a text (-1: none), whether a text starts with the first, whether the model is
// recurrent.
EMSCRIPTEN_KEEPALIVE bool ggsl_model_numbers(const SharedModel * model) {
    return guarded([&] {
        const llama_model * const loaded = (*model)->get();
        const llama_vocab * const vocab  = (*model)->vocab();
        return give(std::vector<double>{
            static_cast<double>(llama_model_n_params(loaded)), static_cast<double>(llama_model_size(loaded)),
            static_cast<double>(llama_model_n_ctx_train(loaded)), static_cast<double>((*model)->vocab_size()),
            static_cast<double>(llama_vocab_bos(vocab)), static_cast<double>(llama_vocab_eos(vocab)),
            static_cast<double>(llama_vocab_get_add_bos(vocab)), static_cast<double>((*model)->is_recurrent()) });
    });
}

// Gives texts: a description, then keys and values of the metadata in turn.
EMSCRIPTEN_KEEPALIVE bool ggsl_model_texts(const SharedModel * model) {
    return guarded([&] {
        std::vector<std::string> texts{ (*model)->description() };
        for (const auto & [key, value] : (*model)->metadata()) {
            texts.push_back(key);
            texts.push_back(value);
        }
        return give_texts(texts);
    });
}

// Gives i32: tokens.
EMSCRIPTEN_KEEPALIVE bool ggsl_tokenize(const SharedModel * model, const char * text, size_t length, bool add_special,
                                        bool parse_special, size_t most_tokens) {
    return guarded([&] {
        return give((*model)->tokenizer().tokenize(
            { text, length },
            { .add_special = add_special, .parse_special = parse_special, .most_tokens = most_tokens }));
    });
}

// Gives the bytes of a token.
EMSCRIPTEN_KEEPALIVE bool ggsl_piece(const SharedModel * model, int32_t token, bool special) {
    return guarded([&] {
        const std::string piece = (*model)->piece(token, special);
        return give_bytes(piece.data(), piece.size());
    });
}

// Gives i32, vocabulary size + 1 of them: where the bytes of all tokens begin and end; then these bytes.
EMSCRIPTEN_KEEPALIVE bool ggsl_pieces(const SharedModel * model) {
    return guarded([&] { return give_pieces((*model)->pieces()); });
}

// The same of the bytes that every token adds to a text.
EMSCRIPTEN_KEEPALIVE bool ggsl_texts(const SharedModel * model) {
    return guarded([&] { return give_pieces((*model)->texts()); });
}

// Gives a byte for every token: its classes.
EMSCRIPTEN_KEEPALIVE bool ggsl_classes(const SharedModel * model) {
    return guarded([&] { return give((*model)->classes()); });
}

EMSCRIPTEN_KEEPALIVE bool ggsl_is_end(const SharedModel * model, int32_t token) {
    return (*model)->is_end(token);
}

// A graph in the wire form, and the columns of its constant inputs, one after the other.
EMSCRIPTEN_KEEPALIVE SharedGraph * ggsl_graph_open(const int32_t * words, size_t count, const float * columns,
                                                   size_t column_count, size_t column_size) {
    return guarded([&] {
        Graph graph   = decode_wire(words, count);
        graph.columns = columns_of(columns, column_count, column_size);
        return new SharedGraph(std::make_shared<const Graph>(std::move(graph)));
    });
}
EMSCRIPTEN_KEEPALIVE void ggsl_graph_close(const SharedGraph * graph) {
    delete graph;
}

// Gives i32: the counts of uniforms, inputs, states and nodes.
EMSCRIPTEN_KEEPALIVE bool ggsl_graph_size(const SharedGraph * graph) {
    return guarded([&] {
        const Graph & of = **graph;
        return give(std::vector<int32_t>{ of.uniform_count, static_cast<int32_t>(of.inputs.size()),
                                          static_cast<int32_t>(of.states.size()),
                                          static_cast<int32_t>(of.nodes.size()) });
    });
}

} // extern "C"

} // namespace ggsl::wasm
