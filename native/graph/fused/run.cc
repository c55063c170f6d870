#include "run.h"

#include "row.h"

#include <array>

namespace ggsl::fused {

namespace {

const void * row_of(const ggml_tensor * tensor, int64_t row) {
    return static_cast<const char *>(tensor->data) + row * static_cast<int64_t>(tensor->nb[1]);
}

} // namespace

void run(ggml_tensor * dst, int thread, int threads, void * data) {
    const auto &  program = *static_cast<const Program *>(data);
    const size_t  inputs  = program.inputs.size();
    const int64_t rows    = dst->ne[1];
    if (thread >= rows) {
        return;
    }
    Row                                    state(program);
    std::array<const void *, GGML_MAX_SRC> given{};
    std::vector<void *>                    outputs(program.outputs.size());
    std::vector<float>                     uniforms;
    for (int64_t row = thread; row < rows; row += threads) {
        for (size_t i = 0; i < inputs; ++i) {
            given[i] = row_of(dst->src[i], row);
        }
        for (size_t i = 0; i < outputs.size(); ++i) {
            const Output & output = program.outputs[i];
            outputs[i]            = static_cast<float *>(dst->data) + output.offset * rows + row * output.dim;
        }
        if (program.reads_uniforms) {
            const ggml_tensor * all = dst->src[inputs];
            uniforms.resize(static_cast<size_t>(all->ne[1]));
            for (size_t i = 0; i < uniforms.size(); ++i) {
                uniforms[i] = static_cast<const float *>(row_of(all, static_cast<int64_t>(i)))[row];
            }
        }
        state.run({ given.data(), inputs }, uniforms, outputs);
    }
}

} // namespace ggsl::fused
