// Bad calls of loops, and what ends texts.
#include "loop_texts.h"

#include <algorithm>

namespace ggsl::test {

namespace {

// The call must fail with this code and a text with this part.
void check_error(bool is_done, const char * code, const char * part) {
    CHECK(!is_done, "nothing failed; expected %s with \"%s\"", code, part);
    CHECK(std::strcmp(ggsl_error_code(), code) == 0 && std::strstr(ggsl_error(), part) != nullptr,
          "expected %s with \"%s\", found %s: %s", code, part, ggsl_error_code(), ggsl_error());
}

// A text by a chain of argmax that a stop text ends.
void check_stops(llama_model * model, const ggsl_chain * chain) {
    const Tokens  prompt = tokenize(model, "In the beginning");
    const Alone   alone  = write_alone(model, chain, prompt, 24, 1);
    const LoopPtr loop   = open_loop(model, 2);
    // across the borders of tokens, and one that does not come though its beginning does
    const std::string  stop = alone.text.substr(alone.text.size() / 2, 7), other = alone.text.substr(3, 6) + "\x01";
    const char * const stops[] = { other.c_str(), stop.c_str() };
    ggsl_loop_text     text    = text_of(chain, prompt, 24);
    text.stops                 = stops;
    text.stop_count            = 2;
    int user                   = 0;
    text.user                  = &user;
    const int64_t id           = ggsl_loop_add(loop.get(), &text);
    CHECK(id > 0, "%s", ggsl_error());
    set_seed(chain, 1, [&](const char * param, double value) { return ggsl_loop_set(loop.get(), id, param, value); });
    Texts texts;
    texts.on_token = [&](const ggsl_loop_token & token) { return token.user == &user; };
    texts.run(loop.get());
    const Text & found = texts.by_id.at(id);
    CHECK(found.end == GGSL_END_STOP && found.text == alone.text.substr(0, alone.text.find(stop)),
          "ended by %d with \"%s\"", found.end, found.text.c_str());
    CHECK(std::equal(found.tokens.begin(), found.tokens.end(), alone.tokens.begin()), "other tokens");
}

// Until the context is full, and what is set in the middle.
void check_limits(llama_model * model, const ggsl_chain * chain) {
    const LoopPtr loop   = open_loop(model, 3);
    const Tokens  prompt = tokenize(model, "In the beginning");
    const int64_t full = add(loop.get(), chain, prompt, 0, 1), over = add(loop.get(), chain, prompt, 100000, 1);
    const int64_t changed = add(loop.get(), chain, prompt, 20, 1);
    Texts         texts;
    texts.on_token = [&](const ggsl_loop_token & token) {
        if (token.id == changed && texts.by_id[changed].tokens.size() == 10) {
            CHECK(ggsl_loop_set(loop.get(), changed, "t", 2), "%s", ggsl_error());
        }
        return true;
    };
    texts.run(loop.get());
    for (const int64_t id : { full, over }) {
        const Text & text = texts.by_id.at(id);
        CHECK(text.end == GGSL_END_TOKEN ||
                  (text.end == GGSL_END_CONTEXT && text.tokens.size() == text_size - prompt.size()),
              "%zu tokens, ended by %d", text.tokens.size(), text.end);
    }
    const Tokens & before = texts.by_id.at(full).tokens;
    const Tokens & after  = texts.by_id.at(changed).tokens;
    CHECK(std::equal(after.begin(), after.begin() + 10, before.begin()) &&
              !std::equal(after.begin(), after.end(), before.begin()),
          "a parameter counts from the next token on");
}

} // namespace

void run_loop_errors(char ** arguments) {
    const ModelPtr model   = load_model(arguments[1]);
    const ChainPtr chain   = load_chain(read_file(arguments[2]));
    const ChainPtr grammar = load_chain(read_file(arguments[3])), input = load_chain(read_file(arguments[4]));
    const Tokens   prompt = tokenize(model.get(), "In the beginning");
    const LoopPtr  loop   = open_loop(model.get(), 2);
    CHECK(loop, "%s", ggsl_error());

    check_error(ggsl_loop_init(nullptr, nullptr) != nullptr, "INVALID_ARGUMENT", "model is NULL");
    check_error(ggsl_loop_defaults(nullptr), "INVALID_ARGUMENT", "options is NULL");
    const auto opens = [&](const std::function<void(ggsl_loop_options &)> & change) {
        return open_loop(model.get(), 2, change) != nullptr;
    };
    check_error(opens([](auto & options) { options.places = 0; }), "INVALID_ARGUMENT",
                "places: expected 1 to 256, found 0");
    check_error(opens([](auto & options) { options.size = 3; }), "INVALID_ARGUMENT", "`size`");
    check_error(opens([](auto & options) { options.context_size = -1; }), "INVALID_ARGUMENT",
                "context_size: expected 0");
    check_error(opens([](auto & options) { options.batch_size = 0; }), "INVALID_ARGUMENT", "batch_size: expected 1");
    check_error(opens([](auto & options) { options.cache_type_k = 9999; }), "INVALID_ARGUMENT", "cache_type_k");
    check_error(opens([](auto & options) { options.flash_attention = 7; }), "INVALID_ARGUMENT", "flash_attention");
    check_error(opens([](auto & options) { options.context_size = 16777216; }), "LIMIT_EXCEEDED",
                "smaller context size");
    CHECK(opens([](auto & options) { options.size = offsetof(ggsl_loop_options, threads); }), "an older program");

    const auto adds = [&](const std::function<void(ggsl_loop_text &)> & change) {
        ggsl_loop_text text = text_of(chain.get(), prompt, 4);
        change(text);
        return ggsl_loop_add(loop.get(), &text) != 0;
    };
    const ggsl_loop_text right = text_of(chain.get(), prompt, 4);
    check_error(ggsl_loop_add(nullptr, &right) != 0, "INVALID_ARGUMENT", "loop is NULL");
    check_error(ggsl_loop_add(loop.get(), nullptr) != 0, "INVALID_ARGUMENT", "text is NULL");
    check_error(adds([](auto & text) { text.chain = nullptr; }), "INVALID_ARGUMENT", "chain is NULL");
    check_error(adds([](auto & text) { text.prompt = nullptr; }), "INVALID_ARGUMENT", "prompt is NULL");
    check_error(adds([](auto & text) { text.prompt_count = 0; }), "INVALID_ARGUMENT", "the prompt is empty");
    check_error(adds([](auto & text) { text.size = 0; }), "INVALID_ARGUMENT", "`size`");
    check_error(adds([](auto & text) { text.stop_count = 1; }), "INVALID_ARGUMENT", "stops is NULL");
    const Tokens long_prompt(text_size, prompt[0]), stray = { prompt[0], 1 << 30 };
    const auto   prompt_is = [](const Tokens & tokens) {
        return [&](ggsl_loop_text & text) {
            text.prompt       = tokens.data();
            text.prompt_count = tokens.size();
        };
    };
    check_error(adds(prompt_is(long_prompt)), "CONTEXT_FULL", "the prompt has 256 tokens");
    check_error(adds(prompt_is(stray)), "INVALID_ARGUMENT", "is not a token");
    const std::vector<const char *> empty = { "" }, none = { nullptr }, many(1025, "x");
    const std::string               long_stop(1 << 16, 'x');
    const std::vector<const char *> large     = { long_stop.c_str(), "x" };
    const auto                      stops_are = [](const std::vector<const char *> & stops) {
        return [&](ggsl_loop_text & text) {
            text.stops      = stops.data();
            text.stop_count = stops.size();
        };
    };
    check_error(adds(stops_are(empty)), "INVALID_ARGUMENT", "is empty");
    check_error(adds(stops_are(none)), "INVALID_ARGUMENT", "a stop text is NULL");
    check_error(adds(stops_are(many)), "LIMIT_EXCEEDED", "1025");
    check_error(adds(stops_are(large)), "LIMIT_EXCEEDED", "65537 bytes");

    // chains that a loop does not write
    const char * const reasons[] = { "has a host tail", "reads the logits of another sequence", "picks no token" };
    for (int i = 0; i < 3; ++i) {
        const ChainPtr other = load_chain(read_file(arguments[5 + i]));
        check_error(adds([&](auto & text) { text.chain = other.get(); }), "UNSUPPORTED", reasons[i]);
    }
    CHECK(ggsl_loop_count(loop.get()) == 0, "a text was added");

    double        value = 0;
    const int64_t id    = add(loop.get(), chain.get(), prompt, 4, 1);
    CHECK(ggsl_loop_get(loop.get(), id, "t", &value) && value == 1 && ggsl_loop_is_ready(loop.get(), id), "%s",
          ggsl_error());
    check_error(ggsl_loop_set(loop.get(), id, "nothing", 1), "INVALID_ARGUMENT", "no parameter \"nothing\"");
    check_error(ggsl_loop_set(loop.get(), id, "t", -1), "INVALID_ARGUMENT", "`t` must be >= 0.1, found -1");
    check_error(ggsl_loop_set(loop.get(), id + 1, "t", 1), "INVALID_ARGUMENT", "no text 2 is waiting or being written");
    check_error(ggsl_loop_set_tokens(loop.get(), id, "nothing", nullptr, 0), "INVALID_ARGUMENT", "no set of tokens");
    check_error(ggsl_loop_set_grammar(loop.get(), id, "nothing", "", 0), "INVALID_ARGUMENT", "no grammar");
    check_error(ggsl_loop_set_input(loop.get(), id, "nothing", nullptr, 0), "INVALID_ARGUMENT", "no dense input");
    check_error(ggsl_loop_set_pairs(loop.get(), id, "nothing", nullptr, nullptr, 0), "INVALID_ARGUMENT",
                "no sparse input");
    check_error(ggsl_loop_set_text(loop.get(), id, "nothing", nullptr, 0), "INVALID_ARGUMENT", "no text \"nothing\"");
    check_error(ggsl_loop_set_bias(loop.get(), id, nullptr, nullptr, 0), "INVALID_ARGUMENT", "reads no logit biases");
    check_error(ggsl_loop_cancel(loop.get(), 99), "INVALID_ARGUMENT", "no text 99");
    check_error(ggsl_loop_step(loop.get(), nullptr, nullptr), "INVALID_ARGUMENT", "callback is NULL");
    check_error(ggsl_loop_run(nullptr, Texts::take, nullptr), "INVALID_ARGUMENT", "loop is NULL");
    ggsl_loop_stats stats{};
    check_error(ggsl_loop_get_stats(loop.get(), &stats), "INVALID_ARGUMENT", "`size`");

    // what was never given is said before the text, and in its record; the others go on
    const int64_t lacks_grammar = add(loop.get(), grammar.get(), prompt, 4, 1),
                  lacks_input   = add(loop.get(), input.get(), prompt, 4, 1);
    check_error(ggsl_loop_is_ready(loop.get(), lacks_grammar), "MISSING_GRAMMAR", "");
    check_error(ggsl_loop_is_ready(loop.get(), lacks_input), "MISSING_INPUT", "");
    check_error(ggsl_loop_set_grammar(loop.get(), lacks_grammar, "g", "root ::= (", 10), "INVALID_ARGUMENT", "");
    Texts texts;
    texts.on_token = [&](const ggsl_loop_token & token) {
        if (token.id == id) {
            check_error(ggsl_loop_step(loop.get(), Texts::take, &texts), "INVALID_ARGUMENT", "takes a step already");
        }
        return true;
    };
    texts.run(loop.get());
    CHECK(texts.by_id.at(id).end == GGSL_END_MAX_TOKENS && texts.by_id.at(id).tokens.size() == 4, "the right text");
    CHECK(texts.by_id.at(lacks_grammar).code == "MISSING_GRAMMAR" &&
              texts.by_id.at(lacks_input).code == "MISSING_INPUT",
          "%s, %s", texts.by_id.at(lacks_grammar).code.c_str(), texts.by_id.at(lacks_input).code.c_str());
    check_error(ggsl_loop_cancel(loop.get(), id), "INVALID_ARGUMENT", "no text 1");

    // an input that is fed each token
    const int64_t fed    = add(loop.get(), input.get(), prompt, 4, 1);
    const auto    favour = [&](size_t token) {
        std::vector<float> values(static_cast<size_t>(llama_vocab_n_tokens(llama_model_get_vocab(model.get()))));
        values[token] = 1000;
        CHECK(ggsl_loop_set_input(loop.get(), fed, "favour", values.data(), values.size()), "%s", ggsl_error());
    };
    favour(300);
    texts.on_token = [&](const ggsl_loop_token & token) {
        if (token.end == GGSL_END_NONE) {
            favour(static_cast<size_t>(token.token) + 1);
        }
        return true;
    };
    texts.run(loop.get());
    CHECK((texts.by_id.at(fed).tokens == Tokens{ 300, 301, 302, 303 }), "the input of each token");

    check_stops(model.get(), chain.get());
    check_limits(model.get(), chain.get());
    std::puts("all errors are as expected");
}

} // namespace ggsl::test
