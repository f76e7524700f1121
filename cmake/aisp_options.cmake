set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Most host code runs once and is not what is timed: -O1 compiles a third faster than -O2. What works on every element
# (the lab's cases, judge and statistics) has -O2, the simulator -O3 or -O2; their folders say so.
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
# Of a .cu file this is about the host's part, which launches kernels.
set(CMAKE_CUDA_FLAGS_RELEASE "-O1 -DNDEBUG")

# Machine code and PTX of the kernels that are not bound to one architecture. The PTX is what the simulator runs, and
# what the driver of a newer generation compiles. For H200 the code is the same as sm_90a's.
set(AISP_ARCHITECTURES "80;90" CACHE STRING "CUDA architectures of the kernels")
include(machine_code)
# CMakeLists.txt has AISP_CHECKER_ONLY and AISP_SIMULATOR_ONLY, which decide whether nvcc is looked for.
set(AISP_INSTANCES ON CACHE BOOL "The tile library's compiled recipes, and the targets and commands that need them")
set(AISP_BUILD_CHAPTERS ON CACHE BOOL "The targets of the chapters; OFF leaves them out of the program")
# A regular expression over whole folder names below chapters/: ch11/streams is that target and not
# ch11/gemm_streams, streams says the same, ch11/.* is a chapter, ch09/memory_bound|ch11/streams are two targets.
# One that is no folder's name is refused with the nearest ones.
set(AISP_ONLY "" CACHE STRING "Only targets whose folder is this, without peers: ch11/streams, ch09/.*, ch09/(a|b)")
set(AISP_SANITIZE "" CACHE STRING "Sanitizers of the host code, as -fsanitize= takes them: address,undefined")

find_program(CCACHE ccache)
if(CCACHE)
  # Without these it leaves alone what is compiled behind precompiled headers (tests/CMakeLists.txt). What a file has
  # included tells the compiler's list of dependencies; otherwise the preprocessor would run a second time for it.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 ${CCACHE})
endif()

add_library(aisp_flags INTERFACE)
target_include_directories(aisp_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(aisp_flags INTERFACE
  # Every host computes the same: plain char is unsigned on AArch64 unless told otherwise, and it has
  # fused multiply-adds that the compiler would make of a product and a sum.
  $<$<COMPILE_LANGUAGE:CXX>:-fsigned-char -ffp-contract=off>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fsigned-char,-ffp-contract=off>
  # Records are built with designated initialisers, what is left out has its default; g++ 12 warns
  # of overlapping copies in string concatenation where there are none (its bug 105651).
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Werror -Wno-missing-field-initializers -Wno-restrict>
  # A device assert costs registers and breaks asynchronous pipelines: kernels are always built with
  # NDEBUG.
  $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo -DNDEBUG -Werror=all-warnings -Xcompiler=-Wall,-Wextra>)
if(AISP_SANITIZE)
  # The sanitizers replace parts of the C++ runtime and need it shared.
  target_compile_options(aisp_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${AISP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  target_link_options(aisp_flags INTERFACE -fsanitize=${AISP_SANITIZE})
else()
  # The C++ runtime travels with the program: a build made here runs on another distribution.
  target_link_options(aisp_flags INTERFACE -static-libstdc++ -static-libgcc)
endif()
