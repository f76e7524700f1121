// Attention with functions of fixed kinds. A kernel keeps the addresses of the arrays that its
// functions read, while a caller's tensors come and go: they are copied to memory that stays, on
// the caller's stream, and a kernel is compiled, loaded and planned once for its kind.
#include <cmath>

#include "binding/c/attention_problem.hpp"
#include "binding/c/plans.hpp"
#include "jit/attention.hpp"

namespace aisp::binding {
namespace {

using base::Exit;
using base::refuse;
using tile::Element;
using tile::device::AttentionProblem;
using tile::device::check_cuda;
using tile::device::ProblemKey;

constexpr const char* flex_attention_name = "flex_attention";

// What the functions compute, and how long the arrays are that they read; 0: there is none.
struct Kind {
  float soft_cap = 0;
  bool precise = false;
  std::int64_t slopes = 0, prefixes = 0, documents = 0;
  int keys = 0;                             // documents of a sequence
  int window_left = -1, window_right = -1;  // where a prefix widens it
};

void add_fields(ProblemKey& key, const Kind& kind) {
  const auto& [soft_cap, precise, slopes, prefixes, documents, keys, left, right] = kind;
  key.add(soft_cap, precise, slopes, prefixes, documents, keys, left, right);
}

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
  int device;
  unsigned long long stream;
  Arrays arrays;
  tile::device::OwnedMemory memory;
  jit::FlexAttention attention;
  // The arrays are written and read by one call at a time.
  mutable std::mutex enqueuing{};
};
using CompiledPtr = std::shared_ptr<const Compiled>;

// `like` has the same kind on another stream: its kernels are taken.
CompiledPtr make(const Kind& kind, int device, unsigned long long stream, const Compiled* like) {
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
  return CompiledPtr(new Compiled{device, stream, arrays, memory.take(),
                                  like != nullptr
                                      ? jit::FlexAttention(like->attention, functions)
                                      : jit::FlexAttention(functions, {.precise = kind.precise})});
}

// One that is kept, or, for a graph, one of its own.
CompiledPtr compiled(const Kind& kind, cudaStream_t handle, bool for_graph) {
  // Never destroyed, the runtime may be gone before them.
  static auto& kept = *new tile::device::LastUsed<CompiledPtr>;
  static auto& guard = *new std::mutex;
  const ProblemKey key(kind);
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  tile::device::StreamNumber stream(handle);
  tile::device::LastUsed<CompiledPtr>::Evicted evicted;
  const auto find_or_make = [&] {
    const std::lock_guard lock(guard);
    const Compiled* like = nullptr;
    const auto is_it = [&](const CompiledPtr& one) {
      like = one.get();
      return !for_graph && one->device == device && one->stream == stream.get();
    };
    if (const CompiledPtr* found = kept.find(key, is_it)) return *found;
    const CompiledPtr made = make(kind, device, for_graph ? 0 : stream.get(), like);
    if (!for_graph) evicted = kept.add(key, made);
    return made;
  };
  const CompiledPtr found = find_or_make();
  if (!evicted.empty()) {
    const tile::device::BesideCapture beside;
    evicted.clear();
  }
  return found;
}

// What the functions read, on its way to where they read it.
struct Source {
  const void* data = nullptr;
  std::size_t bytes = 0;

  static Source of(const std::optional<Tensor>& tensor) {
    if (!tensor) return {};
    return {tensor->data(), static_cast<std::size_t>(tensor->count()) * 4};
  }
  void copy_to(void* to, cudaStream_t stream) const {
    if (bytes == 0) return;
    check_cuda(cudaMemcpyAsync(to, data, bytes, cudaMemcpyDeviceToDevice, stream),
               "copy of what the functions read");
  }
};

// A call whose arguments were looked at.
struct FlexCall {
  bool empty = false;  // there is nothing to compute
  Kind kind{};
  AttentionProblem problem{};
  Source slopes{}, prefix{}, documents{};

  void run(cudaStream_t stream) const {
    if (empty) return;
    const cudaGraph_t graph = tile::device::graph_under_capture(stream);
    const CompiledPtr one = compiled(kind, stream, graph != nullptr);
    if (graph != nullptr) tile::device::keep_with_graph(graph, one);
    const std::lock_guard lock(one->enqueuing);
    slopes.copy_to(one->arrays.slopes, stream);
    prefix.copy_to(one->arrays.prefixes, stream);
    documents.copy_to(one->arrays.documents, stream);
    one->attention(problem, stream);
  }
};

FlexCall admitted(const aisp_flex_attention_arguments& given) {
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
  admit_device(flex_attention_name, heads.device);
  if (heads.empty) return {.empty = true};
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
  return {.kind = kind,
          .problem = problem,
          .slopes = Source::of(slopes),
          .prefix = Source::of(prefix),
          .documents = Source::of(documents)};
}

void flex_attention(const aisp_flex_attention_arguments& given, cudaStream_t stream) {
  static auto* const calls =
      new tile::device::PlanCache<FlexCall>(tile::device::WorkspaceSharing::none);
  CallKey key;
  key.tensors({given.q, given.k, given.v, given.o, given.log_sum_exp, given.kv_lengths,
               given.slopes, given.prefix, given.documents})
      .numbers(given.scale, given.window_left, given.window_right, given.soft_cap, given.precise,
               given.mask);
  run_planned(flex_attention_name, *calls, key, given.o, stream,
              [&](const tile::device::Allocate&) { return admitted(given); });
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
