# The handlers once more for x86-64 processors with AVX2; sim/exec/host_level.cpp chooses when the program runs.
#
# Two builds of one function have one name, and so have the standard library's templates that both use: a linker keeps
# one of each, and on an old processor that could be the wrong one. So the second build is linked into a single object
# whose names are all its own but for the table of its opcodes.
target_compile_definitions(sim_exec PRIVATE AISP_HOST_LEVEL=baseline)
# A sanitizer wants to know every object's names; it looks at the first build alone.
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" OR AISP_SANITIZE)
  return()
endif()

get_target_property(sources sim_exec SOURCES)
list(FILTER sources INCLUDE REGEX "/sim/exec/")  # not what the precompiled headers add
list(FILTER sources EXCLUDE REGEX "/sim/exec/(host_level|coverage)\\.cpp$")
add_library(sim_exec_x86_64_v3 OBJECT ${sources})
set_target_properties(sim_exec_x86_64_v3 PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_definitions(sim_exec_x86_64_v3 PRIVATE AISP_HOST_LEVEL=x86_64_v3)
target_link_libraries(sim_exec_x86_64_v3 PRIVATE sim_flags aisp_base)
# Names that are unique in the whole process (static data of templates) cannot be taken back to one object.
target_compile_options(sim_exec_x86_64_v3 PRIVATE -O3 -march=x86-64-v3 -fno-gnu-unique)
add_library(sim_headers_x86_64_v3 OBJECT ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp)
set_target_properties(sim_headers_x86_64_v3 PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(sim_headers_x86_64_v3 PRIVATE sim_flags aisp_base)
target_compile_options(sim_headers_x86_64_v3 PRIVATE -O3 -march=x86-64-v3 -fno-gnu-unique)
target_precompile_headers(sim_headers_x86_64_v3 PRIVATE ${sim_headers})
target_precompile_headers(sim_exec_x86_64_v3 REUSE_FROM sim_headers_x86_64_v3)
aisp_folder_units(sim_exec_x86_64_v3 ${exec_alone})

set(joined ${CMAKE_CURRENT_BINARY_DIR}/exec_x86_64_v3.o)
add_custom_command(
  OUTPUT ${joined}
  COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${joined} $<TARGET_OBJECTS:sim_exec_x86_64_v3>
  COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=_ZN4aisp3sim10host_level9x86_64_v3Ev ${joined}
  DEPENDS sim_exec_x86_64_v3 $<TARGET_OBJECTS:sim_exec_x86_64_v3>
  COMMAND_EXPAND_LISTS VERBATIM)
set_source_files_properties(${joined} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
target_sources(sim_exec PRIVATE ${joined})
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/exec/host_level.cpp
  PROPERTIES COMPILE_DEFINITIONS AISP_HAS_X86_64_V3)
