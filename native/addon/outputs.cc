#include "outputs.h"

namespace ggsl::addon {

Batch to_batch(const Napi::Value & value) {
    const Napi::Object given = to_object(value, "batch");
    Batch              batch;
    batch.tokens    = to_vector<int32_t>(given.Get("tokens"), "tokens");
    batch.positions = to_vector<int32_t>(given.Get("positions"), "positions");
    batch.sequences = to_vector<int32_t>(given.Get("sequences"), "sequences");
    batch.outputs   = to_vector<uint8_t>(given.Get("outputs"), "outputs");
    if (const Napi::Value pairs = given.Get("followers"); !pairs.IsUndefined()) {
        const auto numbers = to_vector<int32_t>(pairs, "followers");
        if (numbers.size() % 2 != 0) {
            fail(code::invalid_argument, "followers: expected pairs of sequences, found %zu numbers", numbers.size());
        }
        for (size_t i = 0; i < numbers.size(); i += 2) {
            batch.followers.push_back({ numbers[i], numbers[i + 1] });
        }
    }
    return batch;
}

Napi::Value from_outputs(Napi::Env env, const std::vector<Output> & outputs) {
    Napi::Array list = Napi::Array::New(env, outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
        Napi::Object output = from_results(env, outputs[i].results);
        output.Set("sequence", outputs[i].sequence);
        if (!outputs[i].raw.empty()) {
            output.Set("raw", from_vector(env, outputs[i].raw));
        }
        list.Set(static_cast<uint32_t>(i), output);
    }
    return list;
}

} // namespace ggsl::addon
