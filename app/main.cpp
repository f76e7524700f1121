// The program: the lab's command line, and the commands that need the tile library too. The same
// file is the program of the checker alone (AISP_CHECKER_ONLY), which is linked without the folders
// of the commands that of_whole_program names.
#include "app/cache/cache_command.hpp"
#include "app/completion/completion_command.hpp"
#include "app/demo/demo_command.hpp"
#include "app/draw/sync_command.hpp"
#include "app/inspect/inspect_command.hpp"
#include "app/layout_command.hpp"
#include "app/new/new_command.hpp"
#include "app/ranks.hpp"
#include "app/tune/program_command.hpp"
#include "app/tune/tune_command.hpp"
#include "base/refuse.hpp"
#include "lab/cli/commands.hpp"

using namespace aisp;

namespace {

#ifdef AISP_CHECKER_ONLY
constexpr bool checker_only = true;
#else
constexpr bool checker_only = false;
#endif

// A command that needs chapters, recipes, the run-time compiler or ranks. The checker alone refuses
// it. `run` is a generic lambda, so that the checker does not even instantiate its call and links
// without the command's folder.
template <class Run>
lab::ExtraCommand of_whole_program(const char* name, [[maybe_unused]] const char* missing,
                                   [[maybe_unused]] Run run) {
  if constexpr (checker_only)
    return {name, [missing](const auto&) -> int {
              base::refuse(base::Exit::environment,
                           "this build of aisp is the checker alone and has no ", missing,
                           "; build them with 'make all'");
            }};
  else
    return {name, run};
}

std::vector<lab::ExtraCommand> commands() {
  return {
      of_whole_program("cache", "kernels that are compiled at run time",
                       [](const auto& given) { return app::cache_command(given); }),
      {"completion", [](const auto& given) { return app::completion_command(given); }},
      of_whole_program("demo", "demonstrations",
                       [](const auto& given) { return app::demo_command(given); }),
      {"draw sync", [](const auto& given) { return app::draw_sync_command(given); }},
      of_whole_program("inspect", "rungs to look at",
                       [](const auto& given) { return app::inspect_command(given); }),
      {"layout", [](const auto& given) { return app::layout_command(given); }},
      {"new project", [](const auto& given) { return app::new_project_command(given); }},
      {"new target", [](const auto& given) { return app::new_target_command(given); }},
      of_whole_program(
          "tune gemm", "recipes of the tile library to tune",
          [](const auto& given) { return app::tune_gemm_command(given, *app::make_gemm_tuner()); }),
      of_whole_program("tune program", "tile programs to tune",
                       [](const auto& given) { return app::tune_program_command(given); }),
  };
}

}  // namespace

int main(int count, char** words) {
  // Ranks are started by targets of chapters.
  if constexpr (checker_only) {
    return lab::run_cli(count, words, commands());
  } else {
    if (const auto code = app::run_as_rank(count, words)) return *code;
    return app::leave_ranks(lab::run_cli(count, words, commands()));
  }
}
