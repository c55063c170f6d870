#include "work.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace ggsl::tools {

namespace {

constexpr int64_t number = sizeof(float); // or an index

bool is_view(const ggml_tensor * node) {
    return node->op == GGML_OP_NONE || node->op == GGML_OP_VIEW || node->op == GGML_OP_RESHAPE ||
           node->op == GGML_OP_PERMUTE || node->op == GGML_OP_TRANSPOSE;
}

Work one(const ggml_tensor * node) {
    return { 1, bytes_moved(node) };
}

int64_t columns_of(const ggml_tensor * node) {
    return node->src[0]->ne[0];
}

int64_t rows_of(const ggml_tensor * node) {
    return ggml_nrows(node->src[0]);
}

namespace cuda {

// A block sorts up to here.
constexpr int64_t widest_block = 1024;
// One block sums up to about here.
constexpr int64_t widest_reduce = 4096;

// argsort.cu: indices, offsets of the rows, a copy of the keys. Then CUB sorts pairs of 32 bits: a single row by a histogram, its sums
// and 4 passes of 8 bits, each behind a cleared look-back; several rows, while a CUDA graph is captured, in 6 passes of 6 bits, each
// reading the keys twice.
Work sort(int64_t columns, int64_t rows) {
    if (columns <= widest_block) {
        return { 1, 2 * columns * rows * number };
    }
    constexpr Work    before = { 3, 3 }; // numbers a row: the indices, the keys from and to
    constexpr int64_t passes = 4, segmented_passes = 6;
    const Work        sorting =
        rows == 1 ? Work{ 3 + 2 * passes, 1 + 4 * passes } : Work{ segmented_passes, 5 * segmented_passes };
    return { before.launches + sorting.launches, (before.bytes + sorting.bytes) * columns * rows * number };
}

// top-k.cu, with the CUB of CUDA 12 and 13.0: a sort, of which the first k are copied.
Work top_k(const ggml_tensor * node) {
    Work work = sort(columns_of(node), rows_of(node));
    work += { 1, 2 * node->ne[0] * rows_of(node) * number };
    return work;
}

// cumsum.cu: CUB scans a long row in two kernels; many rows have a block each.
Work cumsum(const ggml_tensor * node) {
    const int64_t columns = columns_of(node), rows = rows_of(node);
    const bool    scans = (rows == 1 && columns > 1024) || columns / rows > 4096;
    return { scans ? 2 * rows : 1, bytes_moved(node) };
}

Work work_of(const ggml_tensor * node) {
    switch (node->op) {
        case GGML_OP_ARGSORT: return sort(columns_of(node), rows_of(node));
        case GGML_OP_TOP_K:   return top_k(node);
        case GGML_OP_CUMSUM:  return cumsum(node);
        case GGML_OP_SUM:     return { ggml_nelements(node->src[0]) > widest_reduce ? 2 : 1, bytes_moved(node) };
        default:              return one(node);
    }
}

// ggml-cuda.cu: the largest run of binary ops.
constexpr int longest_run = 8;

} // namespace cuda

namespace vulkan {

// A large discrete GPU.
constexpr int64_t workgroup_log2 = 10;
constexpr int64_t subgroup_log2  = 5;
constexpr int64_t cores          = 132;

constexpr int64_t top_k_pipelines = 11;
constexpr int64_t widest_soft_max = 16384;
constexpr int64_t widest_scan     = 4096;

int64_t log2_up(int64_t value) {
    return std::bit_width(static_cast<uint64_t>(value - 1));
}

int64_t log2_down(int64_t value) {
    return std::bit_width(static_cast<uint64_t>(value)) - 1;
}

// ggml_vk_argsort: a bitonic sort of (index, key), padded to a power of two. Passes between workgroups are dispatches of their own.
Work sort(const ggml_tensor * node) {
    const int64_t log2 = log2_up(columns_of(node)), rows = rows_of(node);
    if (log2 <= workgroup_log2) {
        return { 1, 2 * columns_of(node) * rows * number };
    }
    int64_t dispatches = 1;
    for (int64_t outer = workgroup_log2; outer < log2; ++outer) {
        dispatches += outer - workgroup_log2 + 2;
    }
    const int64_t pairs = 2 * number * (int64_t{ 1 } << log2) * rows;
    return { dispatches, 2 * pairs * dispatches };
}

// ggml_vk_topk: workgroups keep the k best of theirs, until one is left; above its largest k one workgroup a row selects by radix, which
// reads the row once for each of 4 digits, and once more.
Work top_k(const ggml_tensor * node) {
    const int64_t k = node->ne[0], columns = columns_of(node), rows = rows_of(node);
    const int64_t least = std::max(log2_down(k) + 1, subgroup_log2);
    if (least >= top_k_pipelines) {
        return { 1, (5 * columns + k) * rows * number };
    }
    const int64_t most = std::min(std::max(top_k_pipelines - 3, log2_down(k) + 2), top_k_pipelines - 1);
    Work          work;
    for (int64_t left = columns; work.launches == 0 || left > k;) {
        int64_t log2 = std::max(std::min(log2_up(left), most), least);
        if (left > (int64_t{ 1 } << log2) && log2_up(left) < top_k_pipelines) {
            log2 = log2_up(left);
        }
        const int64_t group = int64_t{ 1 } << log2;
        const int64_t kept  = left / group * k + std::min(k, left % group);
        const int64_t read  = left == columns ? left : 2 * left; // later ones are pairs of index and key
        work += { 1, (read + (kept == k ? kept : 2 * kept)) * rows * number };
        left = kept;
    }
    return work;
}

// ggml_vk_cumsum
Work cumsum(const ggml_tensor * node) {
    const bool is_one = columns_of(node) <= widest_scan || rows_of(node) >= cores;
    return { is_one ? 1 : 2, bytes_moved(node) * (is_one ? 1 : 2) };
}

// ggml_vk_soft_max: the partial largest numbers, the partial sums with the powers, the division.
Work soft_max(const ggml_tensor * node) {
    return columns_of(node) <= widest_soft_max
               ? one(node)
               : Work{ 3, bytes_moved(node) + 3 * static_cast<int64_t>(ggml_nbytes(node)) };
}

Work work_of(const ggml_tensor * node) {
    switch (node->op) {
        case GGML_OP_ARGSORT:  return sort(node);
        case GGML_OP_TOP_K:    return top_k(node);
        case GGML_OP_CUMSUM:   return cumsum(node);
        case GGML_OP_SOFT_MAX: return soft_max(node);
        default:               return one(node);
    }
}

} // namespace vulkan

using Uses = std::unordered_map<const ggml_tensor *, int>;

Uses uses_in(ggml_cgraph * graph) {
    Uses uses;
    for (int i = 0; i < ggml_graph_n_nodes(graph); ++i) {
        for (const ggml_tensor * operand : ggml_graph_node(graph, i)->src) {
            ++uses[operand];
        }
    }
    return uses;
}

// How many nodes from `begin` on the CUDA backend joins to one: additions, or multiplications, each of the one before and nothing
// else, with second operands of one layout.
int run_from(ggml_cgraph * graph, int begin, const Uses & uses) {
    const ggml_op op     = ggml_graph_node(graph, begin)->op;
    int           length = 1;
    if (op != GGML_OP_ADD && op != GGML_OP_MUL) {
        return 1;
    }
    for (; length < cuda::longest_run && begin + length < ggml_graph_n_nodes(graph); ++length) {
        const ggml_tensor * last = ggml_graph_node(graph, begin + length - 1);
        const ggml_tensor * next = ggml_graph_node(graph, begin + length);
        if (next->op != op || next->src[0] != last || uses.at(last) != 1 ||
            (last->flags & GGML_TENSOR_FLAG_OUTPUT) != 0 || !ggml_are_same_shape(last, next) ||
            !ggml_are_same_shape(last->src[1], next->src[1]) || !ggml_are_same_stride(last->src[1], next->src[1])) {
            break;
        }
    }
    return length;
}

} // namespace

