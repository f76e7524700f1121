// Somebody else's software that peers run on and that a machine may lack: a Python with PyTorch. It
// announces itself as targets do; `aisp doctor` shows what was found, and a run names the peers
// that it has to leave out.
//
//   const lab::LibraryEntry entry{{.name = "PyTorch", .look = look_for_pytorch}};
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace aisp::lab {

struct LibraryState {
  std::string found{};    // "2.11.0 for /usr/bin/python3"
  std::string missing{};  // why it cannot be used, "" when it can
  std::string remedy{};   // the way out of that
};

struct Library {
  std::string name{};  // "PyTorch"
  // Asked at most once per process. It may take a second, and must not load what cannot be unloaded
  // into this process.
  std::function<LibraryState()> look{};
};

struct LibraryEntry {
  explicit LibraryEntry(Library library);
};

// By name.
std::vector<std::string> library_names();

// Those that announced themselves, taken out: a module hands them over.
std::vector<Library> take_libraries();

// Throws std::logic_error for a name that nothing announced.
const LibraryState& library_state(const std::string& name);

}  // namespace aisp::lab
