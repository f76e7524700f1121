// Functions of a library that is loaded at first use and may be missing or another version.
#pragma once

#include <dlfcn.h>

#include <string>

#include "base/refuse.hpp"

namespace base {

// Refuses (Exit::environment) with what is missing, "cuFile", and where it was looked for.
template <class Call>
void find_call(Call& call, void* opened, const char* name, const char* what,
               const std::string& library) {
  call = reinterpret_cast<Call>(dlsym(opened, name));
  if (call == nullptr) refuse(Exit::environment, "no ", what, ": ", library, " has no ", name);
}

}  // namespace base
