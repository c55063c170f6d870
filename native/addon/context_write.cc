// ContextObject::write: texts that go on by themselves.
#include "outputs.h"
#include "text_object.h"
#include "untold.h"

namespace ggsl::addon {

namespace {

// The texts that `write` goes on with: an array of each fact.
std::vector<Ahead> to_texts(const Napi::Value & value) {
    const Napi::Object given     = to_object(value, "ahead");
    const auto         sequences = to_vector<int32_t>(given.Get("sequences"), "sequences");
    const auto         count     = sequences.size();
    const auto         numbers   = [&](const char * name, int32_t otherwise) {
        const Napi::Value list = given.Get(name);
        auto values = list.IsUndefined() ? std::vector<int32_t>(count, otherwise) : to_vector<int32_t>(list, name);
        if (values.size() != count) {
            fail(code::invalid_argument, "%s: expected %zu numbers, found %zu", name, count, values.size());
        }
        return values;
    };
    const auto most      = to_vector<int32_t>(given.Get("most"), "most");
    const auto room      = numbers("room", 0);
    const auto last      = numbers("last", -1);
    const auto positions = numbers("positions", -1);
    if (!given.Get("texts").IsArray()) {
        fail(code::invalid_argument, "texts: expected an array of Texts");
    }
    const auto list = given.Get("texts").As<Napi::Array>();
    if (most.size() != count || list.Length() != count) {
        fail(code::invalid_argument, "sequences, most and texts have different lengths");
    }
    std::vector<Ahead> texts;
    for (size_t i = 0; i < count; ++i) {
        if (most[i] < 0 || room[i] < 0 || (last[i] >= 0 && positions[i] < 0)) {
            fail(code::invalid_argument, "text %zu has %d tokens, room for %d, and its last token at %d", i, most[i],
                 room[i], positions[i]);
        }
        texts.push_back({ sequences[i], static_cast<size_t>(most[i]),
                          TextObject::from(list.Get(static_cast<uint32_t>(i))), static_cast<size_t>(room[i]), last[i],
                          positions[i] });
    }
    return texts;
}

// How long a token may wait for others; 0: each batch is told at once.
std::chrono::milliseconds delay_of(const Napi::Value & ahead) {
    const int32_t delay = optional_int(to_object(ahead, "ahead"), "delay", 0);
    if (delay < 0) {
        fail(code::invalid_argument, "delay: expected milliseconds from 0 on, found %d", delay);
    }
    return std::chrono::milliseconds(delay);
}

// The tokens that no text has more of without being allowed to.
size_t most_of(const std::vector<Ahead> & texts) {
    size_t most = 0;
    for (const Ahead & text : texts) {
        most = std::max(most, text.most);
    }
    return most;
}

// Who reads half of what a text may have lets it go on before it has all of it.
Untold untold_of(const std::vector<Ahead> & texts, std::chrono::milliseconds delay) {
    const size_t most = most_of(texts);
    const bool   has_room =
        std::any_of(texts.begin(), texts.end(), [](const Ahead & text) { return text.room > text.most; });
    return { delay, std::max<size_t>(1, most / 2), has_room ? 0 : most + 1 };
}

// Something that a running task tells.
class Report : public Task {
public:
    explicit Report(std::function<void(Napi::Env)> tell) : tell(std::move(tell)) {}

    void work() noexcept override {}
    void settle(Napi::Env env) noexcept override {
        try {
            tell(env);
        } catch (const Napi::Error &) {} // the environment ends
    }
    bool is_last() const override { return false; }

private:
    std::function<void(Napi::Env)> tell;
};

} // namespace

Napi::Value ContextObject::write(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return promised(env, [&] {
        Batch              batch = to_batch(info[0]);
        std::vector<Ahead> texts = to_texts(info[1]);
        if (!info[2].IsFunction()) {
            fail(code::invalid_argument, "onTokens: expected a function");
        }
        const auto delay  = delay_of(info[1]);
        Worker &   thread = begin(env);
        on_tokens         = Napi::Persistent(info[2].As<Napi::Function>());
        Ref(); // until it is settled
        const auto receive = [this](Napi::Env on, const WrittenWords & tokens, const ContextStats & stats) {
            latest = stats;
            on_tokens.Call({ from_vector(on, tokens.words), Napi::String::New(on, tokens.text) });
        };
        auto task = std::make_unique<PromiseTask<std::vector<Output>>>(
            env,
            [target = context, batch = std::move(batch), texts = std::move(texts), report = thread.reporter(), delay,
             receive] {
                Untold     untold = untold_of(texts, delay);
                const auto tell   = [&] {
                    report(std::make_unique<Report>([receive, words = untold.take(), stats = target->stats()](
                                                        Napi::Env on) { receive(on, words, stats); }));
                };
                const auto tell_rest = [&] {
                    if (!untold.is_empty()) {
                        tell();
                    }
                };
                try {
                    auto others = target->write(batch, texts, [&](const std::vector<Written> & tokens) {
                        if (untold.add(tokens)) {
                            tell();
                        }
                    });
                    tell_rest();
                    return others;
                } catch (...) {
                    tell_rest();
                    throw;
                }
            },
            [](Napi::Env on, std::vector<Output> && others) { return from_outputs(on, others); },
            [this, flag = busy] {
                *flag = false;
                on_tokens.Reset();
                Unref();
            });
        const Napi::Promise promise = task->promise();
        thread.run(env, std::move(task));
        return promise;
    });
}

} // namespace ggsl::addon
