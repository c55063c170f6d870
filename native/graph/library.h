// Shared libraries of the process, by the system's own loader.
#pragma once

#include <string>

namespace ggsl {

// How ggml names its backends: prefix, "ggml-cpu-haswell", suffix. On macOS they are bundles, whose suffix is not .dylib.
#ifdef _WIN32
inline constexpr const char * library_prefix = "";
inline constexpr const char * library_suffix = ".dll";
#else
inline constexpr const char * library_prefix = "lib";
inline constexpr const char * library_suffix = ".so";
#endif

// The path of the loaded library with this address of a function or an object; empty if there is none.
std::string library_of(const void * address);

// A library that is loaded until the end of the scope.
class Library {
public:
    explicit Library(const std::string & path);
    ~Library();
    Library(const Library &)             = delete;
    Library & operator=(const Library &) = delete;

    // Null without the library or the symbol.
    void * symbol(const char * name) const;

private:
    void * handle;
};

// Keeps the library with this address until the process ends.
void keep_loaded(const void * address);

} // namespace ggsl
