#include "cpu_variant.h"

#include "failure.h"
#include "library.h"

#include <ggml-backend.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <tuple>

namespace ggsl {

namespace {

constexpr const char * variable = "GGSL_CPU_VARIANT";

// Empty for other files.
std::string variant_name(const std::filesystem::path & path) {
    const std::string file   = path.filename().string();
    const std::string prefix = library_prefix + std::string("ggml-cpu-"), suffix = library_suffix;
    return file.starts_with(prefix) && file.ends_with(suffix) && file.size() > prefix.size() + suffix.size()
               ? file.substr(prefix.size(), file.size() - prefix.size() - suffix.size())
               : "";
}

// As ggml asks each variant before it loads one. Also 0 for a library that cannot be asked.
int score_of(const std::string & path) {
    const Library library(path);
    auto *        score = reinterpret_cast<int (*)()>(library.symbol("ggml_backend_score"));
    return score == nullptr ? 0 : score();
}

std::string names_of(const std::vector<CpuVariant> & variants) {
    std::string names;
    for (const CpuVariant & variant : variants) {
        names += (names.empty() ? "" : ", ") + variant.name;
    }
    return names.empty() ? "none" : names;
}

} // namespace

std::vector<CpuVariant> cpu_variants(const std::string & directory) {
    std::vector<CpuVariant> variants;
    std::error_code         error; // a missing directory has none
    for (const auto & entry : std::filesystem::directory_iterator(directory, error)) {
        if (const std::string name = variant_name(entry.path()); !name.empty()) {
            variants.push_back({ name, entry.path().string(), score_of(entry.path().string()) });
        }
    }
    std::sort(variants.begin(), variants.end(), [](const CpuVariant & a, const CpuVariant & b) {
        return std::tie(b.score, a.name) < std::tie(a.score, b.name);
    });
    return variants;
}

std::string chosen_cpu_variant(const std::string & directory) {
    const char * name = std::getenv(variable);
    if (name == nullptr || *name == '\0') {
        return "";
    }
    std::vector<CpuVariant> variants = cpu_variants(directory);
    const auto              found =
        std::find_if(variants.begin(), variants.end(), [&](const CpuVariant & v) { return v.name == name; });
    if (found == variants.end()) {
        fail(code::invalid_argument, "%s: no variant \"%s\" of the CPU backend; there are: %s", variable, name,
             names_of(variants).c_str());
    }
    if (found->score == 0) {
        std::erase_if(variants, [](const CpuVariant & v) { return v.score == 0; });
        fail(code::invalid_argument, "%s: this processor cannot run the variant \"%s\"; it can run: %s", variable, name,
             names_of(variants).c_str());
    }
    return found->path;
}

std::string loaded_cpu_variant() {
    ggml_backend_dev_t device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
    if (device == nullptr) {
        return "";
    }
    // any function of the backend identifies its library
    void * function =
        ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(device), "ggml_backend_set_n_threads");
    return function == nullptr ? "" : variant_name(library_of(function));
}

} // namespace ggsl
