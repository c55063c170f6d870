# The C library, without the core.
set(GGSL_C_SOURCES api_chain.cc api_library.cc api_loop.cc api_sampler.cc api_text.cc chain.cc error.cc settings.cc version.cc
  sampler/ahead.cc sampler/chain_sampler.cc sampler/graph_part.cc sampler/host_part.cc sampler/interface.cc sampler/model_place.cc
  sequence/breakers.cc sequence/inputs.cc sequence/lookups.cc sequence/random.cc sequence/repeats.cc sequence/saved.cc
  sequence/sequence.cc sequence/vocabulary.cc sequence/written.cc
  spec/cost.cc spec/expression.cc spec/json.cc spec/read.cc spec/read_expressions.cc spec/read_feeds.cc spec/read_nodes.cc
  spec/read_params.cc spec/read_tail.cc spec/shape.cc spec/spec_shape.cc)
list(TRANSFORM GGSL_C_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
