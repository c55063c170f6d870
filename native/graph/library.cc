#include "library.h"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <filesystem>
#else
#include <dlfcn.h>
#endif

namespace ggsl {

#ifdef _WIN32

namespace {

// Node.js and llama.cpp use UTF-8.
std::string to_utf8(const std::wstring & text) {
    const int   length = static_cast<int>(text.size());
    const int   size   = WideCharToMultiByte(CP_UTF8, 0, text.data(), length, nullptr, 0, nullptr, nullptr);
    std::string bytes(static_cast<size_t>(size), '\0');
    WideCharToMultiByte(CP_UTF8, 0, text.data(), length, bytes.data(), size, nullptr, nullptr);
    return bytes;
}

std::wstring from_utf8(const std::string & bytes) {
    const int    length = static_cast<int>(bytes.size());
    const int    size   = MultiByteToWideChar(CP_UTF8, 0, bytes.data(), length, nullptr, 0);
    std::wstring text(static_cast<size_t>(size), L'\0');
    MultiByteToWideChar(CP_UTF8, 0, bytes.data(), length, text.data(), size);
    return text;
}

HMODULE module_of(const void * address, DWORD flags) {
    HMODULE    module = nullptr;
    const BOOL found =
        GetModuleHandleExW(flags | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, static_cast<LPCWSTR>(address), &module);
    return found ? module : nullptr;
}

} // namespace

std::string library_of(const void * address) {
    const HMODULE module = module_of(address, GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT);
    if (module == nullptr) {
        return "";
    }
    constexpr DWORD longest = 1 << 15; // of any path
    std::wstring    path(longest, L'\0');
    path.resize(GetModuleFileNameW(module, path.data(), longest));
    return to_utf8(path);
}

Library::Library(const std::string & path)
    : handle(LoadLibraryExW(from_utf8(path).c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH)) {}

Library::~Library() {
    if (handle != nullptr) {
        FreeLibrary(static_cast<HMODULE>(handle));
    }
}

void * Library::symbol(const char * name) const {
    return handle == nullptr ? nullptr : reinterpret_cast<void *>(GetProcAddress(static_cast<HMODULE>(handle), name));
}

void keep_loaded(const void * address) {
    module_of(address, GET_MODULE_HANDLE_EX_FLAG_PIN);
}

#else

std::string library_of(const void * address) {
    Dl_info info{};
    return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

Library::Library(const std::string & path) : handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}

Library::~Library() {
    if (handle != nullptr) {
        dlclose(handle);
    }
}

void * Library::symbol(const char * name) const {
    return handle == nullptr ? nullptr : dlsym(handle, name);
}

void keep_loaded(const void * address) {
    if (const std::string path = library_of(address); !path.empty()) {
        dlopen(path.c_str(), RTLD_NOW | RTLD_NODELETE);
    }
}

#endif

} // namespace ggsl
