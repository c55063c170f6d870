#include "cases.h"

#include "graph/failure.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>

namespace ggsl::tools {

static_assert(std::endian::native == std::endian::little, "case files have the layout of memory");

namespace {

constexpr int32_t bit_sampled = 1, bit_candidates = 2, bit_logits = 4, bit_probs = 8, bit_states = 16, all_bits = 31;

std::vector<float> as_floats(const std::vector<int32_t> & words) {
    std::vector<float> values(words.size());
    std::transform(words.begin(), words.end(), values.begin(), [](int32_t word) { return std::bit_cast<float>(word); });
    return values;
}

} // namespace

bool Case::has_expectation() const {
    return !sampled.empty() || !candidates.empty() || !expected_logits.empty() || !probs.empty() || !states.empty();
}

Feeds Case::feeds() const {
    Feeds feeds{ logits, uniforms, { std::monostate() } };
    for (size_t i = 1; i < inputs.size(); ++i) {
        if (bound.graph.inputs[i].fed_dtype() == Dtype::i32) {
            feeds.inputs.push_back(std::span<const int32_t>(inputs[i]));
        } else {
            // Read-only: a float32 is stored as the bits of a word.
            feeds.inputs.push_back(
                std::span<const float>(reinterpret_cast<const float *>(inputs[i].data()), inputs[i].size()));
        }
    }
    return feeds;
}

CaseFile::CaseFile(const std::string & given) : path(given), stream(given, std::ios::binary) {
    std::error_code error;
    const auto      bytes = std::filesystem::file_size(path, error);
    if (error || !stream) {
        fail(code::invalid_argument, "%s cannot be read: %s", path.c_str(),
             error ? error.message().c_str() : "it did not open");
    }
    size = static_cast<int64_t>(bytes / sizeof(int32_t));
    if (bytes % sizeof(int32_t) != 0) {
        fail(code::invalid_argument, "%s: expected whole 32-bit words, found %zu bytes: record it again", path.c_str(),
             static_cast<size_t>(bytes));
    }
    if (size < 3 || word() != case_magic) {
        fail(code::invalid_argument, "%s is not a case file: write one with npm run record", path.c_str());
    }
    if (const int32_t version = word(); version != case_version) {
        fail(code::invalid_argument, "%s has version %d of the case format, expected %d: record it again", path.c_str(),
             version, case_version);
    }
    cases = word_in(0, max_cases, "the number of cases");
}

void CaseFile::fail_here(const std::string & expected, const std::string & found) const {
    fail(code::invalid_argument, "%s, case %d of %d, word %lld: expected %s, found %s", path.c_str(), done + 1, cases,
         static_cast<long long>(position), expected.c_str(), found.c_str());
}

int32_t CaseFile::word() {
    return words(1, "a word")[0];
}

int32_t CaseFile::word_in(int32_t min, int32_t max, const char * what) {
    const int32_t value = word();
    if (value < min || value > max) {
        fail_here(std::string(what) + " from " + std::to_string(min) + " to " + std::to_string(max),
                  std::to_string(value));
    }
    return value;
}

// Never more than the file holds, so that a wrong count cannot exhaust memory.
std::vector<int32_t> CaseFile::words(int64_t count, const char * what) {
    if (count > max_numbers) {
        fail_here(std::string(what) + " of at most " + std::to_string(max_numbers) + " words", std::to_string(count));
    }
    if (count > size - position) {
        fail_here(std::string(what) + " of " + std::to_string(count) + " words",
                  std::to_string(size - position) + " before the end");
    }
    std::vector<int32_t> values(static_cast<size_t>(count));
    stream.read(reinterpret_cast<char *>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(int32_t)));
    if (!stream) {
        fail_here(what, "a file that cannot be read any further");
    }
    position += count;
    return values;
}

std::vector<float> CaseFile::floats(int64_t count, const char * what) {
    return as_floats(words(count, what));
}

std::string CaseFile::text(const char * what) {
    const int32_t              length = word_in(0, max_text, what);
    const std::vector<int32_t> packed = words((length + 3) / 4, what);
    std::string                value(static_cast<size_t>(length), '\0');
    if (length > 0) {
        std::memcpy(value.data(), packed.data(), value.size());
    }
    for (const char c : value) {
        if (c < ' ' || c > '~') {
            fail_here(std::string(what) + " of printable ASCII characters",
                      "byte " + std::to_string(static_cast<unsigned char>(c)));
        }
    }
    return value;
}

