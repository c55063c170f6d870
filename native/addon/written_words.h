// The tokens that a batch gave, for JavaScript: numbers and one text, as runtime/backends/native/textBinding.ts describes them.
#pragma once

#include "llama/context.h"

#include <string>
#include <vector>

namespace ggsl::addon {

struct WrittenWords {
    std::vector<int32_t> words;
    std::u16string       text;

    explicit WrittenWords(const std::vector<Written> & tokens);
};

} // namespace ggsl::addon
