// Sequence: the tokens that come next in place of picks.
#include "sequence/leaves.h"
#include "sequence/sequence.h"

namespace ggsl::c {

// Computed once for each place of the text.
std::optional<Sequence::Writing> Sequence::present_writing() const {
    if (!present) {
        present = Present{ writing ? writing : begun_writing() };
    }
    return present->writing;
}

std::optional<Sequence::Writing> Sequence::begun_writing() const {
    const Leaves leaves(*this);
    for (size_t i = 0; i < chain->writes.size(); ++i) {
        if (!looked_up->written[i].empty() && evaluate(chain->writes[i].when, leaves) != 0) {
            return Writing{ i, 0 };
        }
    }
    return std::nullopt;
}

std::optional<int32_t> Sequence::written() const {
    const auto found = present_writing();
    return found ? std::optional(looked_up->written[found->write][found->at]) : std::nullopt;
}

std::optional<std::vector<float>> Sequence::known_scalars() const {
    const auto uniforms = chain->known_uniforms();
    if (!uniforms) {
        return std::nullopt;
    }
    std::vector<float> values;
    const Leaves       leaves(*this);
    for (const int32_t uniform : *uniforms) {
        values.push_back(static_cast<float>(evaluate(chain->uniforms[static_cast<size_t>(uniform)], leaves)));
    }
    return values;
}

} // namespace ggsl::c
