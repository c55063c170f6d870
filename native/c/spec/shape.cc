#include "spec/shape.h"

#include <algorithm>

namespace ggsl::c {

namespace {

void check_list(const Json & value, const Shape & entry, const std::string & where, Faults & faults) {
    if (!value.is_array()) {
        faults.push_back(where + ": expected a list, found " + show(value));
        return;
    }
    for (size_t i = 0; i < value.size() && faults.size() < max_faults; ++i) {
        check_shape(value[i], entry, where + "[" + std::to_string(i) + "]", faults);
    }
}

void check_members(const Json & value, const std::vector<Member> & members, bool has_kind, const std::string & where,
                   Faults & faults) {
    if (!value.is_object()) {
        faults.push_back(where + ": expected an object, found " + show(value));
        return;
    }
    for (const auto & [name, _] : value.items()) {
        const bool is_known =
            (has_kind && name == "kind") ||
            std::any_of(members.begin(), members.end(), [&](const Member & m) { return m.name == name; });
        if (!is_known) {
            faults.push_back(where + ": unknown member " + show(std::string_view(name)));
            break;
        }
    }
    for (const Member & member : members) {
        const auto found = value.find(member.name);
        if (found != value.end()) {
            check_shape(*found, *member.shape, where + "." + member.name, faults);
        } else if (!member.is_optional) {
            const std::string what = !member.shape->what.empty() ? member.shape->what
                                     : member.shape->entry       ? "a list"
                                                                 : "an object";
            faults.push_back(where + "." + member.name + ": expected " + what + ", found undefined");
        }
    }
}

void check_kind(const Json & value, const std::vector<Kind> & kinds, const std::string & where, Faults & faults) {
    std::string names;
    for (const Kind & kind : kinds) {
        names += (names.empty() ? "" : ", ") + std::string(kind.name);
    }
    if (!value.is_object()) {
        faults.push_back(where + ": expected an object, found " + show(value));
        return;
    }
    const auto given = value.find("kind");
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind & kind) {
        return given != value.end() && given->is_string() && given->get_ref<const std::string &>() == kind.name;
    });
    if (found == kinds.end()) {
        faults.push_back(where + ".kind: expected one of " + names + ", found " +
                         (given == value.end() ? "undefined" : show(*given)));
        return;
    }
    check_members(value, found->members, true, where, faults);
}

} // namespace

void check_shape(const Json & value, const Shape & shape, const std::string & where, Faults & faults) {
    if (shape.is) {
        if (!shape.is(value)) {
            faults.push_back(where + ": expected " + shape.what + ", found " + show(value));
        }
    } else if (shape.entry) {
        check_list(value, *shape.entry, where, faults);
    } else if (!shape.kinds.empty()) {
        check_kind(value, shape.kinds, where, faults);
    } else {
        check_members(value, shape.members, false, where, faults);
    }
}

} // namespace ggsl::c
