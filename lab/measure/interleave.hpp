// The order in which rungs are timed: A B C, C B A, A B C, … A slow drift of the clock then adds
// the same to each rung over every forward and backward pair of rounds.
// A rung that is done is skipped by the caller; the others keep their mirrored order.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace aisp::lab {

class Interleave {
 public:
  explicit Interleave(int rungs) : rungs_(rungs) {
    if (rungs < 1) throw std::invalid_argument("interleave: needs at least one rung");
  }

  int rung(std::int64_t turn) const {
    const auto place = static_cast<int>(turn % rungs_);
    return (turn / rungs_) % 2 == 0 ? place : rungs_ - 1 - place;
  }

 private:
  int rungs_;
};

}  // namespace aisp::lab
