execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "unknown")
else()
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
                  OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(changes)
    string(APPEND commit "+")
  endif()
endif()
set(text "#include \"lab/run/plan/build_info.hpp\"

namespace aisp::lab {
const std::string version = \"${VERSION}\";
const std::string commit = \"${commit}\";
}  // namespace aisp::lab
")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY)  # writes only what changed
