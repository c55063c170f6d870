// ggsl.h: loops.
#include "arguments.h"
#include "chain.h"
#include "loop/chains.h"
#include "loop/loop.h"
#include "settings.h"
#include "version.h"

using namespace ggsl::c;
namespace loop = ggsl::loop;

namespace {

// Of stop texts.
constexpr size_t most_stops = 1024;
constexpr size_t most_bytes = size_t{ 1 } << 16;

} // namespace

struct ggsl_loop {
    ggsl_loop(const std::shared_ptr<ggsl::Model> & model, const loop::LoopOptions & options)
        : texts(model, options), chains(model) {}

    loop::Loop   texts;
    loop::Chains chains;
    bool         is_stepping = false;
};

namespace {

ggsl_loop_options standard_options() {
    ggsl_loop_options          options{};
    const ggsl::ContextOptions context;
    options.size            = sizeof(options);
    options.places          = 8;
    options.batch_size      = context.batch_size;
    options.cache_type_k    = context.cache_type_k;
    options.cache_type_v    = context.cache_type_v;
    options.flash_attention = context.flash_attention;
    return options;
}

ggml_type cache_type_of(int32_t type, const char * name) {
    if (type < 0 || type >= GGML_TYPE_COUNT || ggml_type_name(static_cast<ggml_type>(type)) == nullptr) {
        refuse(code::invalid_argument,
               std::string(name) + ": expected a value of enum ggml_type, found " + std::to_string(type));
    }
    return ggsl::cache_type_by_name(ggml_type_name(static_cast<ggml_type>(type)), name);
}

loop::LoopOptions to_options(const ggsl_loop_options & given) {
    ggsl::check_range(given.places, 1, static_cast<int32_t>(llama_max_parallel_sequences()), "places");
    ggsl::check_range(given.context_size, 0, ggsl::facts::max_context, "context_size");
    ggsl::check_range(given.batch_size, 1, ggsl::facts::max_batch, "batch_size");
    ggsl::check_range(given.threads, 0, ggsl::facts::max_threads, "threads");
    ggsl::check_range(given.batch_threads, 0, ggsl::facts::max_threads, "batch_threads");
    ggsl::check_range(given.flash_attention, LLAMA_FLASH_ATTN_TYPE_AUTO, LLAMA_FLASH_ATTN_TYPE_ENABLED,
                      "flash_attention");
    loop::LoopOptions options;
    options.text_size               = given.context_size;
    options.context.sequences       = given.places;
    options.context.batch_size      = given.batch_size;
    options.context.threads         = given.threads;
    options.context.batch_threads   = given.batch_threads;
    options.context.cache_type_k    = cache_type_of(given.cache_type_k, "cache_type_k");
    options.context.cache_type_v    = cache_type_of(given.cache_type_v, "cache_type_v");
    options.context.flash_attention = static_cast<llama_flash_attn_type>(given.flash_attention);
    options.context.cache           = given.has_one_cache ? ggsl::Cache::shared : ggsl::Cache::own;
    options.context.placement       = given.is_on_host ? ggsl::Placement::host : ggsl::Placement::graph;
    options.context.check_logits    = given.checks_logits;
    return options;
}

std::shared_ptr<const loop::Stops> stops_of(const ggsl_loop_text & text) {
    const auto               given = span_of(text.stops, text.stop_count, "stops");
    std::vector<std::string> stops;
    size_t                   bytes = 0;
    for (const char * each : given.first(std::min(given.size(), most_stops))) {
        check_pointer(each, "a stop text");
        bytes += std::strlen(each);
        stops.emplace_back(bytes <= most_bytes ? each : "");
    }
    if (given.size() > most_stops || bytes > most_bytes) {
        refuse(code::limit_exceeded,
               "a text has at most " + std::to_string(most_stops) + " stop texts of " + std::to_string(most_bytes) +
                   " bytes together, found " +
                   (bytes > most_bytes ? std::to_string(bytes) + " bytes" : std::to_string(given.size())));
    }
    return stops.empty() ? nullptr : std::make_shared<const loop::Stops>(stops);
}

Sequence & sequence_of(ggsl_loop * loop, int64_t id) {
    check_pointer(loop, "loop");
    return loop->texts.text(id).sequence;
}

ggsl_loop_token token_of(const loop::Record & record) {
    const Spec &    spec = *record.chain->spec();
    ggsl_loop_token token{};
    token.size  = sizeof(token);
    token.id    = record.id;
    token.user  = record.user;
    token.token = record.token;
    token.flags = uint32_t{ record.is_forced } * GGSL_TOKEN_FORCED + uint32_t{ record.is_refused } * GGSL_TOKEN_REFUSED;
    token.end   = static_cast<ggsl_loop_end>(record.ending);
    token.text  = record.text.c_str();
    token.text_length = record.text.size();
    if (!record.scalars.empty()) {
        const size_t before = spec.states.size() + spec.windows.size();
        token.states        = record.scalars.data();
        token.state_count   = spec.states.size();
        token.measures      = record.scalars.data() + before;
        token.measure_count = spec.measures.size();
    }
    token.stop = record.stop == nullptr ? nullptr : record.stop->name.c_str();
    if (record.failure) {
        token.error_code = record.failure->code;
        token.error      = record.failure->what();
    }
    return token;
}

static_assert(GGSL_END_TOKEN == static_cast<int>(loop::Ending::end) &&
              GGSL_END_CHAIN == static_cast<int>(loop::Ending::chain));

// What the callback returns.
bool step(ggsl_loop & loop, ggsl_loop_callback callback, void * user) {
    if (loop.is_stepping) {
        refuse(code::invalid_argument, "the loop takes a step already: its callback cannot begin another one");
    }
    struct Stepping {
        bool & is_stepping;
        ~Stepping() { is_stepping = false; }
    } const stepping{ loop.is_stepping = true };
    const std::vector<loop::Record>      records = loop.texts.step();
    std::vector<ggsl_loop_token>         tokens;
    std::vector<const ggsl_loop_token *> pointers;
    for (const loop::Record & record : records) {
        tokens.push_back(token_of(record));
    }
    for (const ggsl_loop_token & token : tokens) {
        pointers.push_back(&token);
    }
    return callback(pointers.data(), pointers.size(), user);
}

void check_step(const ggsl_loop * loop, ggsl_loop_callback callback) {
    check_pointer(loop, "loop");
    check_pointer(reinterpret_cast<const void *>(callback), "callback");
}

// Sets something of a text.
template <typename Set> bool setting(ggsl_loop * loop, int64_t id, const Set & set) {
    return guarded(false, [&] {
        set(sequence_of(loop, id));
        return true;
    });
}

} // namespace

