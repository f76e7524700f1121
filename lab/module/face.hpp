// What a module (a shared library with targets, made by aisp_add_targets) shows to the program that
// loads it. Both are compiled against this file. The face itself is plain data, so that a module of
// another version can be told apart before anything of it is used.
#pragma once

#include <string>
#include <version>

#include "lab/case/registry.hpp"
#include "lab/module/stamp.hpp"  // of the build: version, and a digest of what both sides must share

namespace aisp::lab {

// Of the standard library whose strings and vectors cross the border.
#if defined(_LIBCPP_VERSION)
inline constexpr const char* standard_library = "libc++";
#elif defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
inline constexpr const char* standard_library = "libstdc++";
#else
inline constexpr const char* standard_library = "libstdc++ with the strings of before C++11";
#endif

struct ModuleFace {
  const char* version;           // of the aisp it was built against: "0.2.0"
  const char* interface;         // interface_stamp
  const char* standard_library;  // what it was built with
  const char* name;              // "mine": the chapter of its targets
  const char* folder;            // the targets' sources, where their expectations are kept
  void (*hand_over)(Announced&);
};

// The one name that a module exports.
inline constexpr const char* module_symbol = "aisp_module";
using ModuleSymbol = const ModuleFace*();

inline ModuleFace make_face(const char* name, const char* folder) {
  return {.version = interface_version,
          .interface = interface_stamp,
          .standard_library = standard_library,
          .name = name,
          .folder = folder,
          .hand_over = [](Announced& to) { to = take_announced(); }};
}

}  // namespace aisp::lab
