// How the ranks of distributed_streams meet where they are processes.
#pragma once

#include "chapters/ch11/distributed_streams/local_ranks.hpp"
#include "comm/communicator.hpp"
#include "lab/case/elsewhere.hpp"
#include "lab/case/range.hpp"

namespace aisp::ch11 {

// Where ranks are processes, a step begins with a sum of one float: no rank's device goes on before
// all have come. Rank 0's clock then shows what the step takes and not who was told first.
class StartLine {
 public:
  explicit StartLine(comm::Communicator& communicator)
      : communicator_(communicator), flag_(communicator.local().at(0).device, sizeof(float)) {
    comm::check(cudaMemset(flag_.get(), 0, sizeof(float)), "cudaMemset");
    comm::check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  }

  // On streams that have been forked.
  void enqueue(LocalRanks& ranks) {
    const lab::Range range(lab::meeting_range);
    const auto& rank = ranks.all().at(0);
    const comm::Part part{flag_.get(), flag_.get(), rank.compute.get()};
    communicator_.all_reduce(comm::Dtype::f32, 1, {&part, 1});
  }

 private:
  comm::Communicator& communicator_;
  comm::Memory flag_;
};

}  // namespace aisp::ch11
