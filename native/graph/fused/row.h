// One row (sequence) of a program: its numbers, the intervals of its blocks, and the blocks that had to be computed.
#pragma once

#include "../wire.h"
#include "best.h"
#include "intervals.h"
#include "sorter.h"

#include <span>

namespace ggsl::fused {

class Row {
public:
    explicit Row(const Program & program);

    // The data of the inputs, one per input, the uniforms, and the outputs.
    void run(std::span<const void * const> given, std::span<const float> uniform_values,
             std::span<void * const> outputs);

private:
    using Id = size_t;

    const Step & step(Id id) const { return program.steps[id]; }
    size_t       first_of(size_t at) const { return at * block; }
    size_t       length_of(size_t at) const { return std::min<size_t>(block, n - first_of(at)); }
    float *      lo_of(Id id) { return &intervals[2 * id * count]; }
    float *      hi_of(Id id) { return &intervals[(2 * id + 1) * count]; }
    // Whether the block holds one number.
    bool is_even(Id id, size_t at) { return lo_of(id)[at] == hi_of(id)[at]; }
    // The step whose block has the same numbers, and is computed in place of this one's.
    Id same_as(Id id, size_t at);

    void begin_level();
    void set_number(Id id);
    // Visits the blocks of the level's reductions and outputs.
    void read_blocks();
    void read_block(size_t at);
    // Where `at` reads and `put` writes.
    size_t position_of(const Step & s) const;
    bool   needs(Id id, size_t at);
    void   reduce(Id id, size_t at);
    void   offer(Id id, float value, size_t position);
    void   end_level();
    void   store(const Output & output, size_t at);

    // Visits the blocks that may have some of the best, and no other ones.
    void find_best(Id id);
    // Writes what is known at the end of the level, but for whole columns.
    void write(const Output & output, void * to);
    // The column whose numbers in the block are not smaller, and lie elsewhere; none: -1.
    int32_t above(Id id, size_t at);
    bool    is_at_most(int32_t id, size_t at, float number);
    // A column's numbers at some positions, without its blocks.
    const float * numbers_at(Id column, std::span<const int32_t> positions);
    void          take(Id id, std::span<const int32_t> positions, float * to, const float * memory);

    // Numbers one after another, or the same one for all if `step` is 0.
    struct Operand {
        const float * x;
        size_t        step;
    };
    // The numbers of an elementwise step; `b` is read if it has a second operand.
    static void compute_each(const Step & s, Operand a, Operand b, float * to, size_t n);

    // Finds the intervals of a column of the level.
    void      begin_column(Id id);
    void      set_intervals(Id id, size_t first, size_t last);
    void      gather_intervals(Id id, size_t first, size_t last);
    void      put_intervals(Id id, size_t first, size_t last);
    void      scan_intervals(Id id, size_t first, size_t last);
    bool      is_scan_of(int32_t scan, int32_t x) const;
    void      exclusive_intervals(Id id, size_t first, size_t last);
    Intervals intervals_of(int32_t id, size_t first);
    Bounds    bounds_of(Id id);
    // Finds the intervals of a block again, of the first `levels`, if more is known of sorted columns.
    void refresh(size_t at, int32_t levels);

    // The words of a block of `bits`.
    const int32_t * words_of(Id id, size_t at) const {
        return static_cast<const int32_t *>(given[static_cast<size_t>(step(id).source)]) + first_of(at) / word_bits;
    }
    // How many of the bits are set.
    size_t ones_in(Id id, size_t at) const;
    // Whether a reduction adds bits, and reads no numbers.
    bool is_counted(Id reduction, size_t at);
    // The sum of a block that is no number.
    double sum_of(Id id, size_t at);

    // The column of `stored`.
    const float * whole(Id stored) const;
    // Which step's are the starts of a scan.
    Id starts_of(Id scan) const { return step(scan).a < 0 ? scan : static_cast<Id>(step(scan).a); }

    // Computes the block of the wanted columns.
    void compute(std::span<const Id> wanted, size_t at);
    void compute_now(std::span<const Id> wanted, size_t at);
    // Sums blocks up to this one.
    void          extend(Id scan, size_t at);
    void          compute_step(Id id, size_t at);
    void          take_in_order(Id id, size_t at);
    const float * column(Id id, size_t at) const;
    float *       target(Id id, size_t at);

    // What a reduction has found so far.
    struct Found {
        double sum;
        float  most;
        size_t position;
    };

    const Program & program;
    const size_t    n;
    const size_t    count; // of blocks

    std::vector<float *>             places;   // where a step's column is, or its block
    std::vector<const float *>       sources;  // of columns that lie elsewhere
    std::vector<bool>                is_whole; // whether a step's place holds all blocks
    std::vector<float>               numbers;
    std::vector<float>               intervals;
    std::vector<std::vector<double>> starts; // the sums before each block, as far as they are known
    std::vector<size_t>              latest; // the block that a step's place holds
    std::vector<std::vector<bool>>   kept;
    std::vector<Found>               found;
    std::vector<bool>                wanted;

    struct OrderMemory {
        int32_t *    positions;
        cpu::Keyed * pairs;
    };

    std::vector<Sorter>          sorters; // of the steps `order`
    std::vector<Best>            bests;   // of the steps `best`
    std::vector<OrderMemory>     orders_at;
    std::vector<std::vector<Id>> scans;       // those without `blocks` that a column depends on
    std::vector<Bounds>          overall;     // of gathered and scanned columns
    std::vector<Id>              sorted;      // columns that depend on an order
    size_t                       version = 0; // rises whenever more is known of these
    std::vector<size_t>          fresh;       // the version that a block's intervals are of
    int32_t                      level = 0;

    std::vector<Id>               reading; // reductions of the level
    std::vector<const Output *>   storing; // outputs of the level
    std::vector<Id>               roots, pending;
    std::span<void * const>       outputs;
    std::span<const void * const> given;
    std::span<const float>        uniforms;
};

} // namespace ggsl::fused
