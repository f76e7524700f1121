// What ranks that are processes do in tests: all collectives, judged by each of them, and greetings
// over their links.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "base/refuse.hpp"
#include "comm/process/link.hpp"
#include "tests/comm/device_support.hpp"

namespace aisp::tests {

inline constexpr std::int64_t collective_count = 1003;

inline float value_of(int rank, std::int64_t i) {
  return static_cast<float>((i * 3 + rank * 5) % 11 - 5);
}

// All collectives of one rank, judged by the rank itself.
inline void run_collectives(const std::unique_ptr<comm::Communicator>& made) {
  comm::Communicator& communicator = *made;
  const int rank = communicator.local().at(0).rank, ranks = communicator.ranks();
  const comm::Stream stream(rank);
  const comm::OnDevice on(rank);
  const auto own = [&](std::int64_t i) { return value_of(rank, i); };
  const auto sum = [&](std::int64_t i) {
    float total = 0;
    for (int from = 0; from < ranks; ++from) total += value_of(from, i);
    return total;
  };
  for (const comm::Dtype type : {comm::Dtype::f32, comm::Dtype::bf16}) {
    const Array send(rank, type, collective_count * ranks, own),
        all(rank, type, collective_count * ranks);
    const Array part(rank, type, collective_count), gathered(rank, type, collective_count * ranks);
    const auto call = [&](const Array& to) {
      return std::vector<comm::Part>{{send.get(), to.get(), stream.get()}};
    };
    communicator.all_reduce(type, collective_count * ranks, call(all));
    communicator.reduce_scatter(type, collective_count, call(part));
    communicator.all_gather(type, collective_count, call(gathered));
    comm::check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    all.expect(sum);
    part.expect([&](std::int64_t i) { return sum(rank * collective_count + i); });
    gathered.expect([](std::int64_t i) {
      return value_of(static_cast<int>(i / collective_count), i % collective_count);
    });
  }
  if (testing::Test::HasFailure()) throw std::runtime_error("wrong numbers");
}

// Sums of numbers that round: in another order other bits come out.
inline std::vector<float> rounded_sums(comm::Communicator& communicator) {
  constexpr std::int64_t count = 4099;
  std::vector<std::unique_ptr<Array>> sends, sums;
  std::vector<std::unique_ptr<comm::Stream>> streams;
  std::vector<comm::Part> parts;
  for (const auto& [rank, device] : communicator.local()) {
    const auto value = [seed = rank](std::int64_t i) {
      return std::sin(static_cast<float>(i * 7 + seed * 31)) *
             std::exp2(static_cast<float>(i % 13));
    };
    sends.push_back(std::make_unique<Array>(device, comm::Dtype::f32, count, value));
    sums.push_back(std::make_unique<Array>(device, comm::Dtype::f32, count));
    streams.push_back(std::make_unique<comm::Stream>(device));
    parts.push_back({sends.back()->get(), sums.back()->get(), streams.back()->get()});
  }
  communicator.all_reduce(comm::Dtype::f32, count, parts);
  for (const auto& stream : streams)
    comm::check(cudaStreamSynchronize(stream->get()), "cudaStreamSynchronize");
  std::vector<float> host(count);
  comm::check(
      cudaMemcpy(host.data(), sums[0]->get(), count * sizeof(float), cudaMemcpyDeviceToHost),
      "out");
  return host;
}

// More than a socket takes at once, to all others and from all of them.
inline void greet_all(comm::Link& link) {
  std::vector<int> out(1 << 18), in(out.size());
  for (int away = 1; away < link.ranks(); ++away) {
    const int to = (link.rank() + away) % link.ranks();
    const int from = (link.rank() + link.ranks() - away) % link.ranks();
    std::iota(out.begin(), out.end(), link.rank() * 100 + to);
    link.exchange(to, std::as_bytes(std::span(out)), from, std::as_writable_bytes(std::span(in)));
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i] != from * 100 + link.rank() + static_cast<int>(i))
        throw std::runtime_error(base::say("rank ", from, " has sent ", in[i], " at ", i));
  }
}

}  // namespace aisp::tests
