// A Python interpreter inside this process, so that a peer works on the lab's own device memory.
// Its library is loaded at first use and never unloaded; no header of Python is needed.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "peers/python/find.hpp"

namespace aisp::peers {

// What a Python exception says, in one line; the traceback is on standard error.
struct PythonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Interpreter {
 public:
  // Starts Python; a process can do so once. `modules` are source texts that can be imported from
  // the package aisp_peers. Refuses (Exit::environment) where the library is not what it should be.
  Interpreter(const Python& python, const std::map<std::string, std::string>& modules);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // Calls "module.function" of that package with keyword arguments.
  nlohmann::json call(const std::string& function, const nlohmann::json& arguments);

 private:
  struct Api;
  const Api* api_;
  void* answer_ = nullptr;  // the function of bridge.py that all calls go through
};

// From now on the process ends before the destructors of what was loaded until now: those of
// frameworks trip over a device that has gone before them, and what the lab learned is already out.
void end_before_others();

// The program's own: python() with the modules of this folder. Refuses (Exit::environment) with the
// reason where there is none.
Interpreter& interpreter();

}  // namespace aisp::peers
