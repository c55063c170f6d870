# Graphs use few of ggml's ops, and no quantized numbers: the linker replaces the rest with a trap that prints a message, and those
# of own_ops.cc with that file's.

include(${CMAKE_CURRENT_LIST_DIR}/ops.generated.cmake)
# And the ops that these call, or that the builder adds.
set(USED_OPS ${OPS_OF_TABLE} unary dup cont custom)
list(TRANSFORM USED_OPS PREPEND ggml_compute_forward_)

file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/own_ops.cc own_lines REGEX "^OWN\\(")
set(OWN_OPS "")
foreach(line ${own_lines})
  string(REGEX REPLACE "^OWN\\(([a-z_]+),.*" "ggml_compute_forward_\\1" op "${line}")
  list(APPEND OWN_OPS ${op})
endforeach()

# Writes the traps to `file` and sets `options` to the linker's options. The functions and their parameters are read from
# the headers in `source`, so that signatures agree.
function(write_unused source file options)
  string(CONCAT text "#include \"ggml-cpu/quants.h\"\n#include \"ggml-quants.h\"\n#include <ggml.h>\n\n"
    "struct ggml_compute_params;\n\n")
  set(wraps "")
  set(unknown ${USED_OPS})
  foreach(header ggml-cpu/ops.h ggml-cpu/unary-ops.h ggml-cpu/binary-ops.h ggml-cpu/quants.h ggml-quants.h)
    file(READ ${source}/${header} content)
    string(REGEX MATCHALL "(void|size_t) +[a-z0-9_A-Z]+ *\\([^()]*\\);" functions "${content}")
    foreach(function ${functions})
      string(REGEX MATCH "(void|size_t) +([A-Za-z0-9_]+) *\\((.*)\\)" _ "${function}")
      set(result ${CMAKE_MATCH_1})
      set(name ${CMAKE_MATCH_2})
      set(parameters "${CMAKE_MATCH_3}")
      list(REMOVE_ITEM unknown "${name}")
      if(name IN_LIST OWN_OPS)
        list(APPEND wraps "-Wl,--wrap=${name}")
      elseif(name AND NOT name IN_LIST USED_OPS)
        string(APPEND text "${result} __wrap_${name}(${parameters});\n"
          "${result} __wrap_${name}(${parameters}) { GGML_ABORT(\"%s is not in this build\", \"${name}\"); }\n")
        list(APPEND wraps "-Wl,--wrap=${name}")
      endif()
    endforeach()
  endforeach()
  if(unknown)
    message(FATAL_ERROR "ggml has no ${unknown}: where an op of the table has another name there, `ggml` in ops.ts says which")
  endif()
  file(WRITE ${file} "${text}")
  set(${options} "${wraps}" PARENT_SCOPE)
endfunction()
