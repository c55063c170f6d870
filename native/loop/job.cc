#include "loop/job.h"

namespace ggsl::loop {

Job::Job(int64_t id, Request given) : id(id), request(std::move(given)), text(std::make_shared<Text>(*request.chain)) {
    text->show(request.stops, "");
    text->sequence.accept_prompt(request.prompt);
}

void Job::push(const Written & written, Ending ending, std::vector<Record> & records) {
    if (!written.said && !written.is_end) {
        return; // it was not accepted
    }
    Record made     = record();
    made.token      = written.token;
    made.is_forced  = written.is_forced;
    made.is_refused = written.is_refused;
    made.scalars    = written.scalars;
    if (written.is_end) {
        give(text->flush(), records);
        records.push_back(std::move(made));
    } else {
        waiting.push_back(std::move(made));
        give(written.said->pieces, records);
    }
    if (ending != Ending::none) {
        give(text->flush(), records);
        records.back().ending = ending;
        records.back().stop   = ending == Ending::chain ? text->sequence.stop() : nullptr;
    }
}

void Job::finish(Ending ending, std::optional<Failure> failure, std::vector<Record> & records) {
    give(text->flush(), records);
    Record last  = record();
    last.ending  = ending;
    last.failure = std::move(failure);
    records.push_back(std::move(last));
}

void Job::give(const std::vector<TextPiece> & known, std::vector<Record> & records) {
    for (const TextPiece & each : known) {
        waiting.front().text = each.text;
        records.push_back(std::move(waiting.front()));
        waiting.pop_front();
    }
}

} // namespace ggsl::loop
