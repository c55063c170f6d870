#include "loop/chain.h"

#include "llama/model_grammars.h"
#include "loop/followed.h"
#include "sampler/model_place.h"

namespace ggsl::loop {

Chain::Chain(const c::Place & place, std::string_view spec)
    : Chain(place, std::make_shared<const c::Spec>(c::read_spec(spec.data(), spec.size()))) {}

Chain::Chain(c::Place place, std::shared_ptr<const c::Spec> spec)
    : read(std::move(spec)), looked_up(std::make_shared<const c::Lookups>(*read, std::move(place))) {}

std::shared_ptr<const Graph> Chain::graph() const {
    Graph graph   = read->graph;
    graph.columns = looked_up->columns;
    return std::make_shared<const Graph>(std::move(graph));
}

c::Place place_of(const std::shared_ptr<Model> & model) {
    c::Place place     = c::place_of(model);
    place.open_grammar = [](const std::string &, const std::vector<std::string> &) { return c::GrammarPtr(); };
    return place;
}

c::Place patient_place_of(const std::shared_ptr<Model> & model) {
    c::Place place     = c::place_of(model);
    place.open_grammar = [model](const std::string & gbnf, const std::vector<std::string> & rules) -> c::GrammarPtr {
        auto grammar = model->grammars().open(*model, gbnf, "root", rules);
        return std::make_shared<const Followed>(std::make_shared<const grammar::Position>(std::move(grammar)),
                                                Patience::patient);
    };
    return place;
}

} // namespace ggsl::loop
