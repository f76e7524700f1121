// Rung 2: the fastest configuration of the table that a sweep of rung 1 wrote: what tuning does.
#include "chapters/ch14/tma_configs/copy.hpp"
#include "chapters/ch14/tma_configs/measured_h200.hpp"
#include "lab/case/registry.hpp"
#include "tile/device/launch/tma_table.hpp"

using namespace aisp;

namespace {

using tile::device::TmaCell;
using tile::device::TmaTable;

std::string device_name() {
  int device = 0;
  cudaDeviceProp properties{};
  lab::check_cuda(cudaGetDevice(&device), "tma_configs: cudaGetDevice");
  lab::check_cuda(cudaGetDeviceProperties(&properties, device), "tma_configs: properties");
  return properties.name;
}

lab::Run prepare(lab::Setup& setup) {
  const auto path = tile::device::tma_table_path(device_name());
  const auto own = tile::device::read_tma_table(path);
  const std::string source = own ? path.string() : "the table of an H200";
  const TmaTable table = own ? *own : tile::device::parse_tma_table(ch14::measured_h200, source);
  const lab::Size& size = setup.problem().size;
  const TmaCell* best = table.best({.mode = size.variant});
  if (best == nullptr)
    base::refuse(base::Exit::environment, "tma_configs: ", source, " has no copy in mode ",
                 size.variant, "; measure some with: aisp sweep ch14:tma_configs --variant ",
                 size.variant, " --axis rows=16,32");
  const ch14::CopyConfig config{
      .mode = best->mode == "im2col" ? ch14::BoxMode::im2col : ch14::BoxMode::tile,
      .rank = best->rank,
      .width = best->width,
      .rows = best->rows,
      .swizzle = best->swizzle,
      .stages = best->stages,
      .blocks = best->blocks};
  if (const std::string why = ch14::why_not(config, ch14::shape_of(size)); !why.empty())
    base::refuse(base::Exit::environment, "tma_configs: the best copy of ", source, ": ", why);
  setup.note(base::say(best->rows, " rows of ", best->width, " bytes, swizzle ", best->swizzle,
                       ", ", best->stages, " stages, ", best->blocks, " blocks, rank ", best->rank,
                       ": ", source));
  return ch14::run_copy(setup, config);
}

const lab::RungEntry entry{"ch14:tma_configs",
                           {.name = "from_table",
                            .step = 2,
                            .builds_on = "asked",
                            .idea = "the fastest one in the table that a sweep of them wrote",
                            .look_at = "which one it is: the row's note",
                            .needs = lab::Needs::sm_90a,
                            .variants = {"tile"},
                            .prepare = prepare}};

}  // namespace
