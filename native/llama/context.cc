#include "context.h"

#include "graph/backend.h"
#include "graph/failure.h"
#include "facts.generated.h"
#include "return_memory.h"
#include "states.h"

#include <llama-ext.h> // a private header of the release that this is linked to

#include <algorithm>

namespace ggsl {

void Context::ContextDeleter::operator()(llama_context * pointer) const {
    llama_free(pointer);
    return_memory();
}

Context::Context(std::shared_ptr<Model> loaded, const ContextOptions & given)
    : model(std::move(loaded)), options(given) {
    if (!model->has_weights()) {
        fail(code::invalid_argument, "only the vocabulary of this model was loaded, which cannot generate");
    }
    model->check_generates("the model");
    check_options(options);
    const std::vector<std::shared_ptr<const Graph>> graphs = std::exchange(options.chains, {});
    const std::vector<uint8_t>                      guides = std::exchange(options.guides, {});
    // a sequence and its guides are part of one graph
    const bool has_one =
        shares_for(options.rows) || std::any_of(guides.begin(), guides.end(), [](uint8_t is) { return is != 0; });
    if (has_one || model->is_recurrent() || llama_model_n_swa(model->get()) > 0) {
        options.cache = Cache::shared;
    }
    for (size_t i = 0; i < graphs.size(); ++i) {
        if (graphs[i] != nullptr) {
            const auto sequence = static_cast<int32_t>(i);
            const bool is_guide = i < guides.size() && guides[i] != 0;
            chains[sequence]    = make_chain(sequence, graphs[i], is_guide ? Role::guides : Role::picks);
        }
    }
    context            = open();
    cache_bytes        = bytes().cache;
    llama_batch_memory = llama_batch_init(static_cast<int32_t>(llama_n_batch(context.get())), 0, 1);
}

// With the chains, which must be new.
Context::Handle Context::open() {
    llama_context_params params = to_params(options);
    params.abort_callback       = [](void * data) { return static_cast<std::atomic<bool> *>(data)->load(); };
    params.abort_callback_data  = &abort_requested;
    output_limit                = params.n_outputs_max;

    std::vector<llama_sampler_seq_config> configs;
    for (const auto & [sequence, chain] : chains) {
        configs.push_back({ sequence, chain.chain.get() });
    }
    if (options.placement == Placement::graph) {
        assembler = make_assembler([this] { return groups_to_build(); });
        configs.push_back({ assembler_sequence, assembler.get() });
        params.samplers   = configs.data();
        params.n_samplers = configs.size();
    }

    const LogCapture log;
    Handle           opened(llama_init_from_model(model->get(), params));
    if (!opened) {
        fail(code::out_of_memory, "cannot create a context of %d tokens and %d sequences%s", options.context_size,
             options.sequences, log.suffix().c_str());
    }
    for (const auto & [sequence, chain] : chains) {
        check_refusal(*chain.sampler);
    }
    return opened;
}

std::vector<GroupToBuild> Context::groups_to_build() const {
    std::vector<GroupToBuild> found;
    for (const auto & [sequence, chain] : chains) {
        SamplerGroup * const group = chain.sampler->shared_group().get();
        if (chain.sampler->is_guide()) {
            continue;
        }
        const auto known =
            std::find_if(found.begin(), found.end(), [&](const GroupToBuild & other) { return other.group == group; });
        if (known == found.end()) {
            found.push_back({ group, chain.sampler->is_active() });
        } else {
            known->is_active = known->is_active || chain.sampler->is_active();
        }
    }
    return found;
}

// So that one graph computes drafts, of which each sequence has its own number of rows.
bool Context::shares_for(int32_t rows) const {
    return rows > 1 && options.sequences <= facts::drafting_together;
}

void Context::set_rows(int32_t rows, int32_t outputs) {
    if (rows <= options.rows && outputs <= options.outputs) {
        return;
    }
    ContextOptions changed = options;
    changed.rows           = std::max(rows, options.rows);
    changed.outputs        = std::max(outputs, options.outputs);
    changed.cache          = shares_for(changed.rows) ? Cache::shared : options.cache;
    check_options(changed);
    reopen(changed);
}

void Context::share_cache() {
    if (options.cache != Cache::shared) {
        ContextOptions changed = options;
        changed.cache          = Cache::shared;
        reopen(changed);
    }
}

// A llama.cpp context has a chain once, so the new one gets chains of its own. The old ones are freed after the old context.
void Context::reopen(const ContextOptions & changed) {
    const ContextOptions     old_options   = std::exchange(options, changed);
    SamplerPtr               old_assembler = std::move(assembler);
    std::map<int32_t, Chain> old_chains    = std::move(chains);
    chains.clear();
    Handle opened;
    try {
        for (const auto & [sequence, old] : old_chains) {
            const Role role  = old.sampler->is_guide() ? Role::guides : Role::picks;
            chains[sequence] = make_chain(sequence, old.sampler->shared_group()->source(), role);
            chains[sequence].sampler->take_feeds(*old.sampler);
        }
        opened = open();
        copy_sequences(context.get(), old_options.cache == Cache::shared, opened.get(), options.cache == Cache::shared);
    } catch (...) {
        opened.reset();
        chains    = std::move(old_chains);
        assembler = std::move(old_assembler);
        options   = old_options;
        throw;
    }
    context = std::move(opened);
    chain_stats.reset();
    llama_batch_free(llama_batch_memory);
    llama_batch_memory = llama_batch_init(static_cast<int32_t>(llama_n_batch(context.get())), 0, 1);
}

Context::~Context() {
    llama_batch_free(llama_batch_memory);
}

Context::Chain Context::make_chain(int32_t sequence, std::shared_ptr<const Graph> graph, Role role) {
    auto  sampler = std::make_unique<Sampler>(group_of(std::move(graph)), counters, sequence, role);
    Chain made;
    made.sampler = sampler.get();
    made.chain.reset(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    llama_sampler_chain_add(made.chain.get(), Sampler::to_llama(std::move(sampler)));
    return made;
}

std::shared_ptr<SamplerGroup> Context::group_of(std::shared_ptr<const Graph> graph) const {
    for (const auto & [sequence, chain] : chains) {
        if (*chain.sampler->shared_group()->source() == *graph) {
            return chain.sampler->shared_group();
        }
    }
    const llama_context_params params  = to_params(options);
    const int                  threads = std::max(params.n_threads, params.n_threads_batch);
    return std::make_shared<SamplerGroup>(std::move(graph), model->vocab_size(), options.bundles ? threads : 0);
}

void Context::check_refusal(const Sampler & sampler) const {
    if (!sampler.refusal().empty()) {
        fail(code::unsupported_op, "the chain cannot be part of the model's graph: %s; run it on the host",
             sampler.refusal().c_str());
    }
}

void Context::set_chain(int32_t sequence, std::shared_ptr<const Graph> graph, Role role) {
    check_sequence(sequence);
    Chain made = graph == nullptr ? Chain() : make_chain(sequence, std::move(graph), role);
    chain_stats.reset();
    if (options.placement == Placement::graph) {
        llama_set_sampler(context.get(), sequence, made.chain.get());
        if (made.sampler != nullptr && !made.sampler->refusal().empty()) {
            llama_set_sampler(context.get(), sequence, nullptr);
            chains.erase(sequence);
            check_refusal(*made.sampler);
        }
    }
    if (made.sampler == nullptr) {
        chains.erase(sequence);
    } else {
        chains[sequence] = std::move(made);
    }
}

void Context::set_guide(int32_t sequence, size_t input, int32_t guide) {
    check_sequence(guide);
    sampler(sequence);
    if (model->is_recurrent()) {
        fail(code::invalid_argument,
             "this model computes one sequence at a time, so a chain cannot read the logits of another one");
    }
    share_cache();
    sampler(sequence).set_guide(input, guide);
}

Sampler & Context::sampler(int32_t sequence) {
    check_sequence(sequence);
    const auto found = chains.find(sequence);
    if (found == chains.end()) {
        fail(code::invalid_argument, "sequence %d has no chain", sequence);
    }
    return *found->second.sampler;
}

void Context::check_sequence(int32_t sequence) const {
    const auto count = static_cast<int32_t>(llama_n_seq_max(context.get()));
    if (sequence < 0 || sequence >= count) {
        fail(code::invalid_argument, "sequence: expected 0 to %d, found %d", count - 1, sequence);
    }
}

void Context::remove(int32_t sequence, int32_t from) {
    check_sequence(sequence);
    if (!llama_memory_seq_rm(llama_get_memory(context.get()), sequence, from, -1)) {
        fail(code::invalid_argument, "this model cannot remove part of a sequence: remove it from position 0 on");
    }
}

void Context::copy(int32_t from, int32_t to) {
    check_sequence(from);
    check_sequence(to);
    if (from != to) {
        remove(to, 0);
        if (options.cache == Cache::shared) {
            llama_memory_seq_cp(llama_get_memory(context.get()), from, to, -1, -1);
        } else {
            copy_sequence(context.get(), from, to);
        }
    }
}

void Context::swap(int32_t a, int32_t b) {
    check_sequence(a);
    check_sequence(b);
    if (a != b) {
        swap_sequences(context.get(), a, b);
    }
}

Context::Extent Context::extent(int32_t sequence) const {
    check_sequence(sequence);
    const llama_memory_t memory = llama_get_memory(context.get());
    const int32_t        held   = llama_memory_seq_pos_max(memory, sequence) + 1;
    // The state of a recurrent layer is that after the last token.
    if (model->is_recurrent()) {
        return { held, held };
    }
    // A layer with a sliding window has lost the keys before its window, and the window that ends at `least` reaches back further.
    const int32_t first  = llama_memory_seq_pos_min(memory, sequence);
    const int32_t window = llama_model_n_swa(model->get());
    return { held, std::min(held, first <= 0 ? 1 : first + window) };
}

std::vector<Context::Extent> Context::extents() const {
    std::vector<Extent> all;
    for (int32_t sequence = 0; sequence < static_cast<int32_t>(llama_n_seq_max(context.get())); ++sequence) {
        all.push_back(extent(sequence));
    }
    return all;
}

bool Context::can_keep(int32_t sequence, int32_t count) const {
    const Extent extent = this->extent(sequence);
    return count == 0 || (count >= extent.least && count <= extent.held);
}

Context::Bytes Context::bytes() const {
    Bytes sum;
    for (const auto & [type, data] : llama_get_memory_breakdown(context.get())) {
        sum.cache += data.context;
        sum.compute += data.compute;
    }
    return sum;
}

std::vector<Context::NodeBytes> Context::graph_nodes() const {
    std::vector<NodeBytes> nodes;
    const auto             first = chains.begin();
    const ggml_cgraph * graph = first == chains.end() ? nullptr : first->second.sampler->shared_group()->model_graph();
    for (int i = 0; graph != nullptr && i < ggml_graph_n_nodes(const_cast<ggml_cgraph *>(graph)); ++i) {
        const ggml_tensor * node = ggml_graph_node(const_cast<ggml_cgraph *>(graph), i);
        NodeBytes           one{ ggml_get_name(node), {} };
        const auto          add = [&](const auto & value) {
            const auto * bytes = reinterpret_cast<const uint8_t *>(&value);
            one.bytes.insert(one.bytes.end(), bytes, bytes + sizeof(value));
        };
        // the whole struct: type, ne, nb, op, op_params, flags, src, view_src, view_offs, data, name
        add(*node);
        for (const ggml_tensor * source : node->src) {
            if (source != nullptr) {
                add(source->data);
                add(source->ne);
                add(source->nb);
            }
        }
        nodes.push_back(std::move(one));
    }
    return nodes;
}

ContextStats Context::stats() const {
    if (!chain_stats) {
        chain_stats = count_chains();
    }
    return { *counters, *chain_stats, cache_bytes, llama_n_threads(context.get()),
             llama_n_threads_batch(context.get()) };
}

SamplerStats Context::count_chains() const {
    SamplerStats sum;
    const auto   add = [&](const SamplerStats & one) {
        sum.nodes += one.nodes;
        sum.nodes_without_views += one.nodes_without_views;
        sum.reads += one.reads;
        sum.column_bytes += one.column_bytes;
        sum.sequence_bytes = std::max(sum.sequence_bytes, one.sequence_bytes);
        sum.devices.insert(one.devices.begin(), one.devices.end());
    };
    std::set<const SamplerGroup *> groups;
    for (const auto & [sequence, chain] : chains) {
        const SamplerGroup & group = *chain.sampler->shared_group();
        add(chain.sampler->stats());
        // of the host's evaluator, or of a row of the group
        sum.readback_bytes += chain.sampler->stats().readback_bytes;
        sum.readback_bytes += chain.sampler->is_guide() ? 0 : group.stats().readback_bytes;
        if (options.check_logits && options.placement == Placement::graph) {
            sum.readback_bytes += static_cast<size_t>(model->vocab_size()) * sizeof(float);
        }
        if (groups.insert(&group).second) {
            add(group.stats());
        }
    }
    return sum;
}

} // namespace ggsl
