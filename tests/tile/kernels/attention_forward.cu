// Attention of many queries against float64: all head sizes and types, masks, shared heads, padded,
// packed and paged sequences. Prints "ok" and returns 0 when all is right.
#include "tests/tile/kernels/attention_on_host.hpp"
#include "tile/device/attention/instances.hpp"

using namespace aisp;

namespace {

using namespace attention_test;

void run(const char* what, const Setup& setup) {
  Attention(what, setup).run([](const AttentionProblem& problem) {
    return tile::device::plan_forward(problem, {});
  });
}

void refused(const char* part, const AttentionProblem& problem) {
  expect_refusal(part, [&] { tile::device::plan_attention(problem); });
}

void run_sizes(Element element, int size) {
  // Two sequences and heads; tiles cut short, blocks that only some warpgroups see.
  run("causal", {.element = element,
                 .head_size = size,
                 .query_heads = 2,
                 .query_rows = 200,
                 .kv_rows = 200,
                 .keys = {200},
                 .right = 0,
                 .lengths = false});
  run("full", {.element = element,
               .head_size = size,
               .query_heads = 1,
               .query_rows = 70,
               .kv_rows = 270,
               .keys = {270},
               .layout = Layout::rows_first,
               .lengths = false,
               .log_sum = false});
}

void run_layouts() {
  using enum Element;
  using enum Layout;
  run("lengths", {.head_size = 128,
                  .query_heads = 1,
                  .query_rows = 90,
                  .kv_rows = 200,
                  .keys = {200, 20, 0, 130},
                  .layout = rows_first,
                  .right = 0});
  for (const int size : {64, 96})
    run("packed", {.element = f16,
                   .head_size = size,
                   .query_heads = 2,
                   .query_rows = 150,
                   .kv_rows = 200,
                   .keys = {200, 65, 0, 90, 10},
                   .queries = {100, 40, 20, 0, 150},
                   .layout = packed,
                   .right = 0});
  run("window", {.head_size = 128,
                 .query_heads = 1,
                 .query_rows = 200,
                 .kv_rows = 500,
                 .keys = {500},
                 .left = 150,
                 .right = 20});
  for (const int page_rows : {16, 128})
    run("paged", {.kv_heads = 2,
                  .query_rows = 70,
                  .kv_rows = 200,
                  .keys = {200, 17, 0, 1},
                  .layout = paged,
                  .right = 0,
                  .page_rows = page_rows});
  run("paged window", {.head_size = 64,
                       .query_heads = 1,
                       .query_rows = 80,
                       .kv_rows = 330,
                       .keys = {330, 200},
                       .layout = paged,
                       .left = 70,
                       .right = 0,
                       .page_rows = 32});
  // More tiles than the eight multiprocessors of the test hold: blocks take them by the counter.
  for (const int size : {64, 128})
    run("many tiles", {.head_size = size,
                       .query_heads = 4,
                       .kv_heads = 2,
                       .query_rows = 260,
                       .kv_rows = 260,
                       .keys = {260},
                       .right = 0,
                       .lengths = false});
}

void run_refusals() {
  AttentionProblem good{.query_heads = 4, .query_rows = 100, .kv_rows = 64, .head_size = 128};
  const std::int32_t number = 0;
  AttentionProblem bad = good;
  bad.kv_heads = 3;
  refused("4 query heads cannot share 3", bad);
  bad = good, bad.head_size = 80;
  refused("got 80", bad);
  bad = good, bad.k.element = Element::f16;
  refused("got f16", bad);
  bad = good, bad.window_left = -7;
  refused("got -7", bad);
  bad = good, bad.scale = -1;
  refused("must be positive: got -1", bad);
  bad = good, bad.query_starts = &number;
  refused("query_starts and kv_starts both", bad);
  bad = good, bad.page_table = &number, bad.page_rows = 48;
  refused("got 48", bad);
  bad = good;
  bad.q = bad.k = bad.v = bad.o = {.data = &good, .row_stride = 130, .head_stride = 8};
  refused("multiples of 8 elements: got 130", bad);
  bad = good;
  refused("q has no data", bad);
}

}  // namespace

int main() try {
  using enum Element;
  for (const int size : {64, 96, 128, 256}) run_sizes(size == 96 ? f16 : bf16, size);
  for (const int size : {64, 256}) run_sizes(f16, size);
  run_layouts();
  run_refusals();
  std::puts("ok");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
