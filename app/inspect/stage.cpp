#include "app/inspect/stage.hpp"

#include <algorithm>
#include <cstring>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/profile/demangle.hpp"
#include "lab/trace/collector.hpp"

namespace aisp::app {
namespace {

// Random inputs cost time, and a run that is captured reads none: large ones are zero.
constexpr std::int64_t most_random_bytes = 64 << 20;

std::int64_t input_bytes(const lab::Problem& problem) {
  std::int64_t bytes = 0;
  for (const auto& input : problem.inputs) bytes += input.bytes();
  return bytes;
}

std::string memory_line(const std::string& what, std::int64_t bytes, const std::string& more) {
  return base::say(what, "  ", bytes, " bytes", more.empty() ? "" : "  ", more, '\n');
}

std::string tensor_line(const char* kind, const lab::Tensor& tensor) {
  std::vector<std::string> extents;
  for (const auto extent : tensor.shape) extents.push_back(std::to_string(extent));
  return memory_line(base::say(kind, ' ', tensor.name), tensor.bytes(),
                     base::say(lab::name_of(tensor.dtype), " (", base::join(extents, ", "), ")",
                               tensor.memory == lab::Memory::pinned ? ", pinned host memory" : ""));
}

}  // namespace

Stage::Stage(lab::Device& device, const lab::Problem& problem, const lab::Rung& rung)
    : device_(device), problem_(problem), rung_(rung), buffers_(device, problem, 1) {}

void* Stage::scratch(std::size_t bytes) {
  return pieces_.emplace_back("scratch", lab::Buffer(device_, bytes)).memory.get();
}

void* Stage::kept(std::size_t bytes, const char* why) {
  return pieces_.emplace_back(base::say("kept: ", why), lab::Buffer(device_, bytes)).memory.get();
}

void Stage::fill_inputs() {
  if (input_bytes(problem_) <= most_random_bytes) {
    buffers_.draw(0, 0);
    return;
  }
  const lab::Launch launch = buffers_.launch(0);
  for (std::size_t at = 0; at < problem_.inputs.size(); ++at)
    device_.fill(const_cast<void*>(launch.inputs[at]), 0,
                 static_cast<std::size_t>(problem_.inputs[at].bytes()));
}

void Stage::before() {
  if (before_) before_(buffers_.launch(0));
  device_.synchronize();
}

Launches Stage::launches() {
  fill_inputs();
  run_ = rung_.prepare(*this);
  before();
  Launches found;
  if (rung_.blocks_host)
    found.why_not = "a run works on the host too, which a graph cannot record";
  else if (!capture(found).empty()) {
    on_run_();
    // What only a first run does (memory, descriptors for its buffers) is in no capture's way now.
    run_(buffers_.launch(0));
    device_.synchronize();
    before();
    found = {};
    found.why_not = capture(found);
  }
  found.captured = found.why_not.empty();
  if (rung_.blocks_host) on_run_();
  if (!found.captured) watch(found);
  return found;
}

std::string Stage::capture(Launches& into) {
  const auto failed = [](cudaError_t error) {
    cudaGetLastError();
    return base::say("the stream cannot be captured: ", cudaGetErrorString(error));
  };
  if (const auto error = cudaStreamBeginCapture(device_.stream(), cudaStreamCaptureModeThreadLocal);
      error != cudaSuccess)
    return failed(error);
  std::string problem;
  try {
    run_(buffers_.launch(0));
  } catch (const std::exception& error) {
    problem = base::say("it fails under capture: ", error.what());
  }
  // In any case: the stream must not stay in a capture.
  cudaGraph_t graph{};
  const auto ended = cudaStreamEndCapture(device_.stream(), &graph);
  if (problem.empty() && ended != cudaSuccess) problem = failed(ended);
  if (ended == cudaSuccess && graph != nullptr) {
    if (problem.empty()) read_graph(graph, into);
    cudaGraphDestroy(graph);
  }
  cudaGetLastError();
  return problem;
}

void Stage::watch(Launches& into) {
  into.nodes.clear();
  into.edges.clear();
  const auto collector = lab::start_trace(lab::Detail::work);
  before();
  collector->restart();
  run_(buffers_.launch(0));
  device_.synchronize();
  for (const auto& interval : collector->trace().intervals) {
    const bool kernel = interval.engine == lab::TraceEngine::compute;
    into.nodes.push_back({.kind = kernel ? "kernel" : std::string(lab::name_of(interval.engine)),
                          .details = kernel ? interval.kernel : interval.name,
                          .depth = 0});
    if (!kernel) continue;
    ++into.launches;
    const LaunchedKernel one{interval.kernel, nullptr};
    if (std::find(into.kernels.begin(), into.kernels.end(), one) == into.kernels.end())
      into.kernels.push_back(one);
  }
}

std::vector<lab::Exhibit> Stage::exhibits() const {
  std::vector<lab::Exhibit> all;
  for (const auto& of_one : exhibits_)
    for (auto& exhibit : of_one()) all.push_back(std::move(exhibit));
  return all;
}

std::string Stage::memory() const {
  std::string text;
  std::int64_t bytes = 0;
  for (const auto& input : problem_.inputs) {
    text += tensor_line("input", input);
    bytes += input.bytes();
  }
  for (const auto& output : problem_.outputs) {
    text += tensor_line("output", output.tensor);
    bytes += output.tensor.bytes();
  }
  for (const auto& piece : pieces_) {
    text += memory_line(piece.what, static_cast<std::int64_t>(piece.memory.bytes()), "");
    bytes += static_cast<std::int64_t>(piece.memory.bytes());
  }
  return text + memory_line("all", bytes, "without what the rung allocates itself");
}

}  // namespace aisp::app
