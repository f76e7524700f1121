# `cpack --config build/CPackConfig.cmake`: the program, its simulator and their pages as a Debian package, for machines
# without a CUDA toolkit. It is the same from a build with chapters and from one of the checker alone but for the targets
# that the program has.
if(NOT CMAKE_CROSSCOMPILING)  # where Debian's zsh looks; what the other shells get is cmake/package.cmake's
  install(FILES ${PROJECT_BINARY_DIR}/completions/_aisp DESTINATION share/zsh/vendor-completions COMPONENT program)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/aisp RENAME copyright COMPONENT program)

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # what is packaged needs `aisp`, not every test
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};aisp;program;/")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME aisp)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)  # aisp_0.2.0_amd64.deb
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the aisp authors")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # what the three files are linked with, and no CUDA package
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator and hazard checker for CUDA programs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "aisp runs CUDA programs that bring their PTX on the CPU (aisp sim), and looks
for races, missing fences, misused barriers and deadlocks in them (aisp check).
It needs neither a GPU nor a CUDA toolkit.")
include(CPack)
