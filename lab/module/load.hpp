// Loads modules: their targets stand beside the program's own from then on.
#pragma once

#include <string>
#include <vector>

#include "lab/module/module.hpp"

namespace aisp::lab {

// Loads what --load names, before the targets are first asked for. Each is tried in a process of
// its own first: one that crashes or never returns from its constructors is refused, and so is a
// file that is no module, is for another machine or another aisp, brings nothing, or takes a name
// that is there. A file that is loaded already is left alone. Modules are trusted code; which ones
// the user has named is kept for --resume (lab/module/trust.hpp).
void load_modules(const std::vector<std::string>& files);

// The same modules as in a run's header, in a worker or when the run goes on. Refuses
// (Exit::environment) one that is gone or has been built anew. Whether the header is to be believed
// is for the caller to know.
void load_again(const std::vector<Module>& modules);

// In the order in which they were loaded.
const std::vector<Module>& loaded_modules();

}  // namespace aisp::lab
