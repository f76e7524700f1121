// A rung whose launch is prepared for certain addresses (tensor maps, library descriptors): made
// once for each set of buffers it meets, kept, and then only launched.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "lab/case/rung.hpp"

namespace aisp::lab {

using Enqueue = std::function<void(cudaStream_t)>;

// `bind` looks at a launch's buffers and says how to enqueue the work on them.
inline Run per_buffers(std::function<Enqueue(const Launch&)> bind) {
  using Addresses = std::pair<std::vector<const void*>, std::vector<void*>>;
  auto made = std::make_shared<std::map<Addresses, Enqueue>>();
  return [bind = std::move(bind), made](const Launch& launch) {
    auto [at, first] = made->try_emplace({launch.inputs, launch.outputs});
    if (first) at->second = bind(launch);
    at->second(launch.stream);
  };
}

}  // namespace aisp::lab
