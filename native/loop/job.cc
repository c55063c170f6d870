#include "loop/job.h"

namespace ggsl::loop {

Job::Job(int64_t id, Request given)
    : id(id), request(std::move(given)), text(std::make_shared<Text>(*request.chain)), output(request.stops) {
    text->sequence.accept_prompt(request.prompt);
}

bool Job::push(const Written & written, std::string_view bytes, Ending ending, std::vector<Record> & records) {
    Record made     = record();
    made.token      = written.token;
    made.is_forced  = written.is_forced;
    made.is_refused = written.is_refused;
    made.scalars    = written.scalars;
    waiting.push_back(std::move(made));
    ++count;
    std::vector<Known> known;
    output.push(bytes, known);
    const bool is_stopped = output.stop().has_value();
    if (ending != Ending::none && !is_stopped) {
        output.flush(known);
    }
    give(known, records);
    if (is_stopped || ending != Ending::none) {
        records.back().ending = is_stopped ? Ending::stop : ending;
        return true;
    }
    return false;
}

void Job::finish(Ending ending, std::optional<Failure> failure, std::vector<Record> & records) {
    std::vector<Known> known;
    output.flush(known);
    give(known, records);
    Record last  = record();
    last.ending  = ending;
    last.failure = std::move(failure);
    records.push_back(std::move(last));
}

void Job::give(std::vector<Known> & known, std::vector<Record> & records) {
    for (Known & each : known) {
        waiting.front().text = std::move(each.text);
        records.push_back(std::move(waiting.front()));
        waiting.pop_front();
    }
}

} // namespace ggsl::loop
