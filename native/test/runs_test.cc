// Batches of any sequences, split into runs.
#include "llama/runs.h"
#include "check.h"

#include <algorithm>
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

} // namespace

void test_runs() {
    std::mt19937 random(7);
    const auto   below = [&](uint32_t n) { return static_cast<int32_t>(random() % n); };
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
