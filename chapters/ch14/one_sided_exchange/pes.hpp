// one_sided_exchange with NVSHMEM, whose ranks are shared out among PEs: processes with a device
// each. This process is PE 0; it hands out the inputs and collects the results through the
// symmetric heap, so that the others are told no more than when to begin.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "chapters/ch14/one_sided_exchange/way.hpp"
#include "comm/nvshmem.hpp"
#include "comm/rank_processes.hpp"

namespace aisp::ch14 {

inline constexpr const char* pe_service = "ch14:one_sided_exchange";

// A rung's `prepare`. Refuses (Exit::environment) where the library is missing or says no.
lab::Run prepare_with_nvshmem(lab::Setup& setup, Way way);

// The PEs of a job. The library takes one job in a process, so there is one of these, for all
// rungs.
class Pes {
 public:
  // As many as there are ranks, devices at most; under a launcher its ranks. Refuses
  // (Exit::environment) another number than an earlier call had, and a second job.
  static std::shared_ptr<Pes> of_process(int ranks);
  // Ends them when nobody else has them: at the end of the process it is too late for the library.
  static void end_if_unused();
  explicit Pes(int count);
  Pes(const Pes&) = delete;
  Pes& operator=(const Pes&) = delete;
  ~Pes();

  const std::shared_ptr<comm::Nvshmem>& library() const { return library_; }
  bool alone() const { return processes_ == nullptr; }
  int new_job() { return ++jobs_; }
  // To PEs 1 and up, if there are any.
  void tell(const std::string& line);
  void wait();
  // Whether they have done all that they were told, and now this; where they do not come to it, or
  // one is lost, they are given up.
  bool tell_at_rest(const std::string& line);
  void give_up();

 private:
  bool rest_within(std::chrono::milliseconds time);

  // Ends after the library, in whose end they join.
  std::unique_ptr<comm::RankProcesses> processes_;
  std::shared_ptr<comm::Nvshmem> library_;
  int jobs_ = 0;
};

}  // namespace aisp::ch14
