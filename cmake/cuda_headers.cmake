# The CUDA runtime's headers alone, for a build of the simulator without nvcc: what nvcc's place tells, or the usual one.
find_program(nvcc nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin /opt/cuda/bin)
file(REAL_PATH "${nvcc}/../../include" CUDAToolkit_INCLUDE_DIRS)
if(NOT EXISTS ${CUDAToolkit_INCLUDE_DIRS}/cuda_runtime_api.h)
  message(FATAL_ERROR "no cuda_runtime_api.h in ${CUDAToolkit_INCLUDE_DIRS}: set CUDA_HOME to the CUDA 13 toolkit's folder")
endif()