std::optional<Case> CaseFile::next() {
    if (done == cases) {
        if (position != size) {
            fail(code::invalid_argument, "%s has %lld words after its last case", path.c_str(),
                 static_cast<long long>(size - position));
        }
        return std::nullopt;
    }
    Case c;
    c.name                   = text("a case's name");
    const int32_t vocab_size = word_in(1, max_dim, "a vocabulary size");
    c.rows                   = word_in(1, max_rows, "a number of rows");
    if (c.rows * vocab_size > max_numbers) {
        fail_here("at most " + std::to_string(max_numbers) + " logits", std::to_string(c.rows * vocab_size));
    }
    const std::vector<int32_t> graph = words(word_in(1, max_words, "the words of a graph"), "a graph");
    try {
        c.bound = bind_graph(decode_wire(graph.data(), graph.size()), vocab_size);
    } catch (const Failure & failure) {
        fail(failure.code, "%s, case \"%s\": %s", path.c_str(), c.name.c_str(), failure.what());
    }
    read_logits(c);
    c.uniforms = floats(c.rows * c.bound.graph.uniform_count, "uniforms");
    read_inputs(c);
    read_expected(c);
    read_stages(c);
    ++done;
    return c;
}

void CaseFile::read_logits(Case & c) {
    const int32_t kind = word_in(0, 2, "a kind of logits");
    if (kind == 0) {
        c.logits = floats(c.rows * c.bound.vocab_size, "logits");
    } else {
        c.made = Case::Made{ kind == 2, static_cast<uint32_t>(word()) };
    }
}

// `check_uniforms` and `check_input` check the numbers when they are used.
void CaseFile::read_inputs(Case & c) {
    c.inputs.resize(c.bound.graph.inputs.size());
    for (size_t i = 1; i < c.inputs.size(); ++i) {
        c.inputs[i] = words(c.rows * c.bound.graph.inputs[i].fed_size(), "an input");
    }
}

void CaseFile::read_expected(Case & c) {
    const int32_t   bits   = word_in(0, all_bits, "the outputs that are given");
    const Outputs & out    = c.bound.graph.outputs;
    const auto      expect = [&](int32_t bit, int32_t node, const char * name) {
        if ((bits & bit) != 0 && node < 0) {
            fail_here(std::string("an expectation of outputs that the graph gives"), name);
        }
        return (bits & bit) != 0;
    };
    const auto size_of = [&](int32_t node) { return c.rows * c.bound.graph.nodes[node].dim; };

    c.tolerance = floats(1, "a tolerance")[0];
    if (!(c.tolerance >= 0.0f && c.tolerance <= 1.0f)) {
        fail_here("a tolerance from 0 to 1", std::to_string(c.tolerance));
    }
    if (expect(bit_sampled, out.sampled, "sampled")) {
        c.sampled = words(c.rows, "the sampled tokens");
    }
    if (expect(bit_candidates, out.candidates, "candidates")) {
        c.candidates = words(size_of(out.candidates), "candidates");
    }
    if (expect(bit_logits, out.logits, "logits")) {
        c.expected_logits = floats(size_of(out.logits), "logits of rows");
    }
    if (expect(bit_probs, out.probs, "probs")) {
        c.probs = floats(size_of(out.probs), "probabilities of rows");
    }
    if ((bits & bit_states) != 0) {
        c.states = floats(c.rows * static_cast<int64_t>(c.bound.graph.states.size()), "states");
    }
}

void CaseFile::read_stages(Case & c) {
    c.history_length = static_cast<size_t>(word_in(0, max_history, "the length of a history"));
    c.history        = words(c.rows * static_cast<int64_t>(c.history_length), "a history");
    for (const int32_t token : c.history) {
        if (token < 0 || token >= c.bound.vocab_size) {
            fail_here("tokens below " + std::to_string(c.bound.vocab_size), std::to_string(token));
        }
    }
    const int32_t count = word_in(0, max_rows, "0, or a chain of llama.cpp's samplers for each row");
    if (count != 0 && count != c.rows) {
        fail_here("0 or " + std::to_string(c.rows) + " chains of llama.cpp's samplers", std::to_string(count));
    }
    for (int32_t row = 0; row < count; ++row) {
        c.stages.push_back(text("a chain of llama.cpp's samplers"));
    }
}

} // namespace ggsl::tools
