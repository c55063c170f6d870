// Tokens that batches gave, for JavaScript: numbers and one text, as runtime/backends/native/textBinding.ts describes them.
#pragma once

#include "llama/context.h"

#include <chrono>
#include <string>
#include <vector>

namespace ggsl::addon {

struct WrittenWords {
    std::vector<int32_t> words;
    std::u16string       text;
};

// What JavaScript was not told yet: a call for each batch costs more than what it tells, and wakes a thread beside the one that decodes.
// The first batch is told at once, and those after it in groups that grow.
class Untold {
public:
    // How long a token may wait for others, which is less a batch than that where batches take as long, and for how many batches. `all`: how
    // many batches there are at most, or 0: who reads the tokens before the last batch does it while that is computed.
    Untold(std::chrono::microseconds most, size_t most_batches, size_t all);

    // Adds what a batch gave. Whether it must be told now.
    bool add(const std::vector<Written> & tokens);

    bool is_empty() const { return count == 0; }
    // All of it.
    WrittenWords take();

private:
    using Clock = std::chrono::steady_clock;

    void append(const Written & token);

    const std::chrono::microseconds most;
    const size_t                    most_batches;
    const size_t                    all;
    size_t                          batches = 0;
    std::chrono::microseconds       patience{ 0 };
    Clock::time_point               latest = Clock::now(); // batch
    Clock::time_point               oldest;                // token
    size_t                          count = 0;             // of batches
    std::vector<int32_t>            times;                 // of those that the model has read, in microseconds
    WrittenWords                    tokens;
};

} // namespace ggsl::addon
