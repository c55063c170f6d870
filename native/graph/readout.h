// What the host reads of a graph that is part of a model's: the outputs, states and taps of all its rows. On a device they are copied
// into one tensor, because each read waits for the device, and over a network for a turn on the wire.
#pragma once

#include "evaluate.h"

namespace ggsl {

class Readout {
public:
    Readout() = default;
    // `built` with R = `rows` rows. Its tensors, and those that this adds to `context`, must live until the last read.
    Readout(ggml_context * context, const Built & built, int64_t rows, Family family);

    // What the graph must compute.
    const std::vector<ggml_tensor *> & roots() const { return computed; }
    // How many reads bring the values of one run to the host, and their bytes for one row.
    size_t reads() const;
    size_t bytes_per_row() const;

    // Another run follows.
    void clear() { is_read = false; }
    // The values of one row. The first call after a run reads all rows.
    Results row(int64_t row);

private:
    enum class Kind { sampled, candidates, logits, probs, state, tap };
    struct Field {
        Kind                  kind;
        ggml_tensor *         tensor;    // [dim, R]
        bool                  is_packed; // part of `packed`, where integers are f32
        std::vector<uint32_t> data = {}; // R x dim, once read
    };

    void                                 pack(ggml_context * context, int64_t rows);
    void                                 read();
    template <typename T> std::vector<T> values(const Field & field, int64_t row) const;

    std::vector<Field> fields;
    ggml_tensor * packed = nullptr; // f32, one field after the other, in their order; null if each is read by itself
    std::vector<ggml_tensor *> computed;
    bool                       is_read = false;
};

// Tensors that a readout of `bound` adds to a context, at most.
size_t max_readout_tensors(const BoundGraph & bound);

} // namespace ggsl
