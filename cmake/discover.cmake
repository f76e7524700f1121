# Every folder with a case.cpp under `root` is a target: its .cpp and .cu files go into one object library.
function(aisp_discover_targets interface root)
  file(GLOB_RECURSE cases CONFIGURE_DEPENDS ${root}/*/case.cpp)
  foreach(case IN LISTS cases)
    cmake_path(GET case PARENT_PATH folder)
    aisp_object_folder(${interface} ${folder})
  endforeach()
endfunction()

# One folder's sources as an object library, so that no self-registering object is dropped by the linker.
function(aisp_object_folder interface folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.cu)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${folder})
  string(MAKE_C_IDENTIFIER ${name} name)
  add_library(${name} OBJECT ${sources})
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${AISP_ARCHITECTURES}")
  target_link_libraries(${name} PRIVATE aisp_flags aisp_case CUDA::cudart)
  target_sources(${interface} INTERFACE $<TARGET_OBJECTS:${name}>)
endfunction()
