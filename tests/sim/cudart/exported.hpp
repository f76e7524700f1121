// Functions of the simulator's library that no header of CUDA has.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

template <class Function>
Function* exported(const char* name) {
  auto* found = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  EXPECT_NE(found, nullptr) << name;
  return found;
}