bool ggsl_loop_defaults(ggsl_loop_options * options) {
    return guarded(false, [&] {
        check_pointer(options, "options");
        fill(options, standard_options());
        return true;
    });
}

ggsl_loop * ggsl_loop_init(const llama_model * model, const ggsl_loop_options * options) {
    return guarded<ggsl_loop *>(nullptr, [&] {
        check_pointer(model, "model");
        check_llama();
        const ggsl_loop_options given =
            options == nullptr ? standard_options() : read_struct(*options, standard_options());
        // it is only read, though llama.cpp's functions take pointers that are not const
        return new ggsl_loop(std::make_shared<ggsl::Model>(const_cast<llama_model *>(model)), to_options(given));
    });
}

void ggsl_loop_free(ggsl_loop * loop) {
    delete loop;
}

int64_t ggsl_loop_add(ggsl_loop * loop, const ggsl_loop_text * text) {
    return guarded<int64_t>(0, [&] {
        check_pointer(loop, "loop");
        check_pointer(text, "text");
        const ggsl_loop_text given = read_struct(*text, {});
        check_pointer(given.chain, "chain");
        const auto prompt = span_of(given.prompt, given.prompt_count, "prompt");
        check_tokens(prompt, loop->texts.model()->vocab_size());
        loop::OpenChain open = loop->chains.open(given.chain->spec);
        return loop->texts.add({ .chain      = std::move(open.chain),
                                 .graph      = std::move(open.graph),
                                 .prompt     = { prompt.begin(), prompt.end() },
                                 .max_tokens = given.max_tokens,
                                 .stops      = stops_of(given),
                                 .user       = given.user });
    });
}