int64_t bytes_moved(const ggml_tensor * node) {
    const auto size_of = [](const ggml_tensor * tensor) { return static_cast<int64_t>(ggml_nbytes(tensor)); };
    if (is_view(node)) {
        return 0;
    }
    if (node->op == GGML_OP_SET_ROWS) {
        return 2 * size_of(node->src[0]) + size_of(node->src[1]); // into rows of the result, in place
    }
    if (node->op == GGML_OP_FILL) {
        return size_of(node); // its operand gives the shape
    }
    int64_t bytes = size_of(node);
    for (int i = 0; i < GGML_MAX_SRC && node->src[i] != nullptr; ++i) {
        const bool is_gathered = node->op == GGML_OP_GET_ROWS && i == 0;
        bytes += size_of(is_gathered ? node : node->src[i]);
    }
    return bytes;
}

Work work_of(ggml_cgraph * graph, Family family) {
    const bool is_cuda = family == Family::cuda;
    const Uses uses    = uses_in(graph);
    Work       work;
    for (int i = 0; i < ggml_graph_n_nodes(graph);) {
        const int length = is_cuda ? run_from(graph, i, uses) : 1;
        for (int j = i; j < i + length; ++j) {
            const ggml_tensor * node = ggml_graph_node(graph, j);
            Work                own  = is_view(node) ? Work{} : is_cuda ? cuda::work_of(node) : vulkan::work_of(node);
            if (j > i) {
                // the sum so far stays in registers
                own = { 0, own.bytes - 2 * static_cast<int64_t>(ggml_nbytes(node)) };
            }
            work += own;
        }
        i += length;
    }
    return work;
}

} // namespace ggsl::tools
