#include "lab/case/range.hpp"

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>

#include <atomic>
#include <map>
#include <mutex>

namespace aisp::lab {
namespace {

std::atomic<RangeSink*> listening{nullptr};

// Never destroyed: streams are forgotten by destructors that may run at the program's end.
struct StreamNames {
  std::mutex mutex;
  std::map<cudaStream_t, std::string> names;
};
StreamNames& stream_names() {
  static auto* const all = new StreamNames;
  return *all;
}

}  // namespace

RangeSink* set_range_sink(RangeSink* sink) { return listening.exchange(sink); }

Range::Range(const std::string& name) : told_(listening.load()) {
  nvtxRangePushA(name.c_str());
  if (told_ != nullptr) told_->push(name);
}

Range::~Range() {
  nvtxRangePop();
  // One that stopped listening meanwhile may be gone.
  if (told_ != nullptr && told_ == listening.load()) told_->pop();
}

void mark(const std::string& text) {
  nvtxMarkA(text.c_str());
  if (RangeSink* sink = listening.load()) sink->mark(text);
}

void name_stream(cudaStream_t stream, const std::string& name) {
  nvtxNameCudaStreamA(stream, name.c_str());
  StreamNames& all = stream_names();
  const std::lock_guard lock(all.mutex);
  all.names[stream] = name;
}

void forget_stream(cudaStream_t stream) {
  StreamNames& all = stream_names();
  const std::lock_guard lock(all.mutex);
  all.names.erase(stream);
}

std::vector<NamedStream> named_streams() {
  StreamNames& all = stream_names();
  const std::lock_guard lock(all.mutex);
  std::vector<NamedStream> streams;
  for (const auto& [stream, name] : all.names) streams.push_back({stream, name});
  return streams;
}

}  // namespace aisp::lab
