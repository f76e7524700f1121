// The program: the lab's command line, and the commands that need the tile library too.
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
#include "lab/cli/commands.hpp"

using namespace aisp;

int main(int count, char** words) {
  if (const auto code = app::run_as_rank(count, words)) return *code;
  return app::leave_ranks(lab::run_cli(
      count, words,
      {{"cache", [](const auto& given) { return app::cache_command(given); }},
       {"completion", [](const auto& given) { return app::completion_command(given); }},
       {"demo", [](const auto& given) { return app::demo_command(given); }},
       {"draw sync", [](const auto& given) { return app::draw_sync_command(given); }},
       {"inspect", [](const auto& given) { return app::inspect_command(given); }},
       {"layout", [](const auto& given) { return app::layout_command(given); }},
       {"new project", [](const auto& given) { return app::new_project_command(given); }},
       {"new target", [](const auto& given) { return app::new_target_command(given); }},
       {"tune gemm",
        [](const auto& given) { return app::tune_gemm_command(given, *app::make_gemm_tuner()); }},
       {"tune program", [](const auto& given) { return app::tune_program_command(given); }}}));
}
