// ggml's CPU backend comes in variants: libggml-cpu-NAME.so (ggml-cpu-NAME.dll on Windows), one library per instruction set. Variants round differently.
#pragma once

#include <string>
#include <vector>

namespace ggsl {

struct CpuVariant {
    std::string name; // e.g. "haswell"
    std::string path;
    int score; // by ggml, which loads the variant with the highest; 0 if the processor lacks instructions of the variant
};

// The variants in a directory, the best for this processor first.
std::vector<CpuVariant> cpu_variants(const std::string & directory);

// The path of the variant that the environment variable GGSL_CPU_VARIANT names; empty if that is absent or empty.
// Throws Failure (INVALID_ARGUMENT) for a variant that is not in the directory, or that this processor cannot run.
std::string chosen_cpu_variant(const std::string & directory);

// The name of the loaded variant; empty if no CPU backend is loaded, or one without variants.
std::string loaded_cpu_variant();

} // namespace ggsl
