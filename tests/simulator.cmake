# The tests of base, sim and of what of jit needs no compiler, for a build without nvcc (AISP_SIMULATOR_ONLY):
# tools/other_host.
find_package(Threads REQUIRED)
if(CMAKE_CROSSCOMPILING)
  add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
else()
  find_package(GTest REQUIRED)
endif()

# Mutants of PTX text tell nothing about a host and take long under emulation.
list(FILTER sim_tests EXCLUDE REGEX "/fuzz/")

add_library(aisp_jit_bounds STATIC jit/support/range.cpp jit/support/bounds.cpp)
target_link_libraries(aisp_jit_bounds PRIVATE aisp_jit)

foreach(folder IN ITEMS base sim sim_watch jit_ir jit_pass jit_trace jit_emit jit_cache)
  string(REPLACE "_" "/" path ${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${path}/*_test.cpp)
  if(folder STREQUAL "sim")
    set(sources ${sim_tests})
  endif()
  aisp_test_units(sources aisp_${folder}_test ${sources})
  add_executable(aisp_${folder}_test ${sources})
  if(folder MATCHES "^jit")  # the simulator is the CUDA runtime that they link
    target_link_libraries(aisp_${folder}_test PRIVATE aisp_jit aisp_cudart)
    target_compile_definitions(aisp_${folder}_test PRIVATE AISP_NVCC="")
    if(folder STREQUAL "jit_emit")
      target_sources(aisp_${folder}_test PRIVATE
        jit/support/kernels.cpp jit/support/random_program.cpp jit/support/memory.cpp)
      target_link_libraries(aisp_${folder}_test PRIVATE aisp_jit_bounds)
    endif()
  else()
    target_link_libraries(aisp_${folder}_test PRIVATE aisp_experiments aisp_device_code aisp_sha256 sim_watch)
  endif()
  target_sources(aisp_${folder}_test PRIVATE support/files.cpp)
  target_link_libraries(aisp_${folder}_test PRIVATE GTest::gmock GTest::gtest GTest::gtest_main ${CMAKE_DL_LIBS})
  target_include_directories(aisp_${folder}_test PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  # Not optimised: each test runs once.
  target_compile_options(aisp_${folder}_test PRIVATE -O0)
  target_compile_definitions(aisp_${folder}_test PRIVATE
    AISP_SOURCE_DIR="${PROJECT_SOURCE_DIR}" AISP_BUILD_DIR="${PROJECT_BINARY_DIR}")
endforeach()
