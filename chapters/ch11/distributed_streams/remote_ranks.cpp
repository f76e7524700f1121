#include "chapters/ch11/distributed_streams/remote_ranks.hpp"

#include "base/refuse.hpp"
#include "comm/cuda.hpp"
#include "comm/nccl.hpp"
#include "comm/process/process.hpp"
#include "comm/staged_ring.hpp"

namespace aisp::ch11 {
namespace {

constexpr const char* service = "ch11:distributed_streams";

void download(std::vector<float>& to, const lab::Launch& launch, int input) {
  lab::check_cuda(cudaMemcpyAsync(to.data(), launch.in<float>(input), to.size() * sizeof(float),
                                  cudaMemcpyDeviceToHost, launch.stream),
                  "inputs for other ranks");
}

std::size_t floats(std::int64_t count) { return static_cast<std::size_t>(count); }

}  // namespace

std::unique_ptr<comm::Communicator> Backend::make(const TrainingShape& shape,
                                                  const std::shared_ptr<comm::Link>& link,
                                                  int device) const {
  if (name == "nccl")
    return std::make_unique<comm::NcclCommunicator>(comm::load_nccl(), comm::id_from_text(nccl_id),
                                                    shape.ranks,
                                                    comm::LocalRank{link->rank(), device});
  return std::make_unique<comm::StagedRing>(link, device);
}

RemoteRanks::RemoteRanks(const TrainingShape& shape)
    : shape_(shape),
      weights_(floats(shape.gradients())),
      samples_(floats(shape.ranks * shape.sample_floats())),
      gradients_(floats(shape.gradients())),
      processes_(shape.ranks, service, {.lost = comm::end_process}) {}

void RemoteRanks::prepare(const std::string& schedule, const Backend& backend) {
  processes_.tell(base::say("prepare ", schedule, ' ', shape_.buckets, ' ', shape_.elements, ' ',
                            shape_.samples, ' ', backend.name, ' ', backend.nccl_id));
}

template <class Use>
void RemoteRanks::use_link(Use use) {
  try {
    for (int rank = 1; rank < shape_.ranks; ++rank) use(rank);
  } catch (const std::exception&) {
    processes_.wait_for(std::chrono::seconds(3));  // why it is closed comes on another way
    throw;
  }
}

void RemoteRanks::begin_step(const lab::Launch& launch) {
  processes_.wait();  // the step before is over
  download(weights_, launch, 0);
  download(samples_, launch, 1);
  lab::check_cuda(cudaStreamSynchronize(launch.stream), "inputs for other ranks");
  processes_.tell("load");
  use_link([&](int rank) {
    link()->send(rank, std::as_bytes(std::span(weights_)));
    link()->send(rank, std::as_bytes(std::span(samples_).subspan(
                           floats(rank * shape_.sample_floats()), floats(shape_.sample_floats()))));
  });
  processes_.wait();
  processes_.tell("step");
}

bool RemoteRanks::begin_end() {
  constexpr std::chrono::seconds grace(3);
  if (!processes_.wait_for(grace)) {
    processes_.kill();
    return false;
  }
  processes_.tell("end");
  return true;
}

void RemoteRanks::collect(const lab::Launch& launch) {
  processes_.wait();
  processes_.tell("collect");
  use_link([&](int rank) {
    link()->receive(rank, std::as_writable_bytes(std::span(gradients_)));
    lab::check_cuda(
        cudaMemcpyAsync(launch.out<float>(0) + rank * shape_.gradients(), gradients_.data(),
                        gradients_.size() * sizeof(float), cudaMemcpyHostToDevice, launch.stream),
        "gradients of other ranks");
    lab::check_cuda(cudaStreamSynchronize(launch.stream), "gradients of other ranks");
  });
  processes_.wait();
}

void RemoteRanks::tell_and_wait(const std::string& line) {
  processes_.wait();
  processes_.tell(line);
  processes_.wait();
}
void RemoteRanks::listen(bool everything) {
  tell_and_wait(everything ? "listen everything" : "listen work");
}
void RemoteRanks::restart() { tell_and_wait("restart"); }

std::vector<lab::TraceElsewhere> RemoteRanks::traces() {
  processes_.wait();
  processes_.tell("trace");
  std::vector<lab::TraceElsewhere> all;
  use_link([&](int rank) {
    std::uint64_t bytes = 0;
    link()->receive(rank, std::as_writable_bytes(std::span(&bytes, 1)));
    constexpr std::uint64_t most = std::uint64_t{1} << 32;
    if (bytes > most)
      throw std::runtime_error(base::say("rank ", rank, " has a trace of ", bytes, " bytes"));
    std::string text(bytes, ' ');
    link()->receive(rank, std::as_writable_bytes(std::span(text)));
    if (!text.empty()) all.push_back({base::say("rank ", rank), std::move(text)});
  });
  processes_.wait();
  return all;
}

}  // namespace aisp::ch11
