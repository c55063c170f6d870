// Grammars (native/llama/grammar.h).
#include "llama/grammar.h"

#include "exchange.h"

namespace ggsl::wasm {

namespace {

struct OpenGrammar {
    SharedModel model; // whose vocabulary the grammar uses
    Grammar     grammar;
};

} // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE OpenGrammar * ggsl_grammar_open(const SharedModel * model, const char * text, size_t length,
                                                     const char * root, size_t root_length) {
    return guarded([&] {
        const SamplerSpec spec{
            "grammar", { { "text", { std::string(text, length) } }, { "root", { std::string(root, root_length) } } }
        };
        const auto texts = grammar_texts(spec, (*model)->vocab());
        return new OpenGrammar{ *model, Grammar(**model, texts.text, texts.root) };
    });
}
EMSCRIPTEN_KEEPALIVE OpenGrammar * ggsl_grammar_clone(const OpenGrammar * from) {
    return guarded([&] { return new OpenGrammar{ *from }; });
}
EMSCRIPTEN_KEEPALIVE void ggsl_grammar_close(const OpenGrammar * grammar) {
    delete grammar;
}

// Gives f32, one for each token: 1 if it can come next, else 0.
EMSCRIPTEN_KEEPALIVE bool ggsl_grammar_allowed(OpenGrammar * of) {
    return guarded([&] { return give(of->grammar.allowed()); });
}
EMSCRIPTEN_KEEPALIVE bool ggsl_grammar_accept(OpenGrammar * of, int32_t token) {
    return guarded([&] {
        of->grammar.accept(token);
        return true;
    });
}
EMSCRIPTEN_KEEPALIVE bool ggsl_grammar_reset(OpenGrammar * of) {
    return guarded([&] {
        of->grammar.reset();
        return true;
    });
}

} // extern "C"

} // namespace ggsl::wasm
