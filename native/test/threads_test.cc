// The threads of the addon under ThreadSanitizer: ggsl_threads_test FOLDER_OF_LIBRARIES MODEL. As in the addon, a decode runs on
// another thread, and only `abort` may reach the context meanwhile; different contexts of a model decode at the same time,
// while the main thread loads models, and uses evaluators, tails and the vocabulary. A context has one ggml thread: ggml's own
// barriers are not instrumented. Our own kernels run on threads of the test, without them.
#include "graph/backend.h"
#include "graph/bind.h"
#include "graph/failure.h"
#include "graph/graph.h"
#include "llama/context.h"
#include "llama/tail.h"
#include "check.h"
#include "words.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <thread>

namespace ggsl::test {

namespace {

using GraphPtr = std::shared_ptr<const Graph>;

// Picks the largest of the logits times a uniform.
GraphPtr greedy() {
    Words words;
    words.sampled = words.i32(OpId::argmax, 1, { words.f32(OpId::mul, V, { words.the_logits(), words.uniform() }) });
    const std::vector<int32_t> wire = words.finish();
    return std::make_shared<const Graph>(decode_wire(wire.data(), wire.size()));
}

// The largest of the negated logits.
GraphPtr unlikely() {
    Words words;
    words.sampled                   = words.i32(OpId::argmax, 1, { words.f32(OpId::neg, V, { words.the_logits() }) });
    const std::vector<int32_t> wire = words.finish();
    return std::make_shared<const Graph>(decode_wire(wire.data(), wire.size()));
}

// `count` tokens of a sequence, with an output after the last.
void add(Batch & batch, int32_t sequence, int32_t position, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        batch.tokens.push_back(300 + i % 100);
        batch.positions.push_back(position + i);
        batch.sequences.push_back(sequence);
        batch.outputs.push_back(i == count - 1 ? 1 : 0);
    }
}

// The code of the failure; empty if there is none.
template <typename Work> std::string failure_of(Work work) {
    try {
        work();
        return "";
    } catch (const Failure & failure) {
        return failure.code;
    }
}

ContextOptions options_of(int32_t sequences, GraphPtr graph) {
    ContextOptions options;
    options.context_size = 256 * sequences;
    options.sequences    = sequences;
    options.threads      = 1;
    options.chains.assign(static_cast<size_t>(sequences), std::move(graph));
    return options;
}

// One context: between decodes the main thread changes chains and uniforms, joins and removes sequences, and reads statistics;
// during some it aborts.
void use_context(const std::shared_ptr<Model> & model, int rounds) {
    const GraphPtr graphs[] = { greedy(), unlikely() };
    auto           context  = std::make_shared<Context>(model, options_of(3, graphs[0]));
    int            aborted  = 0;
    for (int round = 0; round < rounds; ++round) {
        for (int32_t sequence = 0; sequence < 3; ++sequence) {
            context->set_chain(sequence, graphs[(round + sequence) % 2]);
            if ((round + sequence) % 2 == 0) {
                context->sampler(sequence).set_uniforms({ 1.0f + static_cast<float>(round) });
            }
            context->remove(sequence, 0);
        }
        Batch batch;
        add(batch, 0, 0, 60);
        if (round % 3 != 0) {
            add(batch, 1 + round % 2, 0, 40);
        }
        std::future<std::string> decoding = std::async(std::launch::async, [target = context, batch] {
            return failure_of([&] { CHECK(!target->decode(batch).empty(), "no output"); });
        });
        if (round % 4 == 1) {
            std::this_thread::sleep_for(std::chrono::microseconds(200 * (round % 7)));
            context->abort();
        }
        const std::string code = decoding.get();
        CHECK(code.empty() || (round % 4 == 1 && code == code::aborted), "round %d: %s", round, code.c_str());
        aborted += code.empty() ? 0 : 1;
        CHECK(context->stats().threads == 1, "threads");
        context->graph_nodes();
        context->copy(0, 2);
    }
    std::printf("%d of %d decodes were aborted\n", aborted, rounds);
}

// A context that is disposed of while it decodes lives until the decode ends, on the other thread.
void dispose_while_decoding(const std::shared_ptr<Model> & model) {
    auto context = std::make_shared<Context>(model, options_of(1, greedy()));
    context->sampler(0).set_uniforms({ 1.0f });
    Batch batch;
    add(batch, 0, 0, 200);
    std::thread thread([target = context, batch] { failure_of([&] { target->decode(batch); }); });
    context->abort();
    context.reset();
    thread.join();
}

void use_main_thread(const std::string & path, const std::shared_ptr<Model> & model) {
    const Model loaded(path, {});
    CHECK(failure_of([] { const Model missing("no-such-model.gguf", {}); }) == code::invalid_model, "a missing model");
    CHECK(!model->tokenize("In the beginning", true, false).empty(), "tokens");
    CHECK(!model->pieces().bytes.empty() && !model->description().empty() && !model->metadata().empty(), "the model");
    CHECK(!devices().empty(), "devices");

    Evaluator                evaluator(*greedy(), 4, 1, device_by_name("CPU"), 1);
    const std::vector<float> logits = { 1, 4, 2, 3 }, uniforms = { 2 };
    CHECK(evaluator.run({ logits, uniforms, {} }).sampled == std::vector<int32_t>{ 1 }, "the evaluator");

    Tail                     tail({ { "grammar", { { "text", { std::string("root ::= [a-z ]*") } } } } }, model);
    std::vector<int32_t>     tokens(static_cast<size_t>(model->vocab_size()));
    const std::vector<float> rows(tokens.size(), 0.0f);
    for (size_t i = 0; i < tokens.size(); ++i) {
        tokens[i] = static_cast<int32_t>(i);
    }
    CHECK(!tail.apply(tokens, rows).tokens.empty(), "the tail");
}

// A wide column through our own kernels: a sort, a gather and a scan, which may be one pass.
GraphPtr wide() {
    Words         words;
    const int32_t scaled            = words.f32(OpId::mul, V, { words.the_logits(), words.uniform() });
    const int32_t powers            = words.f32(OpId::exp, V, { words.f32(OpId::neg, V, { scaled }) });
    const int32_t probs             = words.f32(OpId::div, V, { powers, words.f32(OpId::sum_rows, 1, { powers }) });
    const int32_t order             = words.i32(OpId::argsort, V, { probs }, { 1 });
    const int32_t sorted            = words.f32(OpId::get_rows, V, { probs, order });
    const int32_t sums              = words.f32(OpId::cumsum, V, { sorted });
    const int32_t picked            = words.f32(OpId::mul, V, { sums, words.f32(OpId::exp, V, { sorted }) });
    words.sampled                   = words.i32(OpId::argmax, 1, { picked });
    const std::vector<int32_t> wire = words.finish();
    return std::make_shared<const Graph>(decode_wire(wire.data(), wire.size()));
}

// As ggml keeps them in a node.
struct CustomOp {
    ggml_custom_op_t function;
    int              threads;
    void *           attrs;
};

// A node computed by several threads that run at once, as ggml's threads do between two barriers.
void compute(ggml_tensor * node, int threads) {
    CustomOp op;
    std::memcpy(&op, node->op_params, sizeof(op));
    const int                used = op.threads > 0 ? std::min(op.threads, threads) : threads;
    std::vector<std::thread> running;
    for (int i = 0; i < used; ++i) {
        running.emplace_back([&, i] { op.function(node, i, used, op.attrs); });
    }
    for (std::thread & thread : running) {
        thread.join();
    }
}

// The picked tokens of all rows.
std::vector<int32_t> picked_by(const BoundGraph & bound, int32_t rows, int threads) {
    constexpr size_t                                              memory = 64 << 20;
    const std::unique_ptr<ggml_context, void (*)(ggml_context *)> context(ggml_init({ memory, nullptr, false }),
                                                                          ggml_free);
    ggml_tensor * logits = ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, bound.vocab_size, rows);
    const Built   built  = build_graph(context.get(), bound, rows, logits, Family::cpu);
    auto * const  values = static_cast<float *>(logits->data);
    for (int64_t i = 0; i < ggml_nelements(logits); ++i) {
        values[i] = static_cast<float>((i * 7919) % 1009) / 100.0f;
    }
    std::fill_n(static_cast<float *>(built.uniforms->data), rows, 1.5f);
    int kernels = 0;
    for (ggml_tensor * tensor : built.tensors) {
        const bool is_memory =
            tensor->op == GGML_OP_NONE || tensor->op == GGML_OP_VIEW || tensor->op == GGML_OP_RESHAPE;
        CHECK(is_memory || tensor->op == GGML_OP_CUSTOM, "%s is no kernel of ours", ggml_op_desc(tensor));
        if (!is_memory) {
            ++kernels;
            compute(tensor, threads);
        }
    }
    CHECK(kernels > 0, "no kernel of ours");
    const auto * sampled = static_cast<const int32_t *>(built.sampled->data);
    return { sampled, sampled + rows };
}

void share_kernels() {
    constexpr int32_t vocab_size = 3000, rows = 9;
    const BoundGraph  bound = bind_graph(*wide(), vocab_size);
    CHECK(bound.fusion != nullptr, "nothing is fused");
    CHECK(picked_by(bound, rows, 4) == picked_by(bound, rows, 1), "threads change the result");
}

void run(const std::string & path) {
    share_kernels();
    const auto               model = std::make_shared<Model>(path, ModelOptions{ 0, {}, {} });
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] { use_context(model, 40); });
    }
    for (int i = 0; i < 10; ++i) {
        use_main_thread(path, model);
        dispose_while_decoding(model);
    }
    for (std::thread & thread : threads) {
        thread.join();
    }
}

} // namespace

} // namespace ggsl::test

int main(int count, char ** arguments) {
    CHECK(count == 3, "usage: ggsl_threads_test FOLDER_OF_LIBRARIES MODEL");
    ggsl::capture_logs();
    std::thread other([&] { ggsl::load_backends(arguments[1]); });
    ggsl::load_backends(arguments[1]);
    other.join();
    ggsl::test::test_automaton_threads();
    ggsl::test::run(arguments[2]);
    std::puts("all tests of threads passed");
    return 0;
}
