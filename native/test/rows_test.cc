// Several outputs of one sequence in a batch, beside other sequences and with guides: each row has its own uniforms and results.
#include "llama/context.h"
#include "check.h"
#include "words.h"

#include <algorithm>

namespace ggsl::test {

namespace {

constexpr size_t  rows      = 3;
constexpr int32_t sequences = 5; // 0 with the guide 1, 2 with the guide 3, and 4 with a chain of its own
constexpr float   signs[]   = { 1.0f, -1.0f, 1.0f };

// Picks the largest logit, times a uniform; with a guide the sum of both logits. The next state is the uniform plus 1.
std::shared_ptr<const Graph> make_chain(bool is_guided) {
    Words words;
    if (is_guided) {
        words.inputs.insert(words.inputs.end(), { 0, V, 1 });
    }
    int32_t logits = words.the_logits();
    if (is_guided) {
        logits = words.f32(OpId::add, V, { logits, words.f32(OpId::input, V, {}, { 1, 0, V }) });
    }
    const int32_t sign              = words.uniform();
    const int32_t signed_logits     = words.f32(OpId::mul, V, { logits, sign });
    words.sampled                   = words.i32(OpId::argmax, 1, { signed_logits });
    words.states                    = { words.f32(OpId::scale, 1, { sign }, { bits(1.0f), bits(1.0f) }) };
    const std::vector<int32_t> wire = words.finish();
    return std::make_shared<const Graph>(decode_wire(wire.data(), wire.size()));
}

ContextOptions options_for(int32_t row_count) {
    ContextOptions options;
    options.context_size = 512;
    options.threads      = 1;
    options.sequences    = sequences;
    options.rows         = row_count;
    options.outputs      = row_count * sequences;
    const auto guided    = make_chain(true);
    options.chains       = { guided, guided, guided, guided, make_chain(false) };
    options.guides       = { 0, 1, 0, 1, 0 };
    return options;
}

bool is_guide(int32_t sequence) {
    return sequence == 1 || sequence == 3;
}

// `count` tokens of each sequence from `from` on; all have outputs of the kind, or none.
Batch batch_of(int32_t from, int32_t count, uint8_t output) {
    Batch batch;
    for (int32_t sequence = 0; sequence < sequences; ++sequence) {
        for (int32_t at = from; at < from + count; ++at) {
            batch.tokens.push_back(260 + 31 * sequence + 7 * at);
            batch.positions.push_back(at);
            batch.sequences.push_back(sequence);
            batch.outputs.push_back(output);
        }
    }
    return batch;
}

void set_feeds(Context & context, size_t row_count) {
    for (int32_t sequence = 0; sequence < sequences; ++sequence) {
        for (size_t row = 0; row < row_count && !is_guide(sequence); ++row) {
            context.sampler(sequence).set_uniforms({ signs[row] }, row);
        }
    }
    context.set_guide(0, 1, 1);
    context.set_guide(2, 1, 3);
}

constexpr int32_t prompt = 6;

// The outputs after a prompt, with the raw logits of all rows. `grows`: rows are added to the context after the prompt.
std::vector<Output> outputs_of(const std::shared_ptr<Model> & model, bool grows) {
    Context context(model, options_for(grows ? 1 : static_cast<int32_t>(rows)));
    set_feeds(context, 1);
    context.decode(batch_of(0, prompt, 0));
    if (grows) {
        context.set_rows(rows, rows * sequences);
    }
    check_fails("a row without uniforms", [&] { context.decode(batch_of(prompt, rows, 1)); });
    set_feeds(context, rows);
    Batch uneven         = batch_of(prompt, rows, 1);
    uneven.outputs[rows] = 0; // of the first guide
    check_fails("a guide with fewer rows", [&] { context.decode(uneven); });
    check_fails("an unknown kind of output", [&] { context.decode(batch_of(prompt, rows, 3)); });
    check_fails("row 64", [&] { context.sampler(0).set_uniforms({ 1.0f }, 64); });
    check_fails("65 rows", [&] { context.set_rows(65, 0); });
    std::vector<Output> outputs = context.decode(batch_of(prompt, rows, raw_output));

    // refused tokens are removed, and the rows are computed again, without raw logits
    for (int32_t sequence = 0; sequence < sequences; ++sequence) {
        context.remove(sequence, prompt);
    }
    const std::vector<Output> again = context.decode(batch_of(prompt, rows, 1));
    for (size_t i = 0; i < outputs.size(); ++i) {
        CHECK(again[i].raw.empty() && again[i].results.sampled == outputs[i].results.sampled, "output %zu again", i);
    }
    return outputs;
}

} // namespace

void test_rows(const char * model_path) {
    const auto                model   = std::make_shared<Model>(model_path, ModelOptions{});
    const std::vector<Output> outputs = outputs_of(model, false);
    CHECK(outputs.size() == rows * sequences, "%zu outputs", outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
        const auto     sequence = static_cast<int32_t>(i / rows);
        const Output & output   = outputs[i];
        CHECK(output.sequence == sequence, "output %zu is of sequence %d", i, output.sequence);
        CHECK(output.raw.size() == static_cast<size_t>(model->vocab_size()), "output %zu has %zu raw logits", i,
              output.raw.size());
        if (is_guide(sequence)) {
            CHECK(output.results.sampled.empty(), "the guide %d picked a token", sequence);
            continue;
        }
        const float        sign   = signs[i % rows];
        std::vector<float> values = output.raw;
        for (size_t token = 0; token < values.size(); ++token) {
            values[token] = sign * (values[token] + (sequence == 4 ? 0.0f : outputs[i + rows].raw[token]));
        }
        const auto best = static_cast<int32_t>(std::max_element(values.begin(), values.end()) - values.begin());
        CHECK(output.results.sampled == std::vector<int32_t>{ best }, "row %zu of sequence %d", i % rows, sequence);
        CHECK(output.results.states == std::vector<float>{ sign + 1.0f }, "the state of row %zu", i % rows);
    }

    const std::vector<Output> grown = outputs_of(model, true);
    for (size_t i = 0; i < outputs.size(); ++i) {
        check_near(grown[i].raw, outputs[i].raw, "the logits after rows were added");
        CHECK(grown[i].results.sampled == outputs[i].results.sampled, "output %zu after rows were added", i);
    }
}

} // namespace ggsl::test
