# The CUDA 13 headers alone, for builds without nvcc. They are where a toolkit is, in the usual places, or where a package
# of the distribution puts them.
if(DEFINED ENV{AISP_TOOLKIT_ROOTS})
  separate_arguments(roots UNIX_COMMAND "$ENV{AISP_TOOLKIT_ROOTS}")
else()
  file(GLOB numbered /usr/local/cuda-13*)
  set(roots /usr/local/cuda ${numbered} /opt/cuda /usr)
endif()
list(PREPEND roots $ENV{CUDA_HOME} $ENV{CUDA_PATH})
set(folders "")
foreach(root IN LISTS roots)
  list(APPEND folders ${root}/include ${root}/targets/x86_64-linux/include ${root}/targets/sbsa-linux/include)
endforeach()

# aisp_cuda_header(<variable> <header> <package> <folder>…): the folder of a header, or one line that says what to install.
function(aisp_cuda_header variable header package)
  find_path(${variable} ${header} PATHS ${ARGN} NO_DEFAULT_PATH)
  if(NOT ${variable})
    list(JOIN roots ", " looked)
    message(FATAL_ERROR "no ${header}: install the CUDA 13 toolkit or its package ${package}, or set CUDA_HOME to "
                        "the folder that has it under include/; looked in ${looked}")
  endif()
endfunction()
aisp_cuda_header(AISP_CUDA_INCLUDE cuda_runtime_api.h cuda-cudart-dev-13-0 ${folders})
file(STRINGS ${AISP_CUDA_INCLUDE}/cuda_runtime_api.h version REGEX "^#define CUDART_VERSION +[0-9]+")
string(REGEX REPLACE "[^0-9]" "" version "${version}")
if(version LESS 13000)
  message(FATAL_ERROR "${AISP_CUDA_INCLUDE}/cuda_runtime_api.h is of CUDA ${version}: aisp needs 13000 (13.0) or newer; "
                      "set CUDA_HOME to a newer toolkit's folder")
endif()
set(CUDAToolkit_INCLUDE_DIRS ${AISP_CUDA_INCLUDE})
if(NOT AISP_SIMULATOR_ONLY)  # what the lab reads of the device's work, and what it tells profilers
  aisp_cuda_header(AISP_CUPTI_INCLUDE cupti.h cuda-cupti-dev-13-0
    ${AISP_CUDA_INCLUDE} ${AISP_CUDA_INCLUDE}/../extras/CUPTI/include ${folders})
  aisp_cuda_header(AISP_NVTX_INCLUDE nvtx3/nvToolsExt.h cuda-nvtx-13-0 ${AISP_CUDA_INCLUDE} ${folders})
  list(APPEND CUDAToolkit_INCLUDE_DIRS ${AISP_CUPTI_INCLUDE} ${AISP_NVTX_INCLUDE})
  list(REMOVE_DUPLICATES CUDAToolkit_INCLUDE_DIRS)
endif()

# What uses the CUDA runtime links this. The calls themselves come from the program, which looks for a runtime when it
# starts (app/cuda_runtime.cpp).
add_library(aisp_cuda_runtime INTERFACE)
target_include_directories(aisp_cuda_runtime SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
