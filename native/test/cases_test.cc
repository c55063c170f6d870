// The loader of case files and the parser of llama.cpp's chains: damaged files are rejected or read as something else, but the
// process survives.
#include "graph/failure.h"
#include "replay/cases.h"
#include "replay/stages.h"
#include "check.h"
#include "words.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

namespace ggsl::test {

namespace {

using tools::CaseFile;

std::string temporary_file() {
    return (std::filesystem::temp_directory_path() /
            ("ggsl-cases-" + std::to_string(std::random_device()()) + ".cases"))
        .string();
}

void write(const std::string & path, const std::vector<int32_t> & words) {
    std::ofstream stream(path, std::ios::binary);
    stream.write(reinterpret_cast<const char *>(words.data()),
                 static_cast<std::streamsize>(words.size() * sizeof(int32_t)));
}

// The number of cases, or -1 for a file that is rejected.
int read(const std::string & path) {
    try {
        CaseFile file(path);
        int      count = 0;
        while (file.next()) {
            ++count;
        }
        return count;
    } catch (const Failure &) {
        return -1;
    }
}

// One case: greedy over four tokens, which picks token 3.
std::vector<int32_t> good_file() {
    Words words;
    words.sampled                    = words.i32(OpId::argmax, 1, { words.the_logits() });
    const std::vector<int32_t> graph = words.finish();
    std::vector<int32_t>       file  = {
        tools::case_magic, tools::case_version, 1, 2, 'o' | 'k' << 8, 4, 1, static_cast<int32_t>(graph.size())
    };
    file.insert(file.end(), graph.begin(), graph.end());
    file.insert(file.end(), { 0, bits(1), bits(2), bits(3), bits(4) });
    file.insert(file.end(), { 1, bits(0.0f), 3 });
    file.insert(file.end(), { 2, 0, 1 });
    file.insert(file.end(), { 1, 6, 'g' | 'r' << 8 | 'e' << 16 | 'e' << 24, 'd' | 'y' << 8 });
    return file;
}

void check_chain_refused(const char * text) {
    try {
        tools::make_chain(text, 100, {});
    } catch (const Failure &) {
        return;
    }
    CHECK(false, "\"%s\" was accepted", text);
}

} // namespace

void test_cases() {
    const std::string          path = temporary_file();
    const std::vector<int32_t> good = good_file();
    write(path, good);
    CHECK(read(path) == 1, "a good file");

    for (size_t length = 0; length < good.size(); ++length) {
        write(path, { good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length) });
        CHECK(read(path) == -1, "a file cut short after %zu words was accepted", length);
    }
    std::vector<int32_t> longer = good;
    longer.push_back(0);
    write(path, longer);
    CHECK(read(path) == -1, "a file with more than its cases was accepted");

    constexpr int32_t odd_words[] = { -1, 0, 1, INT32_MAX, INT32_MIN, 1 << 20, 0x7fc00000 };
    for (size_t at = 0; at < good.size(); ++at) {
        for (const int32_t odd : odd_words) {
            std::vector<int32_t> damaged = good;
            damaged[at]                  = odd;
            write(path, damaged);
            read(path);
        }
    }
    std::filesystem::remove(path);

    CHECK(llama_sampler_chain_n(tools::make_chain("top_k k=40 | dist seed=4294967295", 100, {}).get()) == 2, "a chain");
    for (const char * text :
         { "", "|", "nothing", "dist |", "dist seed", "dist seed=", "dist seed=x", "dist =1", "dist seed=1 seed=2",
           "dist sed=1", "top_k k=101", "top_p | top_p | top_k k=5", "temp t=nan", "temp t=inf" }) {
        check_chain_refused(text);
    }
}

} // namespace ggsl::test
