// One size, tuned: every candidate is checked, then all that are right are timed in turn by the
// lab's timer, with a cold L2.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/tune/tuner.hpp"
#include "lab/run/process/job.hpp"

namespace aisp::app {

struct Opponent {
  std::string name;  // "": nobody
  Prepare prepare;
};

// set_aside: too slow in a first short round; wrong, failed, skipped: see the reason beside it.
enum class AttemptStatus { measured, set_aside, wrong, failed, skipped };
constexpr auto names_of(AttemptStatus) {
  return std::to_array<lab::Name<AttemptStatus>>({{AttemptStatus::measured, "measured"},
                                                  {AttemptStatus::set_aside, "set aside"},
                                                  {AttemptStatus::wrong, "wrong"},
                                                  {AttemptStatus::failed, "failed"},
                                                  {AttemptStatus::skipped, "skipped"}});
}

// What came of one candidate, or of the opponent.
struct Attempted {
  std::string name;  // "pingpong_128x256 raster m8 splits 2"
  tile::device::TunedChoice choice{};
  bool opponent = false;
  AttemptStatus status = AttemptStatus::skipped;
  std::string reason{};
  std::vector<double> samples{};  // milliseconds
};

struct TunedSize {
  lab::Size size;
  double flops = 0;
  std::vector<Attempted> attempted;  // in the tuner's order, the opponent last

  const Attempted* fastest() const;  // of the candidates; null where none was measured
  const Attempted* against() const;  // the opponent, where it was measured
};

std::string name_of(const tile::device::TunedChoice& choice);

// `progress` hears of every step, before every sample too; what it throws ends the measurement.
// A candidate that costs the context refuses (Exit::wrong) with its name.
TunedSize tune_size(lab::Device& device, const lab::Size& size,
                    const std::vector<Candidate>& candidates, const Opponent& opponent, int samples,
                    const std::function<void(const lab::Phase&)>& progress);

}  // namespace aisp::app
