// ggml's CPU backend comes in variants: libggml-cpu-NAME.so, one library for each set of instructions. Variants round differently.
#pragma once

#include <string>
#include <vector>

namespace ggsl {

struct CpuVariant {
    std::string name; // e.g. "haswell"
    std::string path;
    int         score; // ggml's: it loads the variant of the highest; 0 if the processor lacks instructions of the variant
};

// The variants in a directory, the best for this processor first.
std::vector<CpuVariant> cpu_variants(const std::string & directory);

// The path of the variant that the environment variable GGSL_CPU_VARIANT names; empty if that is absent or empty.
// Throws Failure (INVALID_ARGUMENT) for a variant that is not in the directory, or that this processor can not run.
std::string chosen_cpu_variant(const std::string & directory);

// The name of the variant that is loaded; empty if no CPU backend is, or one that has no variants.
std::string loaded_cpu_variant();

} // namespace ggsl
