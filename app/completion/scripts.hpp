// The completion script of a shell: what it does is a file beside this one, what it knows is put in
// at the line that says @table@.
#pragma once

#include <string>

#include "app/completion/help_page.hpp"

namespace aisp::app {

std::string bash_completion(const HelpPage& page);
std::string zsh_completion(const HelpPage& page);
std::string fish_completion(const HelpPage& page);

}  // namespace aisp::app
