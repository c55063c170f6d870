# Texts that a context writes on by itself, and loops of many.
set(GGSL_LOOP_SOURCES chain.cc chains.cc characters.cc followed.cc job.cc loop.cc output.cc places.cc prompts.cc stops.cc text.cc)
list(TRANSFORM GGSL_LOOP_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
