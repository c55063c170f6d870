// ggsl_texts: writes texts with llama.cpp's own samplers, a round for each line of standard input. `--help` lists its options.
#include "graph/backend.h"
#include "graph/failure.h"
#include "replay/json.h"
#include "writer.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>

namespace {

using namespace ggsl;
using namespace ggsl::tools;

const char * const usage =
    "usage: ggsl_texts --model FILE --stages TEXT [options]\n"
    "\n"
    "  --stages TEXT        llama.cpp's samplers, e.g. \"top_k k=40 | dist seed={seed}\"; {seed} is the number of the text, from 1\n"
    "  --grammar TEXT       a grammar in GBNF\n"
    "  --grammar-order ORDER  first: it masks all tokens in front of the chain (default);\n"
    "                       last: it is asked about the picked token, as in llama.cpp's server\n"
    "  --prompt TEXT        what every text begins with\n"
    "  --sequences N        texts at the same time (default 1)\n"
    "  --tokens N           of each text (default 128)\n"
    "  --lengths LIST       the tokens of each of more texts, e.g. 20,131,64: one begins where another has ended\n"
    "  --context-size N     of each text (default 256)\n"
    "  --threads N          (default 1)\n"
    "  --unified yes        one cache for all sequences (default: one for each)\n"
    "\n"
    "For each line of standard input it writes all texts, and prints one JSON object on standard output.\n";

class OptionReader {
public:
    OptionReader(int count, char ** arguments) {
        for (int i = 1; i < count; i += 2) {
            if (i + 1 == count || !std::string_view(arguments[i]).starts_with("--")) {
                fail(code::invalid_argument, "%s: expected --NAME VALUE (--help lists the options)", arguments[i]);
            }
            values[arguments[i] + 2] = arguments[i + 1];
        }
    }

    std::string text(const std::string & name, const char * fallback = nullptr) {
        const auto found = values.extract(name);
        if (!found && fallback == nullptr) {
            fail(code::invalid_argument, "--%s is missing (--help lists the options)", name.c_str());
        }
        return found ? found.mapped() : fallback;
    }

    int32_t count(const std::string & name, int32_t fallback) {
        return number(name, text(name, std::to_string(fallback).c_str()));
    }

    static int32_t number(const std::string & name, const std::string & written) {
        int32_t value            = 0;
        const auto [rest, error] = std::from_chars(written.data(), written.data() + written.size(), value);
        if (error != std::errc() || rest != written.data() + written.size() || value < 1) {
            fail(code::invalid_argument, "--%s: expected a whole number from 1 on, found \"%s\"", name.c_str(),
                 written.c_str());
        }
        return value;
    }

    // Index of the text in the list; the first is the default.
    size_t one_of(const std::string & name, std::initializer_list<const char *> choices) {
        const std::string written = text(name, *choices.begin());
        const auto        found   = std::find(choices.begin(), choices.end(), written);
        if (found == choices.end()) {
            fail(code::invalid_argument, "--%s: \"%s\" is no choice (--help lists the options)", name.c_str(),
                 written.c_str());
        }
        return static_cast<size_t>(found - choices.begin());
    }

    std::vector<int32_t> counts(const std::string & name) {
        const std::string    list = text(name, "");
        std::vector<int32_t> numbers;
        for (size_t at = 0; at < list.size();) {
            const size_t end = std::min(list.find(',', at), list.size());
            numbers.push_back(number(name, list.substr(at, end - at)));
            at = end + 1;
        }
        return numbers;
    }

    void finish() const {
        if (!values.empty()) {
            fail(code::invalid_argument, "unknown option --%s (--help lists them)", values.begin()->first.c_str());
        }
    }

private:
    std::map<std::string, std::string> values;
};

WriterOptions options_of(OptionReader & reader) {
    WriterOptions options;
    options.stages       = reader.text("stages");
    options.grammar      = reader.text("grammar", "");
    options.prompt       = reader.text("prompt", "");
    options.sequences    = reader.count("sequences", options.sequences);
    options.tokens       = reader.count("tokens", options.tokens);
    options.lengths      = reader.counts("lengths");
    options.context_size = reader.count("context-size", options.context_size);
    options.threads      = reader.count("threads", options.threads);
    options.is_unified   = reader.one_of("unified", { "no", "yes" }) == 1;
    options.order = reader.one_of("grammar-order", { "first", "last" }) == 0 ? GrammarOrder::first : GrammarOrder::last;
    return options;
}

Json json_of(const Written & written) {
    std::vector<std::string> texts;
    size_t                   count = 0;
    for (const std::vector<llama_token> & tokens : written.tokens) {
        std::string text;
        for (const llama_token token : tokens) {
            text.append(text.empty() ? "" : " ").append(std::to_string(token));
        }
        texts.push_back(text);
        count += tokens.size();
    }
    return Json()
        .add("count", count)
        .add("us", written.wall)
        .add("cpuUs", written.cpu)
        .add("samplingUs", written.sampling)
        .add("tokens", texts);
}

void run(int count, char ** arguments) {
    if (count == 2 && std::string_view(arguments[1]) == "--help") {
        std::fputs(usage, stdout);
        return;
    }
    OptionReader        reader(count, arguments);
    const std::string   path    = reader.text("model");
    const WriterOptions options = options_of(reader);
    reader.finish();

    capture_logs();
    load_backends(GGSL_LIBRARIES);
    const Model model(path, {});
    Writer      writer(model, options);
    std::string line;
    while (std::getline(std::cin, line)) {
        std::puts(json_of(writer.write()).text().c_str());
        std::fflush(stdout);
    }
}

} // namespace

int main(int count, char ** arguments) {
    try {
        run(count, arguments);
        return 0;
    } catch (const std::exception & error) {
        std::fprintf(stderr, "ggsl_texts: %s\n", error.what());
        return 2;
    }
}
