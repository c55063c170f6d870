#include "loop/loop.h"

#include "llama/facts.generated.h"
#include "loop/prompts.h"

#include <algorithm>

namespace ggsl::loop {

namespace {

int32_t text_size_of(const Model & model, const LoopOptions & options) {
    const int32_t size = options.text_size > 0 ? options.text_size : llama_model_n_ctx_train(model.get());
    if (int64_t{ size } * options.context.sequences > facts::max_context) {
        fail(code::limit_exceeded,
             "%d places of %d tokens need a context of %lld tokens, and the maximum is %d: set a smaller context size",
             options.context.sequences, size, static_cast<long long>(int64_t{ size } * options.context.sequences),
             facts::max_context);
    }
    return size;
}

ContextOptions context_options(const LoopOptions & options, int32_t text_size) {
    ContextOptions made = options.context;
    made.context_size   = text_size * made.sequences;
    return made;
}

} // namespace

Loop::Loop(const std::shared_ptr<Model> & model, const LoopOptions & options)
    : loaded(model), most_tokens(text_size_of(*model, options)),
      piece(static_cast<size_t>(std::max(options.context.batch_size, 1))),
      context(model, context_options(options, most_tokens)), places(context, options.context.sequences) {}

int64_t Loop::add(Request request) {
    if (request.prompt.empty()) {
        fail(code::invalid_argument, "the prompt is empty: a text begins with a token at least");
    }
    if (request.prompt.size() >= static_cast<size_t>(most_tokens)) {
        fail(code::context_full,
             "the prompt has %zu tokens, and a text has at most %d with its prompt: shorten it or set a larger context "
             "size",
             request.prompt.size(), most_tokens);
    }
    auto job = std::make_shared<Job>(latest + 1, std::move(request));
    jobs.emplace(job->id, job);
    queue.push_back(job);
    const std::lock_guard guard(lock);
    known.insert(job->id);
    return ++latest;
}

Text & Loop::text(int64_t id) {
    const auto found = jobs.find(id);
    if (found == jobs.end()) {
        fail(code::invalid_argument, "no text %lld is waiting or being written", static_cast<long long>(id));
    }
    return *found->second->text;
}

void Loop::cancel(int64_t id) {
    const std::lock_guard guard(lock);
    if (known.count(id) == 0) {
        fail(code::invalid_argument, "no text %lld is waiting or being written", static_cast<long long>(id));
    }
    cancelled.push_back(id);
}

void Loop::forget(int64_t id) {
    jobs.erase(id);
    const std::lock_guard guard(lock);
    known.erase(id);
}

std::vector<Record> Loop::step() {
    std::vector<Record> records;
    take_cancelled(records);
    fill_places(records);
    if (queue.empty()) {
        places.close_gaps();
    }
    read_prompts(records);
    begin_lines();
    write_tokens(records);
    return records;
}

void Loop::take_cancelled(std::vector<Record> & records) {
    std::vector<int64_t> ids;
    {
        const std::lock_guard guard(lock);
        ids.swap(cancelled);
    }
    for (const int64_t id : ids) {
        const auto found = jobs.find(id);
        if (found == jobs.end()) {
            continue; // it has ended since, or was cancelled twice
        }
        const std::shared_ptr<Job> job = found->second;
        std::erase(queue, job);
        for (Place & place : places.all()) {
            if (place.job == job) {
                places.release(place);
            }
        }
        job->finish(Ending::cancelled, std::nullopt, records);
        forget(id);
    }
}

void Loop::fill_places(std::vector<Record> & records) {
    while (!queue.empty() && places.has_free()) {
        const std::shared_ptr<Job> job = std::move(queue.front());
        queue.pop_front();
        try {
            places.take(job);
            counted.prompt_tokens += static_cast<int64_t>(job->request.prompt.size());
        } catch (const Failure & failure) {
            job->finish(Ending::error, failure, records);
            forget(job->id);
        }
    }
}

// In a batch of their own: the graph of a token of each text stays as it is.
void Loop::read_prompts(std::vector<Record> & records) {
    Batch batch;
    add_prompts(batch, places, piece);
    std::vector<ggsl::Output> none;
    if (!batch.tokens.empty() && decode(batch, none, records)) {
        counted.computed_tokens += static_cast<int64_t>(batch.tokens.size());
    }
}

// The last token of a prompt is like one that was picked.
void Loop::begin_lines() {
    for (Place & place : places.all()) {
        if (place.job == nullptr || place.line || !place.has_begun ||
            place.tokens.size() < place.job->beginning().size()) {
            continue;
        }
        const Request & request = place.job->request;
        const auto      room    = static_cast<size_t>(most_tokens) - request.prompt.size();
        const size_t    most    = request.max_tokens == 0 ? room : std::min(room, request.max_tokens);
        place.line.emplace(context, *loaded, Ahead{ place.sequence, most - 1, place.job->text },
                           static_cast<size_t>(place.job->id));
        place.line->begin_with(request.prompt.back(), static_cast<int32_t>(request.prompt.size()) - 1);
        ++counted.computed_tokens;
    }
}

void Loop::write_tokens(std::vector<Record> & records) {
    Batch                batch;
    std::vector<Written> found;
    for (Place & place : places.all()) {
        if (!place.line) {
            continue;
        }
        try {
            found.clear();
            place.line->add_to(batch, context.sampler(place.sequence), found);
            give(place, found, records);
        } catch (const Failure & failure) {
            finish(place, Ending::error, failure, records);
        }
    }
    std::vector<ggsl::Output> outputs;
    if (batch.tokens.empty() || !decode(batch, outputs, records)) {
        return;
    }
    for (const ggsl::Output & output : outputs) {
        Place & place = places.all()[static_cast<size_t>(output.sequence)];
        found.clear();
        place.line->take(output.results, found);
        give(place, found, records);
    }
}

// Where it fails, the texts of the batch are over.
bool Loop::decode(const Batch & batch, std::vector<ggsl::Output> & outputs, std::vector<Record> & records) {
    try {
        outputs = context.decode(batch);
        ++counted.decodes;
        for (size_t i = 0; i < batch.tokens.size(); ++i) {
            places.all()[static_cast<size_t>(batch.sequences[i])].tokens.push_back(batch.tokens[i]);
        }
        return true;
    } catch (const Failure & failure) {
        for (const int32_t sequence : batch.sequences) {
            Place & place = places.all()[static_cast<size_t>(sequence)];
            if (place.job != nullptr) {
                places.cut(place, 0);
                finish(place, Ending::error, failure, records);
            }
        }
        return false;
    }
}

Ending Loop::ending_of(const Place & place) const {
    const Request & request = place.job->request;
    switch (place.line->end()) {
        case Line::End::none:    return Ending::none;
        case Line::End::token:   return Ending::end;
        case Line::End::stop:    return Ending::stop;
        case Line::End::chain:   return Ending::chain;
        case Line::End::context: return Ending::context;
        case Line::End::count:
            return request.max_tokens > 0 &&
                           request.prompt.size() + request.max_tokens <= static_cast<size_t>(most_tokens)
                       ? Ending::max_tokens
                       : Ending::context;
        default: return Ending::error;
    }
}

// What was written of a text.
void Loop::give(Place & place, const std::vector<Written> & found, std::vector<Record> & records) {
    const Ending               ending = ending_of(place);
    const std::shared_ptr<Job> job    = place.job;
    for (const Written & written : found) {
        const bool is_last = &written == &found.back() && ending != Ending::error;
        job->push(written, is_last ? ending : Ending::none, records);
        ++counted.tokens;
    }
    if (ending == Ending::error) {
        const Failure none(code::no_candidate, "the chain picked no token");
        finish(place, ending, place.line->failure() ? place.line->failure() : none, records);
    } else if (ending != Ending::none) {
        places.release(place);
        forget(job->id);
    }
}

void Loop::finish(Place & place, Ending ending, std::optional<Failure> failure, std::vector<Record> & records) {
    const std::shared_ptr<Job> job = place.job;
    places.release(place);
    job->finish(ending, std::move(failure), records);
    forget(job->id);
}

LoopStats Loop::stats() const {
    LoopStats now = counted;
    now.waiting   = queue.size();
    now.writing   = jobs.size() - queue.size();
    now.context   = context.stats();
    return now;
}

} // namespace ggsl::loop
