// Attention of few queries to many keys against float64: all head sizes and types, shared heads,
// ragged, packed and paged sequences, windows, heads cut between blocks. What no query may see is
// NaN. Prints "ok" and returns 0 when all is right.
#include "tests/tile/kernels/attention_on_host.hpp"
#include "tile/device/attention/instances.hpp"

using namespace aisp;

namespace {

using namespace attention_test;

void run(const char* what, const Setup& setup) {
  Attention(what, setup).run([&](const AttentionProblem& problem) {
    auto plan = tile::device::plan_decode(problem, {});
    const bool split = plan.kernel().find("_split") != std::string::npos;
    if (split && setup.kv_rows <= 128) {
      std::fprintf(stderr, "%s: short heads are cut: %s\n", what, plan.kernel().c_str());
      std::exit(1);
    }
    return plan;
  });
}

void refused(const char* part, const AttentionProblem& problem) {
  expect_refusal(part, [&] { tile::device::plan_decode(problem, {}); });
}

void run_all() {
  using enum Element;
  using enum Layout;
  // Sequences of one key, of none, and across the edges of tiles.
  const std::vector<int> ragged{300, 0, 1, 64, 65, 190};
  for (const Element element : {bf16, f16})
    for (const int size : {64, 96, 128, 256})
      run("ragged", {.element = element, .head_size = size, .kv_rows = 300, .keys = ragged});
  run("own heads",
      {.query_heads = 3, .kv_heads = 3, .kv_rows = 260, .keys = {260, 131}, .layout = rows_first});
  run("groups of 8", {.element = f16,
                      .query_heads = 16,
                      .kv_heads = 2,
                      .kv_rows = 400,
                      .keys = {400, 77},
                      .scale = 0.2f});
  run("one sequence", {.query_heads = 8,
                       .kv_heads = 1,
                       .kv_rows = 2000,
                       .keys = {2000},
                       .q_range = 40,
                       .lengths = false});
  run("causal", {.query_heads = 8,
                 .kv_heads = 2,
                 .query_rows = 3,
                 .kv_rows = 300,
                 .keys = {300, 2, 0, 129},
                 .right = 0});
  run("two tiles of rows", {.head_size = 64,
                            .query_heads = 8,
                            .query_rows = 3,
                            .kv_rows = 300,
                            .keys = {300, 5},
                            .right = 0});
  run("two tiles of rows", {.head_size = 256,
                            .query_heads = 8,
                            .query_rows = 3,
                            .kv_rows = 200,
                            .keys = {200, 5},
                            .right = 0});
  run("64 rows", {.query_heads = 16,
                  .query_rows = 4,
                  .kv_rows = 300,
                  .keys = {300, 211},
                  .layout = rows_first,
                  .right = 0});
  run("64 rows", {.head_size = 256, .query_heads = 64, .kv_rows = 200, .keys = {200}});
  run("window", {.query_rows = 3, .kv_rows = 500, .keys = {500, 90, 300}, .left = 100, .right = 0});
  run("window of both sides",
      {.head_size = 96, .query_rows = 5, .kv_rows = 200, .keys = {200, 3}, .left = 0, .right = 1});
  run("packed", {.head_size = 64,
                 .query_heads = 4,
                 .kv_heads = 2,
                 .query_rows = 4,
                 .kv_rows = 200,
                 .keys = {200, 65, 0, 90, 10},
                 .queries = {1, 4, 2, 0, 3},
                 .layout = packed,
                 .right = 0});
  for (const int page_rows : {16, 32, 64, 128, 48})
    run("paged", {.element = page_rows == 32 ? f16 : bf16,
                  .kv_heads = 2,
                  .query_rows = 2,
                  .kv_rows = 330,
                  .keys = {330, 17, 0, 128, 1},
                  .layout = paged,
                  .right = 0,
                  .page_rows = page_rows});
  run("paged window", {.head_size = 64,
                       .query_rows = 2,
                       .kv_rows = 330,
                       .keys = {330, 200},
                       .layout = paged,
                       .left = 70,
                       .right = 0,
                       .page_rows = 16});
  run("packed queries of pages", {.head_size = 64,
                                  .kv_heads = 2,
                                  .query_rows = 4,
                                  .kv_rows = 200,
                                  .keys = {200, 65, 0, 90, 10},
                                  .queries = {1, 4, 2, 0, 3},
                                  .layout = paged,
                                  .right = 0,
                                  .page_rows = 32});
  run("short", {.kv_heads = 2, .kv_rows = 100, .keys = {100, 3, 64, 0, 65}, .log_sum = false});
  run("many heads", {.head_size = 64,
                     .query_heads = 32,
                     .kv_heads = 32,
                     .kv_rows = 140,
                     .keys = {140, 30, 129, 0, 64, 100, 1, 128, 9, 140}});
  run("no keys", {.kv_rows = 0, .keys = {0, 0}, .lengths = false});

  AttentionProblem bad{.query_heads = 9, .query_rows = 8, .kv_rows = 64, .head_size = 128};
  refused("8 queries of 9 heads are 72 rows", bad);
  bad.query_rows = 1, bad.head_size = 80;
  refused("got 80", bad);
  bad.head_size = 128, bad.q.element = e4m3;
  refused("got e4m3", bad);
  const std::int32_t table = 0;
  bad.q.element = bf16, bad.page_table = &table, bad.page_rows = 24;
  refused("got 24", bad);
}

}  // namespace

int main() try {
  run_all();
  std::puts("ok");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
