# The C++ core, for all that is built of it.

# From a graph to numbers on any device: all that plain logits need.
set(GGSL_GRAPH_SOURCES bind.cc cpu_kernels.cc evaluate.cc failure.cc graph.cc legalize.cc ops.cc ranges.cc support.cc wire.cc)
# Models with chains in their graphs.
set(GGSL_MODEL_SOURCES arguments.cc context.cc context_options.cc decode.cc grammar.cc grammar_rules.cc grammar_text.cc
  model.cc sampler.cc sampler_group.cc sampler_spec.cc tail.cc tail_stage.cc)
list(TRANSFORM GGSL_GRAPH_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/graph/)
list(TRANSFORM GGSL_MODEL_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/llama/)
# ggml's registry of devices, which a module with one device does without.
list(APPEND GGSL_MODEL_SOURCES ${CMAKE_CURRENT_LIST_DIR}/graph/backend.cc ${CMAKE_CURRENT_LIST_DIR}/graph/cpu_variant.cc)
