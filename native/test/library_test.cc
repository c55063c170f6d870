// Drives libggsl through its C interface alone, with a real model:
//   ggsl_library_test generate LIBRARIES MODEL SPEC graph|host COUNT [NAME=VALUE...]   prints the text's tokens and states as JSON
//   ggsl_library_test errors   LIBRARIES MODEL SPEC TAIL_SPEC TOKEN_SPEC WORD_SPEC          checks error texts
//   ggsl_library_test threads  LIBRARIES MODEL SPEC...                                 one sampler for each of 8 threads
//   ggsl_library_test specs    LIBRARIES MODEL                                         loads specs from stdin, each ended by a zero byte
//   ggsl_library_test refused  LIBRARIES MODEL SPEC PLUGIN HOST:PORT                   a text on a worker, which cannot run the chain
#include "check.h"
#include "include/ggsl.h"
#include "library.h"

#include <ggml-backend.h>
#include <ggml-rpc.h>
#include <llama.h>

#include <cstring>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <thread>

using namespace ggsl::test;

namespace {

struct Text {
    std::vector<llama_token> tokens;
    std::string              saved;
    int                      in_graph = 0; // tokens that were picked there
    std::vector<double>      states, measures;
    std::vector<std::string> stops; // of each token; empty: none
    int64_t                  disallowed = 0;
};

// Generates a text of "In the beginning". `own` is a sampler of `chain`, which `generate` owns.
Text generate(llama_model * model, const ggsl_chain * chain, llama_sampler * own, bool is_in_graph, int count) {
    SamplerPtr samplers(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    llama_sampler_chain_add(samplers.get(), own);
    llama_sampler_seq_config config{ 0, samplers.get() };
    llama_context_params     params = llama_context_default_params();
    params.n_ctx                    = 256;
    params.n_threads = params.n_threads_batch = 1;
    params.type_k = params.type_v = GGML_TYPE_F32;
    params.flash_attn_type        = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    if (is_in_graph) {
        params.samplers   = &config;
        params.n_samplers = 1;
    }
    const ContextPtr context(llama_init_from_model(model, params));
    CHECK(context, "no context");

    const char               prompt[] = "In the beginning";
    std::vector<llama_token> tokens(64);
    const int32_t            length =
        llama_tokenize(llama_model_get_vocab(model), prompt, static_cast<int32_t>(std::strlen(prompt)), tokens.data(),
                       static_cast<int32_t>(tokens.size()), true, false);
    tokens.resize(static_cast<size_t>(length));
    CHECK(ggsl_sampler_accept_prompt(own, tokens.data(), tokens.size()), "%s", ggsl_error());
    CHECK(ggsl_sampler_is_ready(own), "%s: %s", ggsl_error_code(), ggsl_error());

    Text text;
    for (int i = 0; i < count; ++i) {
        CHECK(llama_decode(context.get(), llama_batch_get_one(tokens.data(), static_cast<int32_t>(tokens.size()))) == 0,
              "decode");
        const bool is_picked = llama_get_sampled_token_ith(context.get(), -1) != LLAMA_TOKEN_NULL;
        tokens               = { llama_sampler_sample(samplers.get(), context.get(), -1) };
        CHECK(ggsl_sampler_fault(own) == nullptr, "%s", ggsl_sampler_fault(own));
        CHECK(ggsl_sampler_is_in_graph(own) == is_picked, "is_in_graph");
        text.in_graph += is_picked;
        text.tokens.push_back(tokens[0]);
        const char * const stop = ggsl_sampler_stop(own);
        text.stops.push_back(stop == nullptr ? "\"\"" : '"' + std::string(stop) + '"');
    }
    if (is_in_graph && text.in_graph == 0) {
        CHECK(ggsl_sampler_refusal(own) != nullptr, "no reason");
        std::fprintf(stderr, "on the host: %s\n", ggsl_sampler_refusal(own));
    }
    text.saved.resize(ggsl_sampler_save(own, nullptr, 0) + 1);
    if (text.saved.size() > 1) {
        ggsl_sampler_save(own, text.saved.data(), text.saved.size());
    }
    text.saved.pop_back();
    const auto read = [&](ggsl_kind kind, auto get, std::vector<double> & into) {
        for (size_t i = 0; i < ggsl_chain_count(chain, kind); ++i) {
            ggsl_part part{};
            part.size = sizeof(part);
            double value;
            CHECK(ggsl_chain_part(chain, kind, i, &part) && get(own, part.name, &value), "%s", ggsl_error());
            into.push_back(value);
        }
    };
    read(GGSL_STATE, ggsl_sampler_state, text.states);
    read(GGSL_MEASURE, ggsl_sampler_measure, text.measures);
    text.disallowed = ggsl_sampler_disallowed(own);
    return text;
}

template <typename List> std::string list_of(const List & list) {
    std::ostringstream text;
    text.precision(17);
    for (const auto & each : list) {
        text << (text.tellp() == 0 ? "" : ",") << each;
    }
    return "[" + text.str() + "]";
}

void run_generate(char ** arguments, int count) {
    const ModelPtr  model = load_model(arguments[1]);
    const ChainPtr  chain = load_chain(read_file(arguments[2]));
    llama_sampler * own   = ggsl_sampler_init(chain.get(), model.get());
    CHECK(own != nullptr, "%s: %s", ggsl_error_code(), ggsl_error());
    for (int i = 5; i < count; ++i) {
        char * const value = std::strchr(arguments[i], '=');
        *value             = '\0';
        CHECK(ggsl_sampler_set(own, arguments[i], std::atof(value + 1)), "%s", ggsl_error());
    }
    const Text text =
        generate(model.get(), chain.get(), own, std::strcmp(arguments[3], "graph") == 0, std::atoi(arguments[4]));
    std::printf(
        "{\"tokens\":%s,\"inGraph\":%d,\"states\":%s,\"measures\":%s,\"stops\":%s,\"disallowed\":%lld,\"saved\":%s}\n",
        list_of(text.tokens).c_str(), text.in_graph, list_of(text.states).c_str(), list_of(text.measures).c_str(),
        list_of(text.stops).c_str(), static_cast<long long>(text.disallowed),
        text.saved.empty() ? "null" : text.saved.c_str());
}

// The call must fail with this code and a text with this part.
void check_error(bool is_done, const char * code, const char * part) {
    CHECK(!is_done, "nothing failed; expected %s with \"%s\"", code, part);
    CHECK(std::strcmp(ggsl_error_code(), code) == 0 && std::strstr(ggsl_error(), part) != nullptr,
          "expected %s with \"%s\", found %s: %s", code, part, ggsl_error_code(), ggsl_error());
}

bool loads(const std::string & json) {
    return ChainPtr(ggsl_chain_load(json.data(), json.size())) != nullptr;
}

std::string replaced(std::string text, const std::string & what, const std::string & by) {
    const size_t at = text.find(what);
    CHECK(at != std::string::npos, "no %s", what.c_str());
    return text.replace(at, what.size(), by);
}

void run_errors(char ** arguments) {
    const ModelPtr    model = load_model(arguments[1]);
    const std::string json  = read_file(arguments[2]);
    const ChainPtr    chain = load_chain(json);
    CHECK(ggsl_abi_version() == GGSL_ABI_VERSION, "the version");
    check_error(loads("{"), "INVALID_SPEC", "not JSON");
    check_error(loads("[]"), "INVALID_SPEC", "spec: expected an object, found a list");
    check_error(loads(replaced(json, "\"ggsl\": 2", "\"ggsl\": 4")), "WRONG_VERSION", "version 4");
    check_error(loads(replaced(json, "\"ggsl\": 2", "\"ggsl\": 2, \"extra\": 1")), "INVALID_SPEC",
                "unknown member \"extra\"");
    check_error(ggsl_chain_load(nullptr, 1) != nullptr, "INVALID_ARGUMENT", "json is NULL");
    check_error(ggsl_sampler_init(chain.get(), nullptr) != nullptr, "INVALID_ARGUMENT", "model is NULL");

    const SamplerPtr own(ggsl_sampler_init(chain.get(), model.get()));
    double           value;
    check_error(ggsl_sampler_set(own.get(), "nothing", 1), "INVALID_ARGUMENT", "no parameter \"nothing\": it has `t`");
    check_error(ggsl_sampler_set(own.get(), "t", -1), "INVALID_ARGUMENT", "`t` must be >= 0.1, found -1");
    check_error(ggsl_sampler_set(nullptr, "t", 1), "INVALID_ARGUMENT", "found NULL");
    check_error(ggsl_sampler_state(own.get(), "nothing", &value), "INVALID_ARGUMENT", "no state");
    check_error(ggsl_sampler_set_bias(own.get(), nullptr, nullptr, 0), "INVALID_ARGUMENT", "reads no logit biases");
    const int32_t stray = 1 << 30;
    check_error(ggsl_sampler_accept_prompt(own.get(), &stray, 1), "INVALID_ARGUMENT", "is not a token");
    check_error(ggsl_sampler_restore(own.get(), "{}", 2), "INVALID_ARGUMENT", "saved sequence");
    const SamplerPtr other(llama_sampler_init_greedy());
    check_error(ggsl_sampler_set(other.get(), "t", 1), "INVALID_ARGUMENT", "another one, called greedy");

    // the error of another thread is its own
    std::thread([] { CHECK(std::strcmp(ggsl_error(), "") == 0, "%s", ggsl_error()); }).join();

    ggsl_cost cost{};
    check_error(ggsl_chain_cost(chain.get(), 100, &cost), "INVALID_ARGUMENT", "`size`");
    cost.size = offsetof(ggsl_cost, work); // an older program
    cost.work = 7;
    CHECK(ggsl_chain_cost(chain.get(), 100, &cost) && cost.nodes > 0 && cost.work == 7, "the cost");

    // NaN logits: a fault and a token, not the end of the process
    llama_token_data       rows[] = { { 0, NAN, 0 }, { 1, 0, 0 } };
    llama_token_data_array array{ rows, 2, -1, false };
    llama_sampler_apply(own.get(), &array);
    CHECK(array.selected >= 0 && std::strstr(ggsl_sampler_fault(own.get()), "NaN") != nullptr, "NaN");
    llama_sampler_reset(own.get());
    CHECK(ggsl_sampler_fault(own.get()) == nullptr, "reset");

    // made for a larger vocabulary, and for one with other tokens
    const auto fits = [&](const char * path) {
        return SamplerPtr(ggsl_sampler_init(load_chain(read_file(path)).get(), model.get())) != nullptr;
    };
    check_error(fits(arguments[4]), "INVALID_ARGUMENT", "5000 is not a token of a vocabulary of 2048");
    check_error(fits(arguments[5]), "INVALID_ARGUMENT", "\"zyx\" is not one token of the vocabulary");

    // a host tail cannot be in the graph, and says so
    const ChainPtr tail = load_chain(read_file(arguments[3]));
    const Text     text = generate(model.get(), tail.get(), ggsl_sampler_init(tail.get(), model.get()), true, 8);
    CHECK(text.in_graph == 0 && text.tokens.size() == 8, "the host tail");
    std::puts("all errors are as expected");
}

void run_threads(char ** arguments, int count) {
    const ModelPtr           model = load_model(arguments[1]);
    std::vector<std::thread> threads;
    std::vector<ChainPtr>    chains;
    std::vector<Text>        texts(8);
    for (int i = 2; i < count; ++i) {
        chains.push_back(load_chain(read_file(arguments[i])));
    }
    for (size_t i = 0; i < texts.size(); ++i) {
        threads.emplace_back([&, i] {
            const ggsl_chain * chain = chains[i / 2 % chains.size()].get();
            texts[i] = generate(model.get(), chain, ggsl_sampler_init(chain, model.get()), i % 2 == 0, 12);
            check_error(loads("{}"), "INVALID_SPEC", "spec");
        });
    }
    for (std::thread & thread : threads) {
        thread.join();
    }
    for (size_t i = 0; i < texts.size(); i += 2) { // the same chain and seed in the graph and on the host
        CHECK(texts[i].tokens == texts[i + 1].tokens, "threads %zu and %zu differ", i, i + 1);
    }
    std::puts("all threads agree");
}

// Damaged specs: any may be refused; what is loaded runs on two tokens.
void run_specs(char ** arguments) {
    const ModelPtr model = load_model(arguments[1]);
    const int32_t  size  = llama_vocab_n_tokens(llama_model_get_vocab(model.get()));
    std::string    spec;
    size_t         count = 0, loaded = 0, picked = 0;
    while (std::getline(std::cin, spec, '\0')) {
        ++count;
        const ChainPtr chain(ggsl_chain_load(spec.data(), spec.size()));
        if (!chain) {
            CHECK(*ggsl_error_code() != '\0' && *ggsl_error() != '\0' &&
                      std::strcmp(ggsl_error_code(), "INTERNAL") != 0,
                  "%s", ggsl_error());
            continue;
        }
        ++loaded;
        const SamplerPtr own(ggsl_sampler_init(chain.get(), model.get()));
        if (!own) {
            continue;
        }
        for (int step = 0; step < 2; ++step) {
            std::vector<llama_token_data> rows;
            for (int32_t token = 0; token < size; ++token) {
                rows.push_back({ token, static_cast<float>((token * 7919 + step) % 1009) / 100.0f, 0 });
            }
            llama_token_data_array array{ rows.data(), rows.size(), -1, false };
            llama_sampler_apply(own.get(), &array);
            llama_sampler_accept(own.get(), array.selected >= 0 ? array.data[array.selected].id : 0);
        }
        picked += ggsl_sampler_fault(own.get()) == nullptr;
        std::string saved(ggsl_sampler_save(own.get(), nullptr, 0) + 1, '\0');
        if (saved.size() > 1) {
            ggsl_sampler_save(own.get(), saved.data(), saved.size());
            CHECK(ggsl_sampler_restore(own.get(), saved.data(), saved.size() - 1), "%s", ggsl_error());
        }
    }
    std::printf("{\"specs\":%zu,\"loaded\":%zu,\"ran\":%zu}\n", count, loaded, picked);
}

// A device of llama.cpp that the library knows nothing of: it is not asked for what some device lacks.
void run_refused(char ** arguments) {
    ggml_backend_reg_t rpc = ggml_backend_load(arguments[3]);
    CHECK(rpc != nullptr, "cannot load %s", arguments[3]);
    const auto add = reinterpret_cast<decltype(&ggml_backend_rpc_add_server)>(
        ggml_backend_reg_get_proc_address(rpc, "ggml_backend_rpc_add_server"));
    ggml_backend_reg_t worker = add(arguments[4]);
    CHECK(worker != nullptr && ggml_backend_reg_dev_count(worker) == 1, "no device at %s", arguments[4]);
    ggml_backend_register(worker);
    const ChainPtr chain = load_chain(read_file(arguments[2]));
    const auto     text  = [&](ggml_backend_dev_t device, bool is_in_graph) {
        const ModelPtr model = load_model(arguments[1], device);
        return generate(model.get(), chain.get(), ggsl_sampler_init(chain.get(), model.get()), is_in_graph, 12);
    };
    const Text there = text(ggml_backend_reg_dev_get(worker, 0), true), here = text(nullptr, true);
    CHECK(there.in_graph == 0 && here.in_graph == 12, "%d and %d tokens in the graph", there.in_graph, here.in_graph);
    CHECK(there.tokens == here.tokens, "other tokens on the host");
    std::puts("the same text");
}

} // namespace

int main(int count, char ** arguments) {
    CHECK(count >= 4, "see the top of this file");
    llama_log_set([](ggml_log_level, const char *, void *) {}, nullptr);
    ggml_backend_load_all_from_path(arguments[2]);
    const std::string mode = arguments[1];
    if (mode == "generate") {
        run_generate(arguments + 2, count - 2);
    } else if (mode == "errors") {
        run_errors(arguments + 2);
    } else if (mode == "threads") {
        run_threads(arguments + 2, count - 2);
    } else if (mode == "refused") {
        run_refused(arguments + 2);
    } else {
        run_specs(arguments + 2);
    }
    return 0;
}
