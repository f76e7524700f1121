// Stands in for the commands that need chapters, recipes or ranks in a build that has none of them
// (AISP_CHECKER_ONLY).
#include "app/cache/cache_command.hpp"
#include "app/demo/demo_command.hpp"
#include "app/inspect/inspect_command.hpp"
#include "app/ranks.hpp"
#include "app/tune/tune_command.hpp"
#include "base/refuse.hpp"

namespace aisp::app {
namespace {

[[noreturn]] void refuse(const char* what) {
  base::refuse(base::Exit::environment, "this build of aisp is the checker alone and has no ", what,
               "; build them with 'make all'");
}

}  // namespace

int cache_command(const std::vector<std::string>&, std::ostream&) {
  refuse("kernels that are compiled at run time");
}

const std::vector<Demonstration>& all_demonstrations() { refuse("demonstrations"); }

int demo_command(const std::vector<std::string>&, const std::vector<Demonstration>&,
                 std::ostream&) {
  refuse("demonstrations");
}

int inspect_command(const std::vector<std::string>&, std::ostream&) { refuse("rungs to look at"); }

std::unique_ptr<Tuner> make_gemm_tuner() { refuse("recipes of the tile library to tune"); }

int tune_gemm_command(const std::vector<std::string>&, Tuner&) {
  refuse("recipes of the tile library to tune");
}

// Ranks are started by targets of chapters.
std::optional<int> run_as_rank(int, char**) { return std::nullopt; }

}  // namespace aisp::app
