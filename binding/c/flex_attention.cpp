// Attention with functions of fixed kinds. A kernel keeps the addresses of the arrays that its
// functions read, while a caller's tensors come and go: they are copied to memory that stays, on
// the caller's stream, and a kernel is compiled, loaded and planned once for its kind.
#include <array>
#include <cmath>
#include <list>

#include "binding/c/attention_problem.hpp"
#include "binding/c/call.hpp"
#include "jit/attention.hpp"
#include "tile/device/launch/plan_cache.hpp"

namespace aisp::binding {
namespace {

using base::Exit;
using base::refuse;
using tile::Element;
using tile::device::AttentionProblem;
using tile::device::check_cuda;
using tile::device::StreamOfDevice;

constexpr const char* flex_attention_name = "flex_attention";

// What the functions compute, and how long the arrays are that they read; 0: there is none.
struct Kind {
  float soft_cap = 0;
  bool precise = false;
  std::int64_t slopes = 0, prefixes = 0, documents = 0;
  int keys = 0;                             // documents of a sequence
  int window_left = -1, window_right = -1;  // where a prefix widens it

  bool operator==(const Kind&) const = default;
};

struct Arrays {
  float* slopes = nullptr;
  int *prefixes = nullptr, *documents = nullptr;
};

jit::ScoreFunctions functions_of(const Kind& kind, const Arrays& arrays) {
  const auto count = [](std::int64_t numbers) { return static_cast<std::size_t>(numbers); };
  const jit::Array<float> slope(arrays.slopes, count(kind.slopes), "slopes");
  const jit::Array<int> prefix(arrays.prefixes, count(kind.prefixes), "prefix");
  const jit::Array<int> document(arrays.documents, count(kind.documents), "documents");
  const auto score = [=](auto s, auto at) {
    if (kind.soft_cap != 0) s = kind.soft_cap * tanh(s / kind.soft_cap);
    if (kind.slopes != 0) s = s + slope[at.head] * (at.key - at.query);
    return s;
  };
  const auto same_document = [=](const auto& at) {
    return document[at.sequence * kind.keys + at.query] ==
           document[at.sequence * kind.keys + at.key];
  };
  const auto in_prefix_or_window = [=](const auto& at) {
    auto seen = at.key <= at.query + (kind.window_right < 0 ? kind.keys : kind.window_right);
    if (kind.window_left >= 0) seen = seen && at.key >= at.query - kind.window_left;
    return at.key < prefix[at.sequence] || seen;
  };
  if (kind.prefixes != 0 && kind.documents != 0)
    return jit::AttentionFunctions{.score = score, .mask = [=](auto at) {
                                     return in_prefix_or_window(at) && same_document(at);
                                   }};
  if (kind.prefixes != 0)
    return jit::AttentionFunctions{.score = score, .mask = in_prefix_or_window};
  if (kind.documents != 0) return jit::AttentionFunctions{.score = score, .mask = same_document};
  return jit::AttentionFunctions{.score = score};
}

// A kind's memory on one stream, and its kernels.
struct Compiled {
  Kind kind;
  StreamOfDevice stream;
  Arrays arrays;
  tile::device::OwnedMemory memory;
  jit::FlexAttention attention;
  // The arrays are written and read by one call at a time.
  mutable std::mutex enqueuing{};
};
using CompiledPtr = std::shared_ptr<const Compiled>;

// `like` has the same kind on another stream: its kernels are taken.
CompiledPtr make(const Kind& kind, const StreamOfDevice& stream, const Compiled* like) {
  tile::device::PlanMemory memory;
  const auto numbers = [&]<class T>(T*& array, std::int64_t count) {
    if (count != 0)
      array = static_cast<T*>(memory.get(static_cast<std::size_t>(count) * sizeof(T)));
  };
  Arrays arrays;
  numbers(arrays.slopes, kind.slopes);
  numbers(arrays.prefixes, kind.prefixes);
  numbers(arrays.documents, kind.documents);
  const jit::ScoreFunctions functions = functions_of(kind, arrays);
  return CompiledPtr(new Compiled{kind, stream, arrays, memory.take(),
                                  like != nullptr
                                      ? jit::FlexAttention(like->attention, functions)
                                      : jit::FlexAttention(functions, {.precise = kind.precise})});
}

// One that is kept, or, for a graph, one of its own.
CompiledPtr compiled(const Kind& kind, cudaStream_t handle, bool for_graph) {
  // The last used first; never destroyed, the runtime may be gone before them.
  static auto& kept = *new std::list<CompiledPtr>;
  static auto& guard = *new std::mutex;
  constexpr std::size_t most = 64;
  const auto stream = for_graph ? StreamOfDevice{} : StreamOfDevice::of(handle);
  CompiledPtr evicted;
  const auto find_or_make = [&] {
    const std::lock_guard lock(guard);
    const Compiled* like = nullptr;
    for (auto at = kept.begin(); at != kept.end(); ++at) {
      if (!((*at)->kind == kind)) continue;
      like = at->get();
      if (for_graph || !((*at)->stream == stream)) continue;
      kept.splice(kept.begin(), kept, at);
      return kept.front();
    }
    const CompiledPtr made = make(kind, stream, like);
    if (for_graph) return made;
    kept.push_front(made);
    if (kept.size() > most) evicted = std::move(kept.back()), kept.pop_back();
    return made;
  };
  const CompiledPtr found = find_or_make();
  const tile::device::BesideCapture beside;
  evicted.reset();
  return found;
}

void copy(void* to, const std::optional<Tensor>& from, cudaStream_t stream) {
  if (!from) return;
  check_cuda(cudaMemcpyAsync(to, from->data(), static_cast<std::size_t>(from->count()) * 4,
                             cudaMemcpyDeviceToDevice, stream),
             "copy of what the functions read");
}

void flex_attention(const aisp_flex_attention_arguments& given, cudaStream_t stream) {
  const HeadsOfCall heads = heads_of_call(flex_attention_name, given);
  AttentionProblem problem = heads.problem;
  const std::int64_t batch = problem.batch, keys = problem.kv_rows;
  const auto slopes = optional_tensor(flex_attention_name, "slopes", given.slopes, Element::f32,
                                      {problem.query_heads});
  const auto prefix =
      optional_tensor(flex_attention_name, "prefix", given.prefix, Element::s32, {batch});
  const auto documents = optional_tensor(flex_attention_name, "documents", given.documents,
                                         Element::s32, {batch, keys});
  for (const auto* one : {&slopes, &prefix, &documents})
    if (*one && (*one)->device() != heads.device)
      refuse(Exit::usage, flex_attention_name, ": ", (*one)->text(), " is on device ",
             (*one)->device(), ", q, k and v on device ", heads.device, "; move them to one");
  if (!(given.soft_cap >= 0) || std::isinf(given.soft_cap))
    refuse(Exit::usage, flex_attention_name, ": the soft cap is ", given.soft_cap,
           "; it must be positive, or 0 for none");
  if (problem.query_rows > problem.kv_rows && (prefix || documents))
    refuse(Exit::usage, flex_attention_name, ": ", problem.query_rows,
           " queries have no places among ", problem.kv_rows,
           " keys, which a prefix or documents ask for");
  for (const Tensor& result : heads.results)
    admit_result(flex_attention_name, result,
                 {slopes ? &*slopes : nullptr, prefix ? &*prefix : nullptr,
                  documents ? &*documents : nullptr});
  const OnDevice on(flex_attention_name, heads.device);
  if (heads.empty) return;
  Kind kind{.soft_cap = given.soft_cap,
            .precise = given.precise != 0,
            .slopes = slopes ? slopes->count() : 0,
            .prefixes = prefix ? batch : 0,
            .documents = documents ? documents->count() : 0};
  if (prefix || documents) kind.keys = problem.kv_rows;
  if (prefix) {
    kind.window_left = problem.window_left, kind.window_right = problem.window_right;
    problem.window_left = problem.window_right = tile::device::unlimited;
  }
  tile::device::ReleasedByGraphs::get().free();
  const cudaGraph_t graph = tile::device::graph_under_capture(stream);
  const CompiledPtr one = compiled(kind, stream, graph != nullptr);
  if (graph != nullptr) tile::device::keep_with_graph(graph, one);
  const std::lock_guard lock(one->enqueuing);
  copy(one->arrays.slopes, slopes, stream);
  copy(one->arrays.prefixes, prefix, stream);
  copy(one->arrays.documents, documents, stream);
  one->attention(problem, stream);
}

}  // namespace
}  // namespace aisp::binding

aisp_status aisp_flex_attention(const aisp_flex_attention_arguments* arguments,
                                aisp_stream stream) {
  using namespace aisp::binding;
  return call([&] {
    flex_attention(taken(flex_attention_name, arguments), static_cast<cudaStream_t>(stream));
  });
}
