// A Python on this machine: which interpreter, where its shared library is, and what it can import.
// The interpreter is asked in a process of its own; nothing is loaded into this one.
#pragma once

#include <string>
#include <vector>

namespace aisp::peers {

struct Python {
  std::string executable, version;
  std::string home, prefix, exec_prefix;  // where its own modules are, and those installed for it
  std::vector<std::string> path;          // where it looks for modules
  std::vector<std::string> libraries;     // where libpython may be, best first
  std::string library;                    // the first of them that loads
  std::string torch, triton;              // versions, "" where there is no such module

  std::string missing{};  // why it cannot be used, "" when it can
};

// Asks that interpreter, a path or a name on PATH. One that does not answer in time is missing.
Python ask_python(const std::string& executable, double seconds);

// The interpreter to use: $AISP_PYTHON, else python3. Asked once per process.
const Python& python();

}  // namespace aisp::peers
