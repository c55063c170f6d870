# The C++ core, for everything that is built from it.

# The graph runtime: enough for plain logits, without a model.
set(GGSL_GRAPH_SOURCES bind.cc bits.cc bundles/plan.cc columns.cc cpu_kernels.cc cpu_select.cc cpu_sort.cc evaluate.cc failure.cc
  fused/best.cc fused/blocks.cc fused/bounds.cc fused/intervals.cc fused/lanes.cc fused/plan.cc fused/points.cc fused/row.cc fused/run.cc fused/sorter.cc fused/steps.cc graph.cc hash.cc legalize.cc ops.cc order.cc ranges.cc support.cc wire.cc)
# Where ggml has threads.
set(GGSL_BUNDLE_SOURCES bundles/bundles.cc bundles/piece.cc)
# Grammars over a vocabulary: which tokens may come next.
set(GGSL_GRAMMAR_SOURCES bytes.cc derivatives.cc expressions.cc grammar.cc masks.cc program.cc rewritten_expressions.cc stacks.cc vocabulary.cc
  written_program.cc)
# Models with chains in their graphs.
set(GGSL_MODEL_SOURCES arguments.cc assembler.cc context.cc context_options.cc decode.cc decode_runs.cc deep_stack.cc followers.cc grammar.cc grammar_rules.cc
  grammar_table.cc grammar_text.cc line.cc model.cc model_check.cc model_grammars.cc return_memory.cc runs.cc sampler.cc sampler_group.cc sampler_spec.cc
  special_texts.cc states.cc tail.cc tail_stage.cc text_cost.cc tokenizer.cc write.cc)
list(TRANSFORM GGSL_GRAPH_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/graph/)
list(TRANSFORM GGSL_BUNDLE_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/graph/)
list(TRANSFORM GGSL_MODEL_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/llama/)
list(TRANSFORM GGSL_GRAMMAR_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/grammar/)
# ggml's device registry, and what is read of a graph that is part of a model's; a module with one device does not need them.
list(APPEND GGSL_MODEL_SOURCES ${CMAKE_CURRENT_LIST_DIR}/graph/backend.cc ${CMAKE_CURRENT_LIST_DIR}/graph/cpu_variant.cc
  ${CMAKE_CURRENT_LIST_DIR}/graph/library.cc ${CMAKE_CURRENT_LIST_DIR}/graph/readout.cc)
# All instruction sets round alike. A choice between two numbers may compute both, else the loops over powers are not vectorized.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/graph/fused/lanes.cc PROPERTIES COMPILE_OPTIONS
  "-ffp-contract=off;-fno-trapping-math")
