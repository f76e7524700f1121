// Ranks 1 and up of distributed_streams under NCCL: processes that get the inputs through memory
// shared with rank 0, enqueue the same schedule, and leave their gradients there.
#pragma once

#include <cstddef>
#include <string>

#include "chapters/ch11/distributed_streams/shape.hpp"
#include "comm/channel.hpp"
#include "comm/rank_processes.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch11 {

// The memory that the processes share: the weights, all ranks' samples, and the gradients of ranks
// 1 and up.
class SharedTensors {
 public:
  explicit SharedTensors(const TrainingShape& shape);                // makes it
  SharedTensors(const TrainingShape& shape, comm::Descriptor file);  // maps what another has made
  SharedTensors(const SharedTensors&) = delete;
  SharedTensors& operator=(const SharedTensors&) = delete;
  ~SharedTensors();

  int file() const { return file_.get(); }
  float* weights() const { return floats_; }
  float* samples(int rank) const {
    return floats_ + shape_.gradients() + rank * shape_.sample_floats();
  }
  float* gradients(int rank) const {
    return samples(shape_.ranks) + (rank - 1) * shape_.gradients();
  }

 private:
  void map();

  TrainingShape shape_;
  comm::Descriptor file_;
  std::size_t bytes_;
  float* floats_ = nullptr;
};

class RemoteRanks {
 public:
  // Starts them. They make their communicator as soon as rank 0 makes its own.
  RemoteRanks(const TrainingShape& shape, const std::string& schedule, const std::string& nccl_id);

  // Until they are ready for the first step.
  void wait() { processes_.wait(); }
  // Hands them the inputs, then lets them enqueue a step: it begins when rank 0 begins its own.
  void begin_step(const lab::Launch& launch);
  // Lets them end their communicator, whose end rank 0 then takes part in. False where they will
  // not come to it: they are gone then.
  bool begin_end();
  // Copies their gradients into the launch's output.
  void collect(const lab::Launch& launch);

 private:
  TrainingShape shape_;
  SharedTensors shared_;
  comm::RankProcesses processes_;
};

}  // namespace aisp::ch11
