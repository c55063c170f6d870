// Which nodes of a bound graph the CPU computes as programs.
#pragma once

#include "../bind.h"
#include "program.h"

#include <memory>

namespace ggsl::fused {

// Nodes are built in order of their stage; within a stage first those outside of programs, then the program.
struct Plan {
    std::vector<int32_t> stages;   // of each node
    std::vector<Program> programs; // one of each stage; without steps if that stage has none
    std::vector<bool>    is_fused; // of each node
};

// Null if no program pays.
std::shared_ptr<const Plan> plan(const BoundGraph & bound);

} // namespace ggsl::fused
