// tma_configs: a copy by TMA, through shared memory, in every shape of box. A point of a sweep is a
// way to copy; all copy the same bytes, and every element is compared.
#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch14/tma_configs/config.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch14;

// In the rings of a multiprocessor, where a sweep does not say how many stages there are.
constexpr int usual_in_flight = 64 * 1024;

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
  const auto x = inputs.at(0).as<std::int32_t>();
  auto& y = expected.at(0);
  base::parallel_ranges(static_cast<std::int64_t>(y.size()),
                        [&](std::int64_t i, std::int64_t last) {
                          for (; i < last; ++i)
                            y[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(i)];
                        });
}

lab::Problem problem(const lab::Size& size) {
  const CopyShape shape = shape_of(size);
  if (const std::string why = why_not(config_of(size), shape); !why.empty())
    base::refuse(base::Exit::usage, "tma_configs: ", why);
  const std::int64_t count = shape.line * shape.lines / element_bytes;
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"x", lab::Dtype::i32, {count}, {-2147483648.0, 2147483647.0}}};
  problem.outputs = {{{"y", lab::Dtype::i32, {count}, {}}, {}}};  // exact
  problem.bytes = 2.0 * static_cast<double>(shape.line * shape.lines);
  problem.reference = reference;
  return problem;
}

// A swizzle has a width of its own, and a ring is as long as its boxes are small.
void complete(lab::Size& size, const std::vector<bool>& given) {
  auto& dims = size.dims;
  if (given.at(box_swizzle) && !given.at(box_width) && dims[box_swizzle] > no_swizzle)
    dims[box_width] = dims[box_swizzle];
  if (given.at(box_width) && !given.at(box_swizzle)) dims[box_swizzle] = no_swizzle;
  if (given.at(map_rank) && !given.at(box_rows) && dims[map_rank] == 1) dims[box_rows] = 1;
  if (!given.at(ring_stages)) dims[ring_stages] = stages_for(config_of(size), usual_in_flight);
}

// A cell of the full size, with so many KiB in the rings of a multiprocessor.
lab::Size cell(BoxMode mode, int rank, int width, int rows, int swizzle, int kibibytes,
               int blocks) {
  CopyConfig config{.mode = mode,
                    .rank = rank,
                    .width = width,
                    .rows = rows,
                    .swizzle = swizzle,
                    .blocks = blocks};
  return {mode == BoxMode::im2col ? "im2col" : "tile",
          {width, rows, swizzle, stages_for(config, kibibytes * 1024), blocks, rank, 512, 32768}};
}

// A few cells that every run can afford; the map is a sweep, which begins with the first.
std::vector<lab::Size> full_sizes() {
  using enum BoxMode;
  return {cell(tile, 2, 256, 32, no_swizzle, 64, 2), cell(tile, 2, 1024, 16, no_swizzle, 128, 2),
          cell(tile, 2, 64, 8, no_swizzle, 64, 8), cell(im2col, 4, 256, 32, no_swizzle, 64, 2)};
}

// Lines and boxes that do not divide each other, rings that go round more than once and some that
// are longer than a block has boxes, ranks that spread odd numbers.
std::vector<lab::Size> quick_sizes() {
  //                 width rows swizzle stages blocks rank line16 lines
  return {{"tile", {128, 24, 128, 3, 2, 2, 65, 301}}, {"tile", {48, 7, 16, 2, 1, 2, 10, 99}},
          {"tile", {64, 1, 64, 4, 3, 1, 63, 45}},     {"tile", {32, 12, 32, 3, 2, 3, 7, 330}},
          {"tile", {64, 24, 16, 1, 2, 4, 5, 420}},    {"tile", {16, 36, 16, 5, 1, 5, 3, 1155}},
          {"im2col", {32, 10, 16, 2, 2, 3, 5, 77}},   {"im2col", {128, 13, 128, 3, 2, 4, 17, 210}},
          {"im2col", {64, 16, 64, 2, 1, 5, 12, 330}}};
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch14";
  target.name = "tma_configs";
  target.idea = "where TMA is fast: box, swizzle, stages, bytes in flight, rank and mode";
  target.shows_nowhere = "latency and bandwidth of copies, which no count has";
  target.aliases = {{"benchmark_tma_configs", ""}};
  target.axes = {"width", "rows", "swizzle", "stages", "blocks", "rank", "line16", "lines"};
  target.variants = {"tile", "im2col"};
  target.full = full_sizes();
  target.quick = quick_sizes();
  target.complete = complete;
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
