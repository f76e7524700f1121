# aisp_add_targets(<name> DIR <folder> [LINK <library>…] [ARCHITECTURES <architecture>…])
#
# A module for `aisp … --load lib<name>.so`: every folder below <folder> with a case.cpp is a target, all .cpp and .cu
# files in it belong to it, and its name on the command line is <name>:…. As in aisp's own tree a kernel whose
# instructions exist on one architecture only says so in its file's name, wgmma_sm90a.cu, and is compiled for that one
# alone; all others for ARCHITECTURES (80 and 90). Expectation files are kept in <folder>.
include(${CMAKE_CURRENT_LIST_DIR}/machine_code.cmake)
set(aisp_module_entry ${CMAKE_CURRENT_LIST_DIR}/module_entry.cpp.in)

function(aisp_add_targets name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIR" "LINK;ARCHITECTURES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_DIR)
    message(FATAL_ERROR "aisp_add_targets(${name} DIR <folder> [LINK …] [ARCHITECTURES …]): got '${ARGN}'")
  endif()
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "aisp_add_targets: '${name}' cannot be typed before the colon of a target: use a-z, 0-9 and _")
  endif()
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "aisp_add_targets(${name}): say project(… LANGUAGES CXX CUDA) before")
  endif()
  cmake_path(ABSOLUTE_PATH arg_DIR BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE folder)
  string(REGEX REPLACE "/$" "" folder "${folder}")
  file(GLOB_RECURSE cases CONFIGURE_DEPENDS ${folder}/*/case.cpp)
  if(NOT cases)
    message(FATAL_ERROR "aisp_add_targets(${name}): no case.cpp in a folder below ${folder}; 'aisp new project' shows one")
  endif()
  if(NOT arg_ARCHITECTURES)
    set(arg_ARCHITECTURES 80 90)
  endif()

  set(sources "")
  foreach(case IN LISTS cases)
    cmake_path(GET case PARENT_PATH target)
    file(GLOB files CONFIGURE_DEPENDS ${target}/*.cpp ${target}/*.cu)
    list(APPEND sources ${files})
  endforeach()
  set(entry ${CMAKE_CURRENT_BINARY_DIR}/${name}_module.cpp)
  configure_file(${aisp_module_entry} ${entry} @ONLY)
  add_library(${name} MODULE ${entry})
  foreach(architecture IN ITEMS 90a 100a)
    set(only ${sources})
    list(FILTER only INCLUDE REGEX "_sm${architecture}\\.cu$")
    if(only)
      list(REMOVE_ITEM sources ${only})
      add_library(${name}_sm${architecture} OBJECT ${only})
      aisp_targets_properties(${name}_sm${architecture} "${architecture}" "${arg_LINK}")
      target_sources(${name} PRIVATE $<TARGET_OBJECTS:${name}_sm${architecture}>)
    endif()
  endforeach()
  target_sources(${name} PRIVATE ${sources})
  aisp_targets_properties(${name} "${arg_ARCHITECTURES}" "${arg_LINK}")
  # Nothing of it but its face is for others, and nothing of others takes the place of its own.
  set(exports ${CMAKE_CURRENT_BINARY_DIR}/${name}_exports.map)
  file(CONFIGURE OUTPUT ${exports} CONTENT "{ global: aisp_module; local: *; };\n")
  target_link_options(${name} PRIVATE -Wl,--version-script=${exports} -Wl,--no-undefined)
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${exports})
endfunction()

function(aisp_targets_properties target architectures link)
  aisp_architectures(code ${architectures})
  set_target_properties(${target} PROPERTIES
    CUDA_ARCHITECTURES "${code}"
    CUDA_RUNTIME_LIBRARY Shared         # so that the simulator can take its place
    POSITION_INDEPENDENT_CODE ON)
  # Source lines in profiles and findings; device asserts break asynchronous pipelines.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo -DNDEBUG>)
  target_link_libraries(${target} PRIVATE aisp::lab CUDA::cudart ${link})
endfunction()
