// Drives loops of libggsl through its C interface alone, with a real model:
//   ggsl_loop_test texts   LIBRARIES MODEL PLACES SPEC...   texts of a loop are those of samplers; prints how they ended
//   ggsl_loop_test errors  LIBRARIES MODEL SPEC GRAMMAR_SPEC INPUT_SPEC TAIL_SPEC GUIDE_SPEC LOGITS_SPEC
//   ggsl_loop_test soak    LIBRARIES MODEL PLACES TEXTS SPEC...   many texts, bad calls, ends at random, by other threads too
//   ggsl_loop_test ends    the same, of a model that rounds: what it writes depends on the batch
#include "loop_texts.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

namespace ggsl::test {

namespace {

void run_texts(char ** arguments, int count) {
    const ModelPtr        model  = load_model(arguments[1]);
    const int32_t         places = std::atoi(arguments[2]);
    std::vector<ChainPtr> chains;
    for (int i = 3; i < count; ++i) {
        chains.push_back(load_chain(read_file(arguments[i])));
    }
    std::vector<Alone> alone;
    for (size_t i = 0; i < 6 * chains.size(); ++i) {
        alone.push_back(write_alone(model.get(), wanted_text(model.get(), chains, i)));
    }
    const auto write = [&](const char * what, const std::function<void(ggsl_loop_options &)> & change) {
        const LoopPtr loop = open_loop(model.get(), places, change);
        CHECK(loop, "%s: %s", ggsl_error_code(), ggsl_error());
        Texts                texts;
        std::vector<int64_t> ids;
        const size_t         total = alone.size();
        const auto           more  = [&](size_t most) {
            while (ids.size() < std::min(total, most)) {
                const Wanted wanted = wanted_text(model.get(), chains, ids.size());
                ids.push_back(add(loop.get(), wanted.chain, wanted.prompt, wanted.count, wanted.seed));
            }
        };
        more(total / 2);
        texts.on_token = [&](const ggsl_loop_token & token) { // from the callback, one by one
            more(token.end == GGSL_END_NONE ? 0 : ids.size() + 1);
            return true;
        };
        texts.run(loop.get());
        CHECK(ids.size() == total && texts.by_id.size() == total, "%zu of %zu texts", texts.by_id.size(), total);
        int64_t forced = 0, tokens = 0;
        for (size_t i = 0; i < total; ++i) {
            const Text & text = texts.by_id.at(ids[i]);
            check_text(model.get(), alone[i], text, i);
            forced += text.forced;
            tokens += static_cast<int64_t>(text.tokens.size());
        }
        ggsl_loop_stats stats{};
        stats.size = sizeof(stats);
        CHECK(ggsl_loop_get_stats(loop.get(), &stats) && ggsl_loop_count(loop.get()) == 0, "%s", ggsl_error());
        CHECK(stats.waiting == 0 && stats.writing == 0 && stats.tokens == static_cast<uint64_t>(tokens),
              "the statistics");
        std::printf("%s: %zu texts, %lld tokens, %lld forced, %llu of %llu prompt tokens computed\n", what, total,
                    static_cast<long long>(tokens), static_cast<long long>(forced),
                    static_cast<unsigned long long>(stats.computed_prompt_tokens),
                    static_cast<unsigned long long>(stats.prompt_tokens));
    };
    write("a cache each", {});
    write("one cache", [](ggsl_loop_options & options) { options.has_one_cache = true; });
    write("on the host", [](ggsl_loop_options & options) { options.is_on_host = true; });
    write("prompts in pieces", [](ggsl_loop_options & options) { options.batch_size = 5; });
}

// Each text ends once, in time; those that nobody ended or changed are what samplers write.
void run_soak(char ** arguments, int count, bool is_exact) {
    const ModelPtr        model = load_model(arguments[1]);
    const auto            total = static_cast<size_t>(std::atoi(arguments[3]));
    const LoopPtr         loop  = open_loop(model.get(), std::atoi(arguments[2]));
    std::vector<ChainPtr> chains;
    for (int i = 4; i < count; ++i) {
        chains.push_back(load_chain(read_file(arguments[i])));
    }
    std::mt19937 random(7);
    const auto   below = [&](size_t most) { return static_cast<size_t>(random() % most); };
    struct Asked {
        Wanted wanted;
        bool   is_left_alone = true;
    };
    std::map<int64_t, Asked> asked;
    std::atomic<int64_t>     latest    = 0;
    std::atomic<bool>        is_over   = false;
    std::atomic<int>         by_others = 0;
    const auto               more      = [&](size_t wanted_count) {
        for (; wanted_count > 0 && asked.size() < total; --wanted_count) {
            Wanted wanted    = wanted_text(model.get(), chains, asked.size());
            wanted.count     = 20 + below(181);
            const int64_t id = add(loop.get(), wanted.chain, wanted.prompt, wanted.count, wanted.seed);
            asked[id]        = { wanted };
            latest           = id;
        }
    };
    more(total / 2);
    std::atomic<int> steps = 0;
    std::thread      other([&] { // now and then ends a text, or asks for one that is not there
        std::mt19937 own(3);
        for (int next = 10; !is_over; next += 10) {
            while (steps < next && !is_over) {
                std::this_thread::yield();
            }
            by_others += ggsl_loop_cancel(loop.get(), static_cast<int64_t>(own() % static_cast<uint32_t>(latest + 20)));
        }
    });
    Texts            texts;
    int              bad = 0, pauses = 0;
    texts.on_step = [&] {
        ++steps;
        more(below(4));
        const auto     id       = static_cast<int64_t>(1 + below(asked.size()));
        ggsl_loop_text text     = text_of(nullptr, {}, 1);
        const bool     is_there = texts.by_id[id].end == GGSL_END_NONE;
        switch (below(12)) {
            case 0: bad += ggsl_loop_add(loop.get(), &text) == 0; break;
            case 1: bad += !ggsl_loop_set(loop.get(), id, "no such parameter", 1); break;
            case 2:
                if (is_there && has_part(asked.at(id).wanted.chain, GGSL_PARAM, "t")) {
                    CHECK(ggsl_loop_set(loop.get(), id, "t", 0.5), "%s", ggsl_error());
                    asked.at(id).is_left_alone = false;
                }
                break;
            case 3: bad += ggsl_loop_set_bias(nullptr, id, nullptr, nullptr, 0) ? 0 : 1; break;
            case 4:
                if (below(4) == 0) {
                    ggsl_loop_cancel(loop.get(), id);
                }
                break;
            default: break;
        }
    };
    texts.on_token = [&](const ggsl_loop_token &) { return below(500) != 0; };
    while (ggsl_loop_count(loop.get()) > 0 || asked.size() < total) {
        more(1);
        texts.run(loop.get());
        ++pauses;
    }
    is_over = true;
    other.join();
    size_t ends[GGSL_END_CHAIN + 1] = {}, checked = 0;
    for (const auto & [id, each] : asked) {
        const Text & text = texts.by_id.at(id);
        ++ends[text.end];
        CHECK(text.end != GGSL_END_NONE && text.end != GGSL_END_ERROR, "text %d: %s", static_cast<int>(id),
              text.message.c_str());
        CHECK(text.tokens.size() <= each.wanted.count, "too many tokens");
        if (is_exact && each.is_left_alone && text.end != GGSL_END_CANCELLED && checked < 24) {
            check_text(model.get(), write_alone(model.get(), each.wanted), text, static_cast<size_t>(id));
            ++checked;
        }
    }
    CHECK((checked > 0 || !is_exact) && ends[GGSL_END_CANCELLED] > 0 && bad > 0, "nothing was tried");
    std::printf(
        "%zu texts: %zu cancelled (%d by others), %zu with an end, %zu with all tokens; %d bad calls, %d pauses, %zu checked\n",
        total, ends[GGSL_END_CANCELLED], by_others.load(), ends[GGSL_END_TOKEN], ends[GGSL_END_MAX_TOKENS], bad, pauses,
        checked);
}

} // namespace

} // namespace ggsl::test

int main(int count, char ** arguments) {
    CHECK(count >= 5, "see the top of this file");
    llama_log_set([](ggml_log_level, const char *, void *) {}, nullptr);
    ggml_backend_load_all_from_path(arguments[2]);
    const std::string mode = arguments[1];
    if (mode == "texts") {
        ggsl::test::run_texts(arguments + 2, count - 2);
    } else if (mode == "errors") {
        ggsl::test::run_loop_errors(arguments + 2);
    } else {
        CHECK(mode == "soak" || mode == "ends", "no mode %s", arguments[1]);
        ggsl::test::run_soak(arguments + 2, count - 2, mode == "soak");
    }
    return 0;
}
