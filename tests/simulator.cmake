# The tests of base and sim alone, for a build without nvcc (AISP_SIMULATOR_ONLY): tools/other_host.
find_package(Threads REQUIRED)
if(CMAKE_CROSSCOMPILING)
  add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
else()
  find_package(GTest REQUIRED)
endif()

# Mutants of PTX text tell nothing about a host and take long under emulation.
list(FILTER sim_tests EXCLUDE REGEX "/fuzz/")

foreach(folder IN ITEMS base sim sim_watch)
  string(REPLACE "_" "/" path ${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${path}/*_test.cpp)
  if(folder STREQUAL "sim")
    set(sources ${sim_tests})
  endif()
  aisp_test_units(sources aisp_${folder}_test ${sources})
  add_executable(aisp_${folder}_test ${sources})
  target_link_libraries(aisp_${folder}_test PRIVATE
    aisp_experiments sim_watch GTest::gmock GTest::gtest GTest::gtest_main ${CMAKE_DL_LIBS})
  target_include_directories(aisp_${folder}_test PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  # Not optimised: each test runs once.
  target_compile_options(aisp_${folder}_test PRIVATE -O0)
  target_compile_definitions(aisp_${folder}_test PRIVATE
    AISP_SOURCE_DIR="${PROJECT_SOURCE_DIR}" AISP_BUILD_DIR="${PROJECT_BINARY_DIR}")
endforeach()
