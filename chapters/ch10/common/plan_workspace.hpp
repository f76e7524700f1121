// The workspace of a plan, got before anything is timed by planning once for stand-in addresses.
// Plans for real buffers ask for the same allocations in the same order and share them, for they
// run one after another.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/refuse.hpp"
#include "lab/case/rung.hpp"
#include "tile/device/launch/launch_choice.hpp"

namespace aisp::ch10 {

class PlanWorkspace {
 public:
  // What the first plan asks for comes from `get` and is kept, this object's copies included.
  tile::device::Allocate first(tile::device::Allocate get) {
    return [parts = parts_, get = std::move(get)](std::size_t bytes) {
      return parts->emplace_back(get(bytes), bytes).first;
    };
  }
  // For one further plan.
  tile::device::Allocate again() const {
    return [parts = parts_, next = std::size_t{0}](std::size_t bytes) mutable {
      if (next == parts->size() || (*parts)[next].second != bytes)
        base::refuse(base::Exit::wrong, "a plan asks for ", bytes, " bytes as request ", next,
                     ", which the plan for the same shape did not");
      return (*parts)[next++].first;
    };
  }

 private:
  using Parts = std::vector<std::pair<void*, std::size_t>>;
  std::shared_ptr<Parts> parts_ = std::make_shared<Parts>();
};

inline tile::device::Allocate flags_of(lab::Setup& setup) {
  return [&setup](std::size_t bytes) {
    return setup.kept(bytes, "flags of a plan, 0 between launches");
  };
}

}  // namespace aisp::ch10
