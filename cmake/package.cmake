# What `cmake --install` puts where: the tile library, its compiled products, the program with its
# simulator, and the package that find_package(aisp) reads.
include(CMakePackageConfigHelpers)

set(package_headers include/aisp)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tile DESTINATION ${package_headers}
  FILES_MATCHING PATTERN *.hpp PATTERN *.cuh PATTERN *.inc)
# What the headers of tile include of base; tests/system/package/install.py finds one that is missing.
install(FILES ${PROJECT_SOURCE_DIR}/base/home.hpp ${PROJECT_SOURCE_DIR}/base/refuse.hpp
  DESTINATION ${package_headers}/base)
install(FILES ${PROJECT_SOURCE_DIR}/base/number/format.hpp DESTINATION ${package_headers}/base/number)

install(TARGETS aisp RUNTIME DESTINATION bin)
install(TARGETS aisp_cudart LIBRARY DESTINATION lib/sim)  # the program looks in ../lib/sim
if(TARGET aisp_instances)
  install(TARGETS aisp_gemm aisp_attention aisp_conv2d ARCHIVE DESTINATION lib)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/aisp-config.cmake.in
  ${PROJECT_BINARY_DIR}/aisp-config.cmake INSTALL_DESTINATION lib/cmake/aisp)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/aisp-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/aisp-config.cmake ${PROJECT_BINARY_DIR}/aisp-config-version.cmake
  DESTINATION lib/cmake/aisp)

if(NOT CMAKE_CROSSCOMPILING)  # made beside the program, app/CMakeLists.txt
  install(FILES ${PROJECT_BINARY_DIR}/completions/aisp DESTINATION share/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/completions/_aisp DESTINATION share/zsh/site-functions)
  install(FILES ${PROJECT_BINARY_DIR}/completions/aisp.fish DESTINATION share/fish/vendor_completions.d)
endif()
