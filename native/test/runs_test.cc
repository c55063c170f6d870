// Batches of any sequences, split into runs.
#include "llama/runs.h"
#include "check.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <set>

namespace ggsl::test {

namespace {

void check_runs(const std::vector<int32_t> & sequences, const std::vector<Run> & runs, size_t most_tokens,
                int32_t most_idle, const std::set<int32_t> & closed) {
    std::map<int32_t, size_t> counts;
    for (const int32_t sequence : sequences) {
        ++counts[sequence];
    }
    std::vector<size_t> seen;
    int32_t             before = -1;
    for (const Run & run : runs) {
        CHECK(!run.tokens.empty(), "a run without a token");
        seen.insert(seen.end(), run.tokens.begin(), run.tokens.end());
        std::map<int32_t, std::vector<size_t>> own;
        for (const size_t i : run.tokens) {
            own[sequences[i]].push_back(i);
        }
        std::set<int32_t> all(run.idle.begin(), run.idle.end());
        for (const auto & [sequence, tokens] : own) {
            CHECK(tokens.size() == counts[sequence], "sequence %d is in several runs", sequence);
            CHECK(std::is_sorted(tokens.begin(), tokens.end()), "the tokens of sequence %d are not in order", sequence);
            CHECK(tokens.size() == own.begin()->second.size(), "sequences of one run have different numbers of tokens");
            all.insert(sequence);
        }
        CHECK(static_cast<size_t>(*all.rbegin() - *all.begin()) + 1 == all.size(), "a run with a gap");
        CHECK(*all.begin() > before, "runs are not in the order of their sequences");
        before = *all.rbegin();
        CHECK(own.size() == 1 || run.tokens.size() + run.idle.size() <= most_tokens, "a run of %zu tokens",
              run.tokens.size());
        int32_t in_turn = 0;
        for (int32_t sequence = *all.begin(); sequence <= before; ++sequence) {
            const bool is_idle = own.count(sequence) == 0;
            in_turn            = is_idle ? in_turn + 1 : 0;
            CHECK(!is_idle || (counts.count(sequence) == 0 && closed.count(sequence) == 0), "sequence %d takes part",
                  sequence);
            CHECK(in_turn <= most_idle, "%d idle sequences in turn", in_turn);
        }
    }
    std::sort(seen.begin(), seen.end());
    CHECK(seen.size() == sequences.size() && (seen.empty() || seen.back() + 1 == seen.size()),
          "%zu of %zu tokens are in runs", seen.size(), sequences.size());
}

void check_stages(const std::vector<int32_t> & sequences, const std::vector<uint8_t> & outputs) {
    const Stages              stages = split_beginnings(sequences, outputs);
    std::map<int32_t, size_t> counts;
    for (const int32_t sequence : sequences) {
        ++counts[sequence];
    }
    std::set<size_t> sizes;
    for (const auto & [sequence, count] : counts) {
        sizes.insert(count);
    }
    CHECK(sizes.size() > 1 || stages.beginnings.empty(), "a batch is divided whose sequences have equally many tokens");
    std::vector<size_t> all;
    std::merge(stages.beginnings.begin(), stages.beginnings.end(), stages.rest.begin(), stages.rest.end(),
               std::back_inserter(all));
    for (size_t i = 0; i < all.size(); ++i) {
        CHECK(all[i] == i, "token %zu is there twice, or out of order", i);
    }
    CHECK(all.size() == sequences.size(), "%zu of %zu tokens", all.size(), sequences.size());
    std::map<int32_t, size_t> left;
    for (const size_t i : stages.rest) {
        ++left[sequences[i]];
    }
    for (const auto & [sequence, count] : left) {
        CHECK(sizes.size() == 1 || count == 1, "sequence %d has %zu tokens left", sequence, count);
    }
    for (const size_t i : stages.beginnings) {
        CHECK(outputs[i] == 0, "token %zu has an output and comes first", i);
    }
}

} // namespace

void test_runs() {
    std::mt19937 random(7);
    const auto   below = [&](uint32_t n) { return static_cast<int32_t>(random() % n); };
    for (int round = 0; round < 1000; ++round) {
        // in any order, with an output after the last token of most
        std::vector<int32_t> sequences;
        std::vector<uint8_t> outputs;
        for (int32_t sequence = 0; sequence < 6; ++sequence) {
            sequences.insert(sequences.end(), static_cast<size_t>(below(3) == 0 ? below(6) : 1), sequence);
        }
        std::shuffle(sequences.begin(), sequences.end(), random);
        std::map<int32_t, size_t> last;
        for (size_t i = 0; i < sequences.size(); ++i) {
            last[sequences[i]] = i;
        }
        for (size_t i = 0; i < sequences.size(); ++i) {
            outputs.push_back(last[sequences[i]] == i && below(5) > 0 ? 1 : 0);
        }
        check_stages(sequences, outputs);
    }
    for (int round = 0; round < 3000; ++round) {
        const size_t         most_tokens = 1 + static_cast<size_t>(below(40));
        const int32_t        most_idle   = below(5);
        std::vector<int32_t> sequences;
        std::set<int32_t>    closed;
        for (int32_t sequence = 0; sequence < 24; ++sequence) {
            const int32_t kind = below(6);
            sequences.insert(sequences.end(),
                             static_cast<size_t>(kind < 2   ? 0
                                                 : kind < 5 ? 1
                                                            : 1 + below(5)),
                             sequence);
            if (below(8) == 0) {
                closed.insert(sequence);
            }
        }
        std::shuffle(sequences.begin(), sequences.end(), random);
        const auto may = [&](int32_t sequence) { return closed.count(sequence) == 0; };
        check_runs(sequences, split_into_runs(sequences, most_tokens, most_idle, may), most_tokens, most_idle, closed);
    }
    // neighbours are one run, and a gap that may be filled is
    const std::vector<int32_t> gap{ 5, 2, 3 };
    const auto                 any = [](int32_t) { return true; };
    CHECK(split_into_runs(gap, 64, 1, any).size() == 1, "a gap of one sequence is not filled");
    CHECK(split_into_runs(gap, 64, 0, any).size() == 2, "a gap is filled that must not be");
}

} // namespace ggsl::test
