# What `cmake --install` puts where: the tile library, its compiled products, the lab for targets of one's own, the
# program with its simulator, the pages, and the package that find_package(aisp) reads.
include(CMakePackageConfigHelpers)

set(package_headers include/aisp)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tile DESTINATION ${package_headers}
  FILES_MATCHING PATTERN *.hpp PATTERN *.cuh PATTERN *.inc)
# What targets of one's own are written against, and what the headers of tile include of base.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lab/case ${PROJECT_SOURCE_DIR}/lab/judge
  DESTINATION ${package_headers}/lab FILES_MATCHING PATTERN *.hpp)
install(FILES ${PROJECT_SOURCE_DIR}/lab/module/face.hpp ${PROJECT_BINARY_DIR}/generated/lab/module/stamp.hpp
  DESTINATION ${package_headers}/lab/module)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/base DESTINATION ${package_headers}
  FILES_MATCHING PATTERN *.hpp PATTERN *.inc)
install(TARGETS aisp_lab ARCHIVE DESTINATION lib)
if(TARGET aisp_jit)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/jit DESTINATION ${package_headers} FILES_MATCHING PATTERN *.hpp)
  install(TARGETS aisp_jit aisp_sha256 aisp_base ARCHIVE DESTINATION lib)
endif()

install(TARGETS aisp RUNTIME DESTINATION bin COMPONENT program)
# The program looks in ../lib/aisp/sim.
install(TARGETS aisp_cudart aisp_libcuda LIBRARY DESTINATION lib/aisp/sim COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/lib/sim/libcuda.so DESTINATION lib/aisp/sim COMPONENT program)
if(TARGET aisp_instances)
  install(TARGETS aisp_gemm aisp_attention aisp_conv2d aisp_contract ARCHIVE DESTINATION lib)
endif()

if(TARGET aisp_c)  # for other languages; not there where only the program was built
  install(TARGETS aisp_c LIBRARY DESTINATION lib OPTIONAL)
  install(FILES ${PROJECT_SOURCE_DIR}/binding/c/aisp.h DESTINATION include)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/aisp-config.cmake.in
  ${PROJECT_BINARY_DIR}/aisp-config.cmake INSTALL_DESTINATION lib/cmake/aisp)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/aisp-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/aisp-config.cmake ${PROJECT_BINARY_DIR}/aisp-config-version.cmake
  ${CMAKE_CURRENT_LIST_DIR}/aisp_add_targets.cmake ${CMAKE_CURRENT_LIST_DIR}/machine_code.cmake
  ${CMAKE_CURRENT_LIST_DIR}/module_entry.cpp.in
  DESTINATION lib/cmake/aisp)

install(CODE "set(aisp_binary_dir \"${PROJECT_BINARY_DIR}\")" COMPONENT program)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/install_docs.cmake COMPONENT program)

if(NOT CMAKE_CROSSCOMPILING)  # made beside the program, app/CMakeLists.txt
  install(FILES ${PROJECT_BINARY_DIR}/completions/aisp DESTINATION share/bash-completion/completions COMPONENT program)
  install(FILES ${PROJECT_BINARY_DIR}/completions/_aisp DESTINATION share/zsh/site-functions)
  install(FILES ${PROJECT_BINARY_DIR}/completions/aisp.fish DESTINATION share/fish/vendor_completions.d COMPONENT program)
endif()
