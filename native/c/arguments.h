// Checks of what a C program passes.
#pragma once

#include "error.h"
#include "spec/show.h"

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
