// Ranks 1 and up of distributed_streams where they are processes: they get the inputs over a link,
// enqueue the same schedule, and send back their gradients.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chapters/ch11/distributed_streams/shape.hpp"
#include "comm/communicator.hpp"
#include "comm/rank_processes.hpp"
#include "lab/case/elsewhere.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch11 {

// How the ranks exchange. Every one makes its communicator of the same words.
struct Backend {
  std::string name;     // "nccl", "staged"
  std::string nccl_id;  // "-": none

  std::unique_ptr<comm::Communicator> make(const TrainingShape& shape,
                                           const std::shared_ptr<comm::Link>& link,
                                           int device) const;
};

class RemoteRanks : private lab::Elsewhere {
 public:
  // Starts them, or finds those of the launcher.
  explicit RemoteRanks(const TrainingShape& shape);

  const std::shared_ptr<comm::Link>& link() const { return processes_.link(); }
  // They make their communicator as soon as rank 0 makes its own.
  void prepare(const std::string& schedule, const Backend& backend);
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
  void listen(bool everything) override;
  void restart() override;
  std::vector<lab::TraceElsewhere> traces() override;
  void tell_and_wait(const std::string& line);

  // Bytes on the link; whoever is lost meanwhile is named first.
  template <class Use>
  void use_link(Use use);

  TrainingShape shape_;
  std::vector<float> weights_, samples_, gradients_;
  comm::RankProcesses processes_;
};

}  // namespace aisp::ch11
