# aisp_embed(<out.cpp> <symbol> <file>): the file's bytes as `extern const std::string_view symbol` in namespace aisp::embedded.
function(aisp_embed output symbol file)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${output} -DSYMBOL=${symbol}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake
    DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake
    VERBATIM)
endfunction()