bool ggsl_loop_set(ggsl_loop * loop, int64_t id, const char * param, double value) {
    return setting(loop, id, [&](Sequence & sequence) {
        sequence.set_param(param_that_takes(sequence.spec(), param, value), value);
    });
}

bool ggsl_loop_get(const ggsl_loop * loop, int64_t id, const char * param, double * value) {
    return guarded(false, [&] {
        const Sequence & sequence = sequence_of(const_cast<ggsl_loop *>(loop), id);
        check_pointer(value, "value");
        *value = sequence.param(param_index(sequence.spec(), param));
        return true;
    });
}

bool ggsl_loop_set_tokens(ggsl_loop * loop, int64_t id, const char * set, const int32_t * tokens, size_t count) {
    return setting(loop, id, [&](Sequence & sequence) { set_tokens(sequence, set, tokens, count); });
}

bool ggsl_loop_set_grammar(ggsl_loop * loop, int64_t id, const char * grammar, const char * gbnf, size_t length) {
    return setting(loop, id, [&](Sequence & sequence) { set_grammar(sequence, grammar, gbnf, length); });
}

bool ggsl_loop_set_input(ggsl_loop * loop, int64_t id, const char * input, const float * values, size_t count) {
    return setting(loop, id, [&](Sequence & sequence) { set_input(sequence, input, values, count); });
}

bool ggsl_loop_set_pairs(ggsl_loop * loop, int64_t id, const char * input, const int32_t * tokens, const float * values,
                         size_t count) {
    return setting(loop, id, [&](Sequence & sequence) { set_pairs(sequence, input, tokens, values, count); });
}

bool ggsl_loop_set_text(ggsl_loop * loop, int64_t id, const char * text, const int32_t * tokens, size_t count) {
    return setting(loop, id, [&](Sequence & sequence) { set_text(sequence, text, tokens, count); });
}

bool ggsl_loop_set_bias(ggsl_loop * loop, int64_t id, const int32_t * tokens, const float * values, size_t count) {
    return setting(loop, id, [&](Sequence & sequence) { set_bias(sequence, tokens, values, count); });
}

bool ggsl_loop_is_ready(ggsl_loop * loop, int64_t id) {
    return setting(loop, id, [&](const Sequence & sequence) {
        sequence.uniforms();
        sequence.inputs();
    });
}

bool ggsl_loop_cancel(ggsl_loop * loop, int64_t id) {
    return guarded(false, [&] {
        check_pointer(loop, "loop");
        loop->texts.cancel(id);
        return true;
    });
}

size_t ggsl_loop_count(const ggsl_loop * loop) {
    return guarded<size_t>(0, [&] {
        check_pointer(loop, "loop");
        return loop->texts.left();
    });
}

bool ggsl_loop_step(ggsl_loop * loop, ggsl_loop_callback callback, void * user) {
    return guarded(false, [&] {
        check_step(loop, callback);
        step(*loop, callback, user);
        return true;
    });
}

bool ggsl_loop_run(ggsl_loop * loop, ggsl_loop_callback callback, void * user) {
    return guarded(false, [&] {
        check_step(loop, callback);
        while (loop->texts.left() > 0 && step(*loop, callback, user)) {}
        return true;
    });
}

bool ggsl_loop_get_stats(const ggsl_loop * loop, ggsl_loop_stats * stats) {
    return guarded(false, [&] {
        check_pointer(loop, "loop");
        check_pointer(stats, "stats");
        const loop::LoopStats found = loop->texts.stats();
        const auto            count = [](auto number) { return static_cast<uint64_t>(number); };
        fill(stats, { 0, count(found.waiting), count(found.writing), count(found.tokens), count(found.prompt_tokens),
                      count(found.computed_tokens), count(found.decodes), count(found.context.counters.graph_builds),
                      count(found.context.cache_bytes) });
        return true;
    });
}
