// Attention with functions as tests run it: any layout, every element against the same functions
// read with numbers.
#pragma once

#include "jit/attention.hpp"
#include "tests/tile/kernels/attention_on_host.hpp"

namespace aisp::jit::testing {

using attention_test::Layout;
using attention_test::Setup;

// Device memory of a test that is never freed before it ends.
template <class T>
Array<T> uploaded(const std::vector<T>& values, const std::string& name) {
  return {static_cast<const T*>(attention_test::upload(values.data(), values.size() * sizeof(T))),
          values.size(), name};
}

// Plans, runs twice and compares. `error` is how far off a score may be beside its sum.
inline FlexPlan check_flex(const char* what, Setup setup, const FlexAttention& attention,
                           double error = 0) {
  const ScoreFunctions& functions = attention.functions();
  const HostCopies copies(functions.function().parameters, functions.arrays());
  const HostCopies::Reading reading(copies);
  std::vector<int> queries;
  for (int b = 0; b < setup.batch(); ++b) queries.push_back(setup.queries_of(b));
  const auto query_starts = attention_test::starts(queries),
             kv_starts = attention_test::starts(setup.keys);
  setup.function_error = error;
  const bool packed = !setup.queries.empty(), packed_keys = setup.layout == Layout::packed;
  setup.function = [&, packed, packed_keys](int b, int head, int i, int j, double score) {
    const auto at = static_cast<std::size_t>(b);
    const int keys = kv_starts[at + 1] - kv_starts[at];
    const ScorePosition<Number> position{.sequence = b,
                                         .head = head,
                                         .query = i + keys - queries[at],
                                         .key = j,
                                         .query_row = i + (packed ? query_starts[at] : 0),
                                         .key_row = j + (packed_keys ? kv_starts[at] : 0),
                                         .queries = queries[at],
                                         .keys = keys};
    return functions.sees(position) ? functions.score(score, position) : -INFINITY;
  };
  std::optional<FlexPlan> made;
  attention_test::Attention(what, setup).run([&](const attention_test::AttentionProblem& problem) {
    made = attention.plan(problem);
    return *made;
  });
  return *made;
}

}  // namespace aisp::jit::testing
