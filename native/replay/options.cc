#include "options.h"

#include "graph/failure.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace ggsl::tools {

const char * const usage =
    "usage: ggsl_replay check|time|profile|count FILE [options]\n"
    "       ggsl_replay --list\n"
    "\n"
    "  check      replays recorded cases and compares the outputs; exit status 1 if one differs\n"
    "  time       times GGSL's graph, llama.cpp's samplers on the device and on the CPU side by side\n"
    "  profile    times every node of the graphs\n"
    "  count      counts kernels and bytes of the graphs on GPUs, by a model; it needs no GPU\n"
    "  FILE       cases, written by npm run record\n"
    "\n"
    "  --device NAME      cpu, vulkan, cuda, or a name or number from --list (default cpu)\n"
    "  --threads LIST     CPU threads, e.g. 1,2: runs each case with each (default 1)\n"
    "  --only TEXT        only cases with TEXT in their name\n"
    "  --rounds N         rounds of time and profile (default 15)\n"
    "  --round-ms N       how long each side runs in a round (default 20)\n"
    "  --libraries DIR    the folder of ggml's backends (default: that of the build)\n"
    "  --backend FILE     one more ggml backend, e.g. libggml-vulkan.so; may be repeated\n"
    "  --list             lists the devices\n"
    "\n"
    "GGSL_CPU_VARIANT=NAME in the environment chooses the variant of the CPU backend, e.g. haswell.\n"
    "time, profile and count print one JSON object per line on standard output, and progress on standard error.\n";

namespace {

int parse_count(const std::string & text, int max, const std::string & option) {
    int value                = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || rest != text.data() + text.size() || value < 1 || value > max) {
        fail(code::invalid_argument, "%s: expected a whole number from 1 to %d, found \"%s\"", option.c_str(), max,
             text.c_str());
    }
    return value;
}

std::vector<int> parse_counts(const std::string & text, int max, const std::string & option) {
    std::vector<int>   counts;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        counts.push_back(parse_count(part, max, option));
    }
    if (counts.empty()) {
        fail(code::invalid_argument, "%s: expected a list of whole numbers, found none", option.c_str());
    }
    return counts;
}

void set_option(Options & options, const std::string & name, const std::string & value) {
    if (name == "--device") {
        options.device = value;
    } else if (name == "--threads") {
        options.threads = parse_counts(value, 512, name);
    } else if (name == "--only") {
        options.only = value;
    } else if (name == "--rounds") {
        options.rounds = parse_count(value, 10000, name);
    } else if (name == "--round-ms") {
        options.round_ms = parse_count(value, 10000, name);
    } else if (name == "--libraries") {
        options.libraries = value;
    } else if (name == "--backend") {
        options.backends.push_back(value);
    } else {
        fail(code::invalid_argument, "unknown option %s (--help lists them)", name.c_str());
    }
}

} // namespace

Options parse_options(int count, const char * const * arguments) {
    Options                  options;
    std::vector<std::string> words;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        if (word == "--list") {
            options.is_list = true;
        } else if (word == "--help") {
            options.is_help = true;
        } else if (!word.starts_with("--")) {
            words.push_back(word);
        } else if (i + 1 == count) {
            fail(code::invalid_argument, "%s: expected a value after it (--help lists the options)", word.c_str());
        } else {
            set_option(options, word, arguments[++i]);
        }
    }
    if (options.is_list || options.is_help) {
        return options;
    }
    const auto commands = { "check", "time", "profile", "count" };
    if (words.size() != 2 || std::find(commands.begin(), commands.end(), words[0]) == commands.end()) {
        fail(code::invalid_argument, "expected check, time, profile or count and one FILE (--help shows how)");
    }
    options.command = words[0];
    options.file    = words[1];
    return options;
}

} // namespace ggsl::tools
