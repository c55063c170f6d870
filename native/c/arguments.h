// Checks of what a C program passes.
#pragma once

#include "error.h"
#include "spec/show.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace ggsl::c {

inline void check_pointer(const void * pointer, const char * name) {
    if (pointer == nullptr) {
        refuse(code::invalid_argument, std::string(name) + " is NULL");
    }
}

// `count` values; without any the pointer may be null.
template <typename T> std::span<const T> span_of(const T * values, size_t count, const char * name) {
    if (count > 0) {
        check_pointer(values, name);
    }
    return { values, count };
}

// The bytes that a struct of the program and one of the library have in common.
template <typename Struct> size_t common_size(const Struct & given) {
    if (given.size < sizeof(size_t)) {
        refuse(code::invalid_argument,
               "the member `size` must be the size of the struct, found " + std::to_string(given.size));
    }
    return std::min(given.size, sizeof(Struct));
}

// Copies at most as much as the program's struct has room for.
template <typename Struct> void fill(Struct * into, const Struct & from) {
    const size_t size = into->size;
    std::memcpy(into, &from, common_size(*into));
    into->size = size;
}

// The program's struct, with these members where it has none.
template <typename Struct> Struct read_struct(const Struct & given, Struct defaults) {
    std::memcpy(&defaults, &given, common_size(given));
    return defaults;
}

// The index of the entry whose name, as `name_of` gives it, is `name`. Throws Failure (INVALID_ARGUMENT).
template <typename List, typename NameOf>
size_t find_by_name(const List & list, const char * name, const std::string & what, const NameOf & name_of) {
    check_pointer(name, "the name");
    std::string known;
    for (size_t i = 0; i < list.size(); ++i) {
        const std::string found = name_of(list[i]);
        if (!found.empty() && found == name) {
            return i;
        }
        known += found.empty() ? "" : (known.empty() ? "`" : ", `") + found + "`";
    }
    refuse(code::invalid_argument, "the chain has no " + what + " " + show(std::string_view(name)) +
                                       (known.empty() ? ": it has none" : ": it has " + known));
}

} // namespace ggsl::c
