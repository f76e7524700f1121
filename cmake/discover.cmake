# Every folder with a case.cpp under `root` is a target: its .cpp and .cu files go into one object library.
# AISP_ONLY builds some of them, for whoever works on one.
function(aisp_discover_targets interface root)
  file(GLOB_RECURSE cases CONFIGURE_DEPENDS ${root}/*/case.cpp)
  if(AISP_ONLY AND interface STREQUAL "aisp_chapters")
    list(FILTER cases INCLUDE REGEX "/(${AISP_ONLY})/case.cpp$")
  endif()
  foreach(case IN LISTS cases)
    cmake_path(GET case PARENT_PATH folder)
    aisp_object_folder(${interface} ${folder})
  endforeach()
endfunction()

# One folder's sources as object libraries, so that no self-registering object is dropped by the linker. A kernel
# whose instructions exist on one architecture only says so in its file's name, wgmma_sm90a.cu, and is built for that
# one alone; all others for AISP_ARCHITECTURES.
function(aisp_object_folder interface folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.cu)
  if(ARGN)  # a file's name, as a regular expression: not this one
    list(FILTER sources EXCLUDE REGEX "/(${ARGN})$")
  endif()
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${folder})
  string(MAKE_C_IDENTIFIER ${name} name)
  foreach(architecture IN ITEMS 90a 100a)
    set(only ${sources})
    list(FILTER only INCLUDE REGEX "_sm${architecture}\\.cu$")
    if(only)
      list(REMOVE_ITEM sources ${only})
      aisp_object_library(${interface} ${name}_sm${architecture} "${architecture}" ${only})
    endif()
  endforeach()
  aisp_object_library(${interface} ${name} "${AISP_ARCHITECTURES}" ${sources})
endfunction()

function(aisp_object_library interface name architectures)
  aisp_units(sources ${name} ${ARGN})
  add_library(${name} OBJECT ${sources})
  aisp_architectures(architectures ${architectures})
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
  target_link_libraries(${name} PRIVATE aisp_flags aisp_case aisp_cuda_runtime)
  aisp_precompiled(${name})
  target_sources(${interface} INTERFACE $<TARGET_OBJECTS:${name}>)
endfunction()
