#include "readout.h"

#include <algorithm>
#include <cstring>

namespace ggsl {

Readout::Readout(ggml_context * context, const Built & built, int64_t rows, Family family) {
    const auto add = [&](Kind kind, ggml_tensor * tensor) {
        if (tensor != nullptr) {
            fields.push_back({ kind, tensor, false });
        }
    };
    add(Kind::sampled, built.sampled);
    add(Kind::candidates, built.candidates);
    add(Kind::logits, built.logits);
    add(Kind::probs, built.probs);
    for (ggml_tensor * state : built.states) {
        add(Kind::state, state);
    }
    for (ggml_tensor * tap : built.taps) {
        add(Kind::tap, tap);
    }
    // the memory of the CPU is the host's
    if (family != Family::cpu) {
        pack(context, rows);
    }
    for (const Field & field : fields) {
        if (!field.is_packed) {
            computed.push_back(field.tensor);
        }
    }
}

void Readout::pack(ggml_context * context, int64_t rows) {
    std::vector<Field *> chosen;
    int64_t              size = 0;
    for (Field & field : fields) {
        // ids are below 2^24, so an f32 holds them exactly; integers of a tapped node may be larger
        if (field.tensor->type == GGML_TYPE_F32 || field.kind != Kind::tap) {
            chosen.push_back(&field);
            size += field.tensor->ne[0] * rows;
        }
    }
    if (chosen.size() < 2) {
        return;
    }
    // The first with room for the others, which are copied there: ggml's scheduler needs an op to choose a device by.
    const auto flat   = [&](ggml_tensor * tensor) { return ggml_reshape_1d(context, tensor, ggml_nelements(tensor)); };
    size_t     offset = 0;
    for (Field * field : chosen) {
        field->is_packed    = true;
        ggml_tensor * value = flat(field->tensor);
        if (packed == nullptr) {
            value  = value->type == GGML_TYPE_F32 ? value : ggml_cast(context, value, GGML_TYPE_F32);
            packed = ggml_pad(context, value, static_cast<int>(size - value->ne[0]), 0, 0, 0);
            ggml_set_name(packed, "packed");
            ggml_set_output(packed);
        } else {
            computed.push_back(ggml_cpy(context, value, ggml_view_1d(context, packed, value->ne[0], offset)));
        }
        offset += static_cast<size_t>(value->ne[0]) * sizeof(float);
    }
}

size_t Readout::reads() const {
    const auto alone = [](const Field & field) { return !field.is_packed; };
    return static_cast<size_t>(std::count_if(fields.begin(), fields.end(), alone)) + (packed == nullptr ? 0 : 1);
}

size_t Readout::bytes_per_row() const {
    size_t sum = 0;
    for (const Field & field : fields) {
        sum += static_cast<size_t>(field.tensor->ne[0]) * ggml_type_size(field.tensor->type);
    }
    return sum;
}

void Readout::read() {
    std::vector<uint32_t> together;
    if (packed != nullptr) {
        together.resize(static_cast<size_t>(ggml_nelements(packed)));
        ggml_backend_tensor_get(packed, together.data(), 0, ggml_nbytes(packed));
    }
    auto from = together.begin();
    for (Field & field : fields) {
        const int64_t count = ggml_nelements(field.tensor);
        if (field.is_packed) {
            field.data.assign(from, from + count);
            from += count;
        } else {
            field.data.resize(static_cast<size_t>(count));
            ggml_backend_tensor_get(field.tensor, field.data.data(), 0, ggml_nbytes(field.tensor));
        }
    }
    is_read = true;
}

template <typename T> std::vector<T> Readout::values(const Field & field, int64_t row) const {
    std::vector<T> found(static_cast<size_t>(field.tensor->ne[0]));
    const auto *   from = field.data.data() + row * field.tensor->ne[0];
    if (std::is_same_v<T, int32_t> && field.is_packed) {
        std::vector<float> numbers(found.size());
        std::memcpy(numbers.data(), from, numbers.size() * sizeof(float));
        std::transform(numbers.begin(), numbers.end(), found.begin(), [](float x) { return static_cast<T>(x); });
    } else {
        std::memcpy(found.data(), from, found.size() * sizeof(T));
    }
    return found;
}

Results Readout::row(int64_t row) {
    if (!is_read) {
        read();
    }
    Results results;
    for (const Field & field : fields) {
        switch (field.kind) {
            case Kind::sampled:    results.sampled = values<int32_t>(field, row); break;
            case Kind::candidates: results.candidates = values<int32_t>(field, row); break;
            case Kind::logits:     results.logits = values<float>(field, row); break;
            case Kind::probs:      results.probs = values<float>(field, row); break;
            case Kind::state:      results.states.push_back(values<float>(field, row)[0]); break;
            case Kind::tap:
                if (field.tensor->type == GGML_TYPE_F32) {
                    results.taps.emplace_back(values<float>(field, row));
                } else {
                    results.taps.emplace_back(values<int32_t>(field, row));
                }
                break;
        }
    }
    return results;
}

size_t max_readout_tensors(const BoundGraph & bound) {
    const size_t fields = 4 + bound.graph.states.size() + bound.graph.taps.size();
    // a cast and room for the first; of the others, a view, one to copy to and the copy
    return 3 * fields + 2;
}

} // namespace ggsl
