// A library that is loaded at first use, because a machine may lack it or have another version.
// Nothing is refused here: what its absence means, and the way out, the caller knows.
#pragma once

#include <dlfcn.h>

#include <string>
#include <vector>

namespace aisp::base {

// Stays loaded unless it is closed: the functions that were found in it are kept, and vendors'
// libraries do not like to be unloaded.
class SharedLibrary {
 public:
  enum class Symbols { local, global };  // global: libraries loaded later find them

  SharedLibrary() = default;
  explicit SharedLibrary(const std::string& name, Symbols symbols = Symbols::local)
      : name_(name),
        handle_(dlopen(name.c_str(),
                       RTLD_NOW | (symbols == Symbols::global ? RTLD_GLOBAL : RTLD_LOCAL))) {
    if (handle_ != nullptr) return;
    const char* words = dlerror();
    problem_ = words != nullptr ? words : name;
  }

  // The first of them that the loader finds; else the last one, with its problem.
  static SharedLibrary first_of(const std::vector<std::string>& names) {
    SharedLibrary library;
    library.problem_ = "no name to try";
    for (const auto& name : names)
      if (library = SharedLibrary(name); library) break;
    return library;
  }

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& name() const { return name_; }
  const std::string& problem() const { return problem_; }  // the loader's words; "" when loaded

  // False, and a null pointer, where the library has no such function.
  template <class Function>
  bool find(Function*& function, const char* name) const {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, name));
    return function != nullptr;
  }

  // After a look only.
  void close() {
    if (handle_ != nullptr) dlclose(handle_);
    handle_ = nullptr;
  }

 private:
  std::string name_, problem_;
  void* handle_ = nullptr;
};

// A function that may or may not be in the libraries of this process; null where it is not.
template <class Function>
Function* find_in_process(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace aisp::base
