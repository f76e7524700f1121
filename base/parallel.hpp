// Splits an index range over the machine's cores. References and comparisons of hundreds of
// millions of elements use it; nothing that is timed does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace aisp::base {

// Calls body(first, last) on disjoint ranges that cover [0, count). The first exception thrown by
// any range is rethrown here once all ranges have ended.
template <class Body>
void parallel_ranges(std::int64_t count, const Body& body, std::int64_t least = 1 << 14) {
  const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const std::int64_t parts =
      std::clamp<std::int64_t>(count / std::max<std::int64_t>(least, 1), 1, cores);
  std::exception_ptr failure;
  std::mutex guard;
  auto run = [&](std::int64_t part) {
    try {
      body(count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::jthread> threads;
  for (std::int64_t part = 1; part < parts; ++part) threads.emplace_back(run, part);
  run(0);
  threads.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

}  // namespace aisp::base
