# Graphs hold few of ggml's ops, and no quantized numbers: the linker puts a trap with a message in the place of the rest.

# The ops that the op table (native/graph/ops.cc) builds, and what they call.
set(USED_OPS
  unary abs neg sgn step exp sigmoid tanh floor ceil round
  log sqrt sqr scale clamp add sub mul div soft_max cumsum sum_rows argmax argsort top_k
  get_rows set_rows roll repeat fill arange
  dup cpy cont add_non_quantized custom)
list(TRANSFORM USED_OPS PREPEND ggml_compute_forward_)

# Writes the traps to `file` and gives the linker's options in `options`. The functions and their parameters are read from
# the headers in `source`, so that signatures agree.
function(write_unused source file options)
  string(CONCAT text "#include \"ggml-cpu/quants.h\"\n#include \"ggml-quants.h\"\n#include <ggml.h>\n\n"
    "struct ggml_compute_params;\n\n")
  set(wraps "")
  foreach(header ggml-cpu/ops.h ggml-cpu/unary-ops.h ggml-cpu/quants.h ggml-quants.h)
    file(READ ${source}/${header} content)
    string(REGEX MATCHALL "(void|size_t) +[a-z0-9_A-Z]+ *\\([^()]*\\);" functions "${content}")
    foreach(function ${functions})
      string(REGEX MATCH "(void|size_t) +([A-Za-z0-9_]+) *\\((.*)\\)" _ "${function}")
      set(result ${CMAKE_MATCH_1})
      set(name ${CMAKE_MATCH_2})
      set(parameters "${CMAKE_MATCH_3}")
      if(name AND NOT name IN_LIST USED_OPS)
        string(APPEND text "${result} __wrap_${name}(${parameters});\n"
          "${result} __wrap_${name}(${parameters}) { GGML_ABORT(\"%s is not in this build\", \"${name}\"); }\n")
        list(APPEND wraps "-Wl,--wrap=${name}")
      endif()
    endforeach()
  endforeach()
  file(WRITE ${file} "${text}")
  set(${options} "${wraps}" PARENT_SCOPE)
endfunction()
