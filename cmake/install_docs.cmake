# Run by `cmake --install`, which sets aisp_binary_dir: installs the pages of docs/ with their pictures and programs, and
# examples/, into share/doc/aisp. Links between them stay valid. A page's link to any other file of the tree becomes plain
# text, because that file is not installed.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH root)
set(rewritten ${aisp_binary_dir}/installed_docs)
set(destination ${CMAKE_INSTALL_PREFIX}/share/doc/aisp)

foreach(folder IN ITEMS . extend)
  set(up "../")  # what leads from a page of the folder out of docs/
  set(to_top "")
  if(NOT folder STREQUAL ".")
    set(up "../../")
    set(to_top "../")
  endif()
  file(GLOB pages ${root}/docs/${folder}/*.md)
  foreach(page IN LISTS pages)
    file(READ ${page} text)
    string(REPLACE "](${up}examples/" "](${to_top}examples/" text "${text}")
    string(REPLACE "." "\\." outside ${up})
    string(REGEX REPLACE "\\[([^]\n]+)\\]\\(${outside}[^)\n]*\\)" "\\1" text "${text}")
    cmake_path(GET page FILENAME name)
    file(WRITE ${rewritten}/${folder}/${name} "${text}")
    file(INSTALL ${rewritten}/${folder}/${name} DESTINATION ${destination}/${folder})
  endforeach()
endforeach()

file(GLOB others ${root}/docs/*.svg ${root}/docs/*.png ${root}/docs/*.txt ${root}/docs/*.yml)
file(INSTALL ${others} DESTINATION ${destination})
file(INSTALL ${root}/docs/programs ${root}/examples DESTINATION ${destination} PATTERN "build*" EXCLUDE)
