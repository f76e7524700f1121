# Kernels of one folder in one unit. nvcc reads a file's headers four times over, which takes six seconds before the
# first kernel and is most of the time of nearly every kernel; a unit pays it once for all its files.
option(AISP_UNITS "Compile a folder's kernels together; OFF rebuilds faster when one of them changes" ON)

# aisp_units(<result> <name> <source>…): the sources with their .cu files replaced by one generated file that includes
# them. Each stands in a namespace of its own there, so that equal names in unnamed namespaces do not meet; for that
# the headers come first, all of them. What defines something for another file cannot stand in a namespace that
# others do not know: such files come last and as they are, one with an unnamed namespace and all without. The others
# stay alone, as does a file with macros.
function(aisp_units result name)
  set(alone ${ARGN})
  list(FILTER alone EXCLUDE REGEX "\\.cu$")
  set(kernels ${ARGN})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  set(together "")
  set(inside "")
  set(behind "")
  set(names_behind FALSE)
  foreach(kernel IN LISTS kernels)
    cmake_path(RELATIVE_PATH kernel BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(GET kernel STEM stem)
    file(STRINGS ${kernel} macros REGEX "^#define")
    file(STRINGS ${kernel} exports REGEX "^namespace [^{=]+{|^[A-Za-z].*[ *&][a-z_0-9]+::[a-z_0-9]+\\(")
    file(STRINGS ${kernel} unnamed REGEX "^namespace {")
    if(NOT AISP_UNITS OR macros OR (exports AND unnamed AND names_behind))
      list(APPEND alone ${kernel})
      continue()
    elseif(exports)
      string(APPEND behind "#include \"${path}\"\n")
      if(unnamed)
        set(names_behind TRUE)
      endif()
    else()
      string(APPEND inside "namespace file_${stem} {\n#include \"${path}\"\n}\n")
    endif()
    list(APPEND together ${kernel})
  endforeach()
  list(LENGTH together count)
  if(count LESS 2)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()

  set(headers "")
  foreach(kernel IN LISTS together)
    # Its lines decide what the unit says: look again when they have changed.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kernel})
    file(STRINGS ${kernel} includes REGEX "^#include ")
    list(APPEND headers ${includes})
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" headers)
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${name}.cu)
  file(CONFIGURE OUTPUT ${unit} CONTENT "${headers}\n\n${inside}${behind}" @ONLY)
  set(${result} ${alone} ${unit} PARENT_SCOPE)
endfunction()

# aisp_precompiled(<target> [<option>]): host code, half of whose time goes to the standard library's headers: they are
# compiled beforehand, once per level of optimisation where it is not the usual one.
function(aisp_precompiled target)
  string(MAKE_C_IDENTIFIER "aisp_headers${ARGN}" headers)
  if(NOT TARGET ${headers})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "")
    add_library(${headers} OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
    target_link_libraries(${headers} PRIVATE aisp_flags)
    target_compile_options(${headers} PRIVATE ${ARGN})
    target_precompile_headers(${headers} PRIVATE
      <algorithm> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <string> <vector>)
  endif()
  target_compile_options(${target} PRIVATE ${ARGN})
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()
