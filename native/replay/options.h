// The command line of ggsl_replay.
#pragma once

#include <string>
#include <vector>

namespace ggsl::tools {

extern const char * const usage;

struct Options {
    std::string              command; // "check", "time", "profile" or "count"; empty for --list
    std::string              file;
    std::string              device = "cpu";
    std::vector<int>         threads{ 1 };
    std::string              only; // runs cases with this text in their names
    int                      rounds   = 15;
    int                      round_ms = 20;
    std::string              libraries; // the folder of ggml's backends
    std::vector<std::string> backends;  // further backend libraries
    bool                     is_list = false;
    bool                     is_help = false;
};

// Throws Failure (INVALID_ARGUMENT) that says what was expected.
Options parse_options(int count, const char * const * arguments);

} // namespace ggsl::tools
