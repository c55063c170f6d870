#include "legalize.h"

#include "cpu_kernels.h"

#include <algorithm>
#include <cfloat>
#include <span>

namespace ggsl {

namespace {

using Tensor = ggml_tensor *;

// Vulkan computes a wider softmax in chunks of 512 rows.
constexpr int64_t widest_vulkan_soft_max = 16384;

// From this k on, Vulkan's top_k selects by radix; below, it searches by halves, quarters, ... of the keys, as many as a
// subgroup has threads, and computes the end of the topmost part as 2^32, which is 0 in 32 bits: no key is found below it.
// That part begins at 2 for subgroups of 4 threads, at 2^65 for 8, at 2^113 for 32.
constexpr int64_t vulkan_radix_top_k = 1024;
constexpr double  right_below        = 2;

// Above the number that argmax starts from on devices that do not start from the first row.
constexpr float above_lowest = -3e38f;

bool always(const Builder &, const Node &, const Tensor *) {
    return true;
}

bool may_be_nan(const Builder & b, const Node & node, const Tensor *) {
    return b.bound.ranges[node.operands[0]].may_be_nan;
}

bool may_have_no_largest(const Builder & b, const Node & node, const Tensor *) {
    return !b.bound.ranges[node.operands[0]].is_above_lowest();
}

bool is_one_row(const Builder &, const Node & node, const Tensor *) {
    return node.dim == 1;
}

bool may_be_in_topmost_part(const Builder & b, const Node & node, const Tensor *) {
    return node.dim < vulkan_radix_top_k && !(b.bound.ranges[node.operands[0]].hi < right_below);
}

bool is_too_wide(const Builder &, const Node &, const Tensor * x) {
    return x[0]->ne[0] > widest_vulkan_soft_max;
}

// For narrower rows a second pass does not pay.
constexpr int64_t wide = 512;

bool is_wide(const Builder &, const Node &, const Tensor * x) {
    return x[0]->ne[0] >= wide;
}

bool is_wide_with_number(const Builder &, const Node &, const Tensor * x) {
    return x[0]->ne[0] >= wide && x[1]->ne[0] == 1;
}

#ifdef __wasm__
constexpr bool is_wasm = true;
#else
constexpr bool is_wasm = false;
#endif

bool is_wide_in_wasm(const Builder & b, const Node & node, const Tensor * x) {
    return is_wasm && is_wide(b, node, x);
}

template <ggml_custom_op_t kernel, ggml_type type>
Tensor own(Builder & b, const Node & node, const Tensor * x, void * attrs = nullptr) {
    Tensor operands[max_operands] = {};
    for (int32_t i = 0; i < node.operand_count; ++i) {
        operands[i] = b.contiguous(x[i]);
    }
    return custom(b, type, node.dim, { operands, static_cast<size_t>(node.operand_count) }, kernel, GGML_N_TASKS_MAX,
                  attrs);
}

template <ggml_custom_op_t kernel> Tensor plain(Builder & b, const Node & node, const Tensor * x) {
    return own<kernel, GGML_TYPE_F32>(b, node, x);
}

template <ggml_custom_op_t kernel> Tensor positions(Builder & b, const Node & node, const Tensor * x) {
    return own<kernel, GGML_TYPE_I32>(b, node, x);
}

// The bound graph outlives the tensors.
template <ggml_custom_op_t kernel> Tensor with_attrs(Builder & b, const Node & node, const Tensor * x) {
    return own<kernel, GGML_TYPE_F32>(b, node, x, const_cast<int32_t *>(node.attrs.data()));
}

// Each sorting thread needs memory, so their number is limited.
constexpr int64_t max_sorting_threads = 8;

Tensor sort_by_digits(Builder & b, const Node & node, const Tensor * x) {
    const int64_t threads    = std::min(b.rows, max_sorting_threads);
    Tensor        operands[] = { b.contiguous(x[0]),
                                 b.made(ggml_new_tensor_2d(b.context, GGML_TYPE_I32, 4 * int64_t{ node.dim }, threads)) };
    const auto    kernel     = node.attrs[0] == 0 ? cpu::argsort_asc : cpu::argsort_desc;
    return custom(b, GGML_TYPE_I32, node.dim, operands, kernel, static_cast<int>(threads), nullptr);
}

bool is_packed_input(const Builder & b, const Node & node, const Tensor *) {
    return b.bound.graph.inputs[node.attrs[0]].is_packed;
}

Tensor take_bits(Builder & b, const Node & node, const Tensor *) {
    return b.packed_input(node.attrs[0], [&](Tensor words) {
        return custom(b, GGML_TYPE_F32, node.dim, { &words, 1 }, cpu::bits, GGML_N_TASKS_MAX, nullptr);
    });
}

// For fewer rows a kernel does not pay.
constexpr int64_t several = 8;

bool makes_many(const Builder &, const Node & node, const Tensor *) {
    return node.dim >= several;
}

Tensor take_rows(Builder & b, const Node & node, const Tensor * x) {
    return x[0]->type == GGML_TYPE_I32 ? positions<cpu::get_rows>(b, node, x) : plain<cpu::get_rows>(b, node, x);
}

Tensor ordinary(Builder & b, const Node & node, const Tensor * x) {
    return op_of(node).build(b, node, x);
}

Tensor sort_numbers(Builder & b, const Node & node, const Tensor * x) {
    const Tensor numbers[] = { b.clamped(x[0], -FLT_MAX, FLT_MAX) };
    return ordinary(b, node, numbers);
}

Tensor largest_position(Builder & b, Tensor x) {
    return b.column(b.made(ggml_argmax(b.context, x)), 1);
}

Tensor take_largest(Builder & b, const Node &, const Tensor * x) {
    return largest_position(b, x[0]);
}

Tensor take_rows_of(Builder & b, Tensor x, Tensor rows) {
    return b.column(b.made(ggml_get_rows(b.context, b.elements(x), rows)), rows->ne[0]);
}

// More rows than are wanted, selected by radix, and sorted.
Tensor select_by_radix(Builder & b, const Node & node, const Tensor * x) {
    const bool   selects = x[0]->ne[0] > vulkan_radix_top_k;
    const Tensor some    = selects ? b.made(ggml_top_k(b.context, x[0], vulkan_radix_top_k)) : nullptr;
    const Tensor keys    = selects ? take_rows_of(b, x[0], some) : x[0];
    const Tensor numbers = may_be_nan(b, node, x) ? b.clamped(keys, -FLT_MAX, FLT_MAX) : keys;
    const Tensor order   = b.made(ggml_argsort(b.context, numbers, GGML_SORT_ORDER_DESC));
    const Tensor sorted  = selects ? take_rows_of(b, some, order) : order;
    return b.made(ggml_view_2d(b.context, sorted, node.dim, b.rows, sorted->nb[1], 0));
}

Tensor largest_of_numbers(Builder & b, const Node & node, const Tensor * x) {
    const Tensor numbers[] = { b.clamped(x[0], above_lowest, FLT_MAX) };
    return ordinary(b, node, numbers);
}

Tensor soft_max_by_steps(Builder & b, const Node & node, const Tensor * x) {
    const float  scale  = node.attr_f32(0);
    const Tensor scaled = scale == 1.0f ? x[0] : b.made(ggml_scale(b.context, x[0], scale));
    const Tensor sum    = node.operand_count == 2 ? b.made(ggml_add(b.context, scaled, x[1])) : scaled;
    const Tensor max    = b.column(b.made(ggml_get_rows(b.context, b.elements(sum), largest_position(b, sum))), 1);
    const Tensor powers = b.made(ggml_exp(b.context, b.made(ggml_sub(b.context, sum, max))));
    return b.made(ggml_div(b.context, powers, b.made(ggml_sum_rows(b.context, powers))));
}

constexpr const char * slow_number = "ggml's CPU broadcasts a scalar one row at a time";

constexpr const char * one_in_wasm = "ggml handles one row at a time there";

const std::vector<Rewrite> rewrites = {
    { "wide top_k",
      OpId::top_k,
      { Family::cpu },
      "ggml's CPU compares the rows one at a time with the worst of the best",
      "a kernel that compares all rows with a bound of the best",
      is_wide,
      positions<cpu::top_k> },
    { "wide argmax",
      OpId::argmax,
      { Family::cpu },
      "ggml's CPU compares one row at a time",
      "a vectorized kernel",
      is_wide,
      positions<cpu::argmax> },
    { "wide argsort",
      OpId::argsort,
      { Family::cpu },
      "ggml's CPU uses a comparison sort, which leaves the order of ties open and reads out of bounds with a NaN",
      "a radix sort",
      is_wide,
      sort_by_digits },
    { "get_rows of numbers",
      OpId::get_rows,
      { Family::cpu },
      "ggml's CPU copies a row of one number as slowly as a long one",
      "a kernel",
      makes_many,
      take_rows },
    { "wide sum_rows",
      OpId::sum_rows,
      { Family::cpu },
      "ggml's CPU adds one row at a time",
      "a vectorized kernel",
      is_wide,
      plain<cpu::sum_rows> },
    { "wide cumsum",
      OpId::cumsum,
      { Family::cpu },
      "ggml's CPU sums in f32, which is off by 1e-4 over a vocabulary",
      "a kernel that sums in f64",
      is_wide,
      plain<cpu::cumsum> },
    { "soft_max in WebAssembly",
      OpId::soft_max,
      { Family::cpu },
      "ggml does not vectorize exp there",
      "a vectorized kernel",
      is_wide_in_wasm,
      with_attrs<cpu::soft_max> },
    { "clamp in WebAssembly",
      OpId::clamp,
      { Family::cpu },
      one_in_wasm,
      "a vectorized kernel",
      is_wide_in_wasm,
      with_attrs<cpu::clamp> },
    { "step in WebAssembly",
      OpId::step,
      { Family::cpu },
      one_in_wasm,
      "a vectorized kernel",
      is_wide_in_wasm,
      plain<cpu::step> },
    { "hash of integers",
      OpId::hash,
      { Family::cpu },
      "without integer arithmetic a hash is 60 ops",
      "a kernel",
      always,
      plain<cpu::hash> },
    { "bits of words",
      OpId::input,
      { Family::cpu },
      "get_rows from a table of all words copies 16 numbers at a time",
      "a kernel",
      is_packed_input,
      take_bits },
    { "wide add", OpId::add, { Family::cpu }, slow_number, "a kernel", is_wide_with_number, plain<cpu::add> },
    { "wide sub", OpId::sub, { Family::cpu }, slow_number, "a kernel", is_wide_with_number, plain<cpu::sub> },
    { "wide mul", OpId::mul, { Family::cpu }, slow_number, "a kernel", is_wide_with_number, plain<cpu::mul> },
    { "wide div", OpId::div, { Family::cpu }, slow_number, "a kernel", is_wide_with_number, plain<cpu::div> },
    { "sort numbers",
      OpId::argsort,
      {},
      "a NaN makes the order undefined, and the CPU's sort reads out of bounds",
      "clamp, argsort",
      may_be_nan,
      sort_numbers },
    { "take the largest",
      OpId::top_k,
      {},
      "for k = 1, Vulkan's top_k gives the smallest of negative numbers; argmax is right everywhere",
      "argmax",
      is_one_row,
      take_largest },
    { "select by radix",
      OpId::top_k,
      { Family::vulkan },
      "for k below 1024, Vulkan's top_k gives the first k rows if the k-th largest number is huge: above 2^65 for subgroups of "
      "8 threads, 2^113 for 32",
      "top_k of 1024 rows, get_rows, clamp, argsort, get_rows, view",
      may_be_in_topmost_part,
      select_by_radix },
    { "largest of numbers",
      OpId::argmax,
      { Family::cuda, Family::other },
      "the index is -1 if every number is -inf, -FLT_MAX or NaN, and get_rows then reads out of bounds",
      "clamp, argmax",
      may_have_no_largest,
      largest_of_numbers },
    { "softmax by steps",
      OpId::soft_max,
      { Family::vulkan },
      "above 16384 rows Vulkan takes the maximum of some chunks only: NaN if all of these are masked, inf if they are far below "
      "the real maximum",
      "argmax, get_rows, sub, exp, sum_rows, div",
      is_too_wide,
      soft_max_by_steps },
};

} // namespace

// ggml stores a struct whose padding is uninitialized; nodes are compared byte by byte, so it is cleared.
Tensor custom(Builder & b, ggml_type type, int64_t dim, std::span<const Tensor> operands, ggml_custom_op_t kernel,
              int threads, void * attrs) {
    const Tensor result  = ggml_custom_4d(b.context, type, dim, b.rows, 1, 1, const_cast<Tensor *>(operands.data()),
                                          static_cast<int>(operands.size()), kernel, threads, attrs);
    result->op_params[3] = 0; // after the function's address and the number of threads
    return b.made(result);
}

const Rewrite & fused_rewrite() {
    static const Rewrite rewrite = { "one pass",
                                     OpId::input,
                                     { Family::cpu },
                                     "each op alone reads and writes a whole column",
                                     "one kernel for all ops, block by block",
                                     nullptr,
                                     nullptr };
    return rewrite;
}

const Rewrite & bundled_rewrite() {
    static const Rewrite rewrite = { "one bundle",
                                     OpId::input,
                                     { Family::cpu },
                                     "all threads wait for each other after each op",
                                     "one node for all small ops, on one thread",
                                     nullptr,
                                     nullptr };
    return rewrite;
}

const std::vector<Rewrite> & rewrite_table() {
    return rewrites;
}

const Rewrite * rewrite_of(const Builder & b, const Node & node, const Tensor * operands) {
    const auto found = std::find_if(rewrites.begin(), rewrites.end(), [&](const Rewrite & rewrite) {
        const auto & on    = rewrite.families;
        const bool   is_on = on.empty() || std::find(on.begin(), on.end(), b.family) != on.end();
        // one that some other device needs is right everywhere; those of the CPU are our own kernels
        const bool is_safe = b.family == Family::unknown && !on.empty() && on.front() != Family::cpu;
        return (is_on || is_safe) && rewrite.op == id_of(node) && rewrite.applies(b, node, operands);
    });
    return found == rewrites.end() ? nullptr : &*found;
}

} // namespace ggsl
