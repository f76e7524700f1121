# Kernels of one folder in a few units. nvcc reads a file's headers four times over, which takes five seconds before
# the first kernel and is most of the time of nearly every kernel; a unit pays it once for all its files. With machine
# code the assembler takes longer than that, and is better spread over many processors.
set(units_by_default ON)
if(machine_code AND NOT AISP_CHECKER_ONLY)
  set(units_by_default OFF)
endif()
option(AISP_UNITS "Compile a folder's files together; OFF rebuilds faster when one of them changes"
  ${units_by_default})
set(files_per_unit 6)

# aisp_units(<result> <name> <source>…): the sources with their .cu files replaced by generated files that include them.
# Each stands in a namespace of its own there, so that equal names in unnamed namespaces do not meet; for that the
# headers come first, all of them. What defines something for another file cannot stand in a namespace that others do
# not know: such files come last and as they are, one with an unnamed namespace and any without. The others stay alone,
# as does a file with macros.
function(aisp_units result name)
  foreach(list IN ITEMS units together inside behind last)  # a function sees its caller's
    set(${list} "")
  endforeach()
  list(LENGTH ARGN left)
  foreach(source IN LISTS ARGN)
    math(EXPR left "${left} - 1")
    set(exports "")
    set(unnamed "")
    set(macros "")
    if(AISP_UNITS AND source MATCHES "\\.cu$")
      file(STRINGS ${source} macros REGEX "^#define")
      file(STRINGS ${source} exports REGEX "^namespace [^{=]+{|^[A-Za-z].*[ *&][a-z_0-9]+::[a-z_0-9]+\\(")
      file(STRINGS ${source} unnamed REGEX "^namespace {")
    endif()
    if(NOT AISP_UNITS OR NOT source MATCHES "\\.cu$" OR macros OR (exports AND unnamed AND last))
      list(APPEND units ${source})
    elseif(exports AND unnamed)
      set(last ${source})
      list(APPEND together ${source})
    elseif(exports)
      list(APPEND behind ${source})
      list(APPEND together ${source})
    else()
      list(APPEND together ${source})
      list(APPEND inside ${source})
    endif()
    list(LENGTH together count)
    if(count EQUAL files_per_unit OR (left EQUAL 0 AND count GREATER 1))
      list(LENGTH units number)
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${name}_${number}.cu)
      aisp_write_kernel_unit(${unit} "${inside}" ${behind} ${last})
      list(APPEND units ${unit})
      foreach(list IN ITEMS together inside behind last)
        set(${list} "")
      endforeach()
    endif()
  endforeach()
  set(${result} ${units} ${together} PARENT_SCOPE)
endfunction()

function(aisp_write_kernel_unit unit inside)
  set(headers "")
  set(body "")
  foreach(kernel IN LISTS inside ARGN)
    # Its lines decide what the unit says: look again when they have changed.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kernel})
    file(STRINGS ${kernel} includes REGEX "^#include ")
    list(APPEND headers ${includes})
    cmake_path(RELATIVE_PATH kernel BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(GET kernel STEM stem)
    if(kernel IN_LIST inside)
      string(APPEND body "namespace file_${stem} {\n#include \"${path}\"\n}\n")
    else()
      string(APPEND body "#include \"${path}\"\n")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" headers)
  file(CONFIGURE OUTPUT ${unit} CONTENT "${headers}\n\n${body}" @ONLY)
endfunction()

# aisp_test_units(<result> <name> <source>…): test programs' sources, some of them together in a generated file: half of
# the time of most goes to headers and to what GoogleTest makes of them. A test defines nothing for another file, so its
# unnamed namespace may have a name there (write_unit.cmake).
function(aisp_test_units result name)
  set(units "")
  set(together "")
  list(LENGTH ARGN left)
  foreach(source IN LISTS ARGN)
    math(EXPR left "${left} - 1")
    file(STRINGS ${source} macros REGEX "^#define")
    if(macros OR NOT AISP_UNITS)
      list(APPEND units ${source})
    else()
      list(APPEND together ${source})
    endif()
    list(LENGTH together count)
    if(count EQUAL files_per_unit OR (left EQUAL 0 AND count GREATER 1))
      list(LENGTH units number)
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${name}_${number}.cpp)
      list(JOIN together "|" words)
      add_custom_command(OUTPUT ${unit} VERBATIM
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${unit} "-DSOURCES=${words}" -P ${PROJECT_SOURCE_DIR}/cmake/write_unit.cmake
        DEPENDS ${together} ${PROJECT_SOURCE_DIR}/cmake/write_unit.cmake)
      list(APPEND units ${unit})
      set(together "")
    endif()
  endforeach()
  set(${result} ${units} ${together} PARENT_SCOPE)
endfunction()

# aisp_folder_units(<target> [<regular expression>]): the library's files of one folder are compiled together, up to eight
# of them: half of the time of most goes to the project's headers and to what templates make of them. Names in their
# unnamed namespaces meet there; a file that matches the expression keeps its own and is compiled alone.
function(aisp_folder_units target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${AISP_UNITS} UNITY_BUILD_MODE GROUP)
  if(AISP_UNITS)  # g++ takes what such a unit includes for headers, where types of unnamed namespaces are out of place
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(ARGN AND source MATCHES "${ARGN}")
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER ${folder} group)
    list(APPEND of_${group} ${source})
    list(LENGTH of_${group} count)
    math(EXPR number "(${count} - 1) / 8")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${number})
  endforeach()
endfunction()

# aisp_precompiled(<target> [<option>]): host code, half of whose time goes to the standard library's headers: they are
# compiled beforehand, once per level of optimisation where it is not the usual one. Some of it is linked into modules,
# which are shared libraries; so that one set of headers serves all, all of it could be.
function(aisp_precompiled target)
  string(MAKE_C_IDENTIFIER "aisp_headers${ARGN}" headers)
  set(options ${ARGN} $<$<COMPILE_LANGUAGE:CXX>:-fPIC>)
  if(NOT TARGET ${headers})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "")
    add_library(${headers} OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
    target_link_libraries(${headers} PRIVATE aisp_flags)
    target_compile_options(${headers} PRIVATE ${options})
    target_precompile_headers(${headers} PRIVATE
      <algorithm> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <string> <vector>)
  endif()
  target_compile_options(${target} PRIVATE ${options})
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()
