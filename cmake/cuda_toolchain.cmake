# Finds the CUDA 13 toolkit's nvcc in the usual places and enables CUDA C++20.
# `setup` looks in the same places in the same order, before there is a CMake to ask.
function(aisp_find_nvcc result)
  find_program(AISP_NVCC_ON_PATH nvcc NO_CACHE NO_CMAKE_PATH NO_CMAKE_SYSTEM_PATH)
  if(DEFINED ENV{AISP_TOOLKIT_ROOTS})
    separate_arguments(roots UNIX_COMMAND "$ENV{AISP_TOOLKIT_ROOTS}")
  else()
    file(GLOB numbered /usr/local/cuda-13*)
    set(roots /usr/local/cuda ${numbered} /opt/cuda)
  endif()
  set(places "$ENV{CUDACXX}")
  foreach(root IN ITEMS "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}")
    if(root)
      list(APPEND places ${root}/bin/nvcc)
    endif()
  endforeach()
  if(AISP_NVCC_ON_PATH)
    list(APPEND places ${AISP_NVCC_ON_PATH})
  endif()
  list(TRANSFORM roots APPEND /bin/nvcc)
  list(APPEND places ${roots})
  list(FILTER places EXCLUDE REGEX "^$")
  list(REMOVE_DUPLICATES places)

  set(too_old "")
  foreach(place IN LISTS places)
    execute_process(COMMAND ${place} --version OUTPUT_VARIABLE banner ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0 AND banner MATCHES "release ([0-9]+)\\.")
      if(CMAKE_MATCH_1 GREATER_EQUAL 13)
        set(${result} ${place} PARENT_SCOPE)
        return()
      endif()
      string(APPEND too_old "; ${place} is CUDA ${CMAKE_MATCH_1}")
    endif()
  endforeach()
  list(JOIN places ", " looked)
  message(FATAL_ERROR "no nvcc of CUDA 13 or newer: install the CUDA 13 toolkit, or set CUDA_HOME to its folder "
                      "or CUDACXX to its nvcc; looked on PATH, ${looked}${too_old}")
endfunction()

if(NOT CMAKE_CUDA_COMPILER)
  aisp_find_nvcc(CMAKE_CUDA_COMPILER)
endif()

# `native` asks a GPU that may not be there; each kernel folder states its architectures instead.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80)
endif()
# Programs must run on the simulator's libcudart.so.13 as on the real one.
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
enable_language(CUDA)

if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13.0)
  message(FATAL_ERROR "nvcc ${CMAKE_CUDA_COMPILER_VERSION} at ${CMAKE_CUDA_COMPILER} is too old: aisp needs CUDA 13.0 or newer; "
                      "set CUDA_HOME or CUDACXX to a newer toolkit.")
endif()

# CMake 3.25 does not know that nvcc 13 speaks C++20.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
if(NOT cuda_std_20 IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
  list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
endif()
find_package(CUDAToolkit 13.0 REQUIRED)
add_library(aisp_cuda_runtime INTERFACE)  # what uses the CUDA runtime links this; cuda_headers.cmake has the other one
target_link_libraries(aisp_cuda_runtime INTERFACE CUDA::cudart CUDA::toolkit)
