// A grammar's table as its words say it: each word is in its range, but what the nodes mean together is not checked.
#pragma once

#include "program.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ggsl::grammar {

struct WrittenProgram {
    std::vector<ProgramNode> nodes;
    NodeId                   root = 0;
    // what nodes are made of, by node
    std::vector<std::vector<CharacterRange>> ranges;
    std::vector<std::string>                 texts;
};

// Throws Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
WrittenProgram read_program(std::span<const uint32_t> words);

} // namespace ggsl::grammar
