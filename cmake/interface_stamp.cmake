# cmake -DOUTPUT=… -DVERSION=… "-DHEADERS=a|b|c" -P interface_stamp.cmake: what a module and the program that loads it must
# have in common, as constants that both are compiled with.
string(REPLACE "|" ";" headers "${HEADERS}")
set(digests "")
foreach(header IN LISTS headers)
  file(SHA256 ${header} digest)
  string(APPEND digests ${digest})
endforeach()
string(SHA256 digest "${digests}")
string(SUBSTRING ${digest} 0 12 digest)
file(WRITE ${OUTPUT} "// Made by the build from the headers that targets are written against.
#pragma once

namespace aisp::lab {
inline constexpr const char* interface_version = \"${VERSION}\";
inline constexpr const char* interface_stamp = \"${digest}\";
}  // namespace aisp::lab
")
