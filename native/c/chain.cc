#include "chain.h"

#include "sampler/model_place.h"

namespace ggsl::c {

std::shared_ptr<const Columns> Prepared::columns(ggml_backend_buffer_type_t type) const {
    const std::lock_guard lock(mutex);
    auto &                found = on_device[type];
    if (!found) {
        found = std::make_shared<const Columns>(*bound, type, family_of(device_of(type)));
    }
    return found;
}

} // namespace ggsl::c

using namespace ggsl;
using namespace ggsl::c;

namespace {

// Models for which a chain keeps what it prepared.
constexpr size_t max_known = 4;

std::shared_ptr<const Prepared> prepare(const std::shared_ptr<const Spec> & spec, llama_model * model) {
    auto made     = std::make_shared<Prepared>();
    made->spec    = spec;
    made->model   = std::make_shared<Model>(model);
    made->lookups = std::make_shared<const Lookups>(*spec, place_of(made->model));
    Graph graph   = spec->graph;
    graph.columns = made->lookups->columns;
    made->graph   = std::make_shared<const Graph>(std::move(graph));
    made->bound   = std::make_shared<const BoundGraph>(bind_graph(*made->graph, made->model->vocab_size()));
    check_columns(*made->bound);
    return made;
}

} // namespace

// Another model can be at the address of one that was freed: what was prepared is used again if their vocabularies are equal.
std::shared_ptr<const Prepared> ggsl_chain::prepared(llama_model * model) const {
    const uint64_t        fingerprint = fingerprint_of(llama_model_get_vocab(model));
    const std::lock_guard lock(mutex);
    for (const Known & each : known) {
        if (each.model == model && each.fingerprint == fingerprint) {
            return each.prepared;
        }
    }
    auto made = prepare(spec, model);
    if (known.size() == max_known) {
        known.erase(known.begin());
    }
    known.push_back({ model, fingerprint, made });
    return made;
}
