#include "chapters/ch11/distributed_streams/remote_ranks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/refuse.hpp"

namespace aisp::ch11 {
namespace {

constexpr const char* service = "ch11:distributed_streams";

// Rank 0's device waits for the rank that is gone, and rank 0 for its device. Ending the process is
// what always ends that; whoever started it quotes the line.
void end_process(const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
  constexpr int failed = 70;
  _exit(failed);
}

std::size_t bytes_for(const TrainingShape& shape) {
  const std::int64_t floats =
      shape.ranks * (shape.gradients() + shape.sample_floats());  // weights for rank 0's gradients
  return static_cast<std::size_t>(floats) * sizeof(float);
}

}  // namespace

SharedTensors::SharedTensors(const TrainingShape& shape)
    : shape_(shape),
      file_(memfd_create("distributed_streams", MFD_CLOEXEC)),
      bytes_(bytes_for(shape)) {
  if (file_.get() < 0 || ftruncate(file_.get(), static_cast<off_t>(bytes_)) != 0)
    base::refuse(base::Exit::environment, "distributed_streams: no memory of ", bytes_,
                 " bytes to share with other ranks: ", std::strerror(errno));
  map();
}

SharedTensors::SharedTensors(const TrainingShape& shape, comm::Descriptor file)
    : shape_(shape), file_(std::move(file)), bytes_(bytes_for(shape)) {
  map();
}

void SharedTensors::map() {
  void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (mapped == MAP_FAILED)
    base::refuse(base::Exit::environment, "distributed_streams: cannot map ", bytes_,
                 " bytes shared with other ranks: ", std::strerror(errno));
  floats_ = static_cast<float*>(mapped);
}

SharedTensors::~SharedTensors() {
  if (floats_ != nullptr) munmap(floats_, bytes_);
}

RemoteRanks::RemoteRanks(const TrainingShape& shape, const std::string& schedule,
                         const std::string& nccl_id)
    : shape_(shape), shared_(shape), processes_(shape.ranks, service, {.lost = end_process}) {
  processes_.tell(base::say("prepare ", schedule, ' ', shape.buckets, ' ', shape.elements, ' ',
                            shape.samples, ' ', nccl_id),
                  {shared_.file()});
}

void RemoteRanks::begin_step(const lab::Launch& launch) {
  processes_.wait();  // the step before is over: they no longer read what is written now
  const auto download = [&](float* to, int input) {
    const auto bytes = launch.problem.inputs.at(static_cast<std::size_t>(input)).bytes();
    lab::check_cuda(cudaMemcpyAsync(to, launch.in<float>(input), static_cast<std::size_t>(bytes),
                                    cudaMemcpyDeviceToHost, launch.stream),
                    "inputs for other ranks");
  };
  download(shared_.weights(), 0);
  download(shared_.samples(0), 1);
  lab::check_cuda(cudaStreamSynchronize(launch.stream), "inputs for other ranks");
  processes_.tell("load");
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
  processes_.tell("collect");
  processes_.wait();
  for (int rank = 1; rank < shape_.ranks; ++rank)
    lab::check_cuda(
        cudaMemcpyAsync(launch.out<float>(0) + rank * shape_.gradients(), shared_.gradients(rank),
                        static_cast<std::size_t>(shape_.gradients()) * sizeof(float),
                        cudaMemcpyHostToDevice, launch.stream),
        "gradients of other ranks");
}

}  // namespace aisp::ch11
