// The peer ring against sums made on the host: every number of ranks, buffers that divide by
// nothing, chunks of several laps, in place and not, both types, on one device and on several.
#include "comm/peer_ring.hpp"

#include "tests/comm/device_support.hpp"

namespace aisp::comm {
namespace {

using tests::Array;

// Small integers: their sums are exact in both types.
float value_of(int rank, std::int64_t i) { return static_cast<float>((i * 7 + rank * 5) % 13 - 6); }

struct Setting {
  int ranks, devices;
  std::int64_t count, chunk_bytes;
};

std::vector<int> devices_of(const Setting& setting) {
  std::vector<int> devices;
  for (int rank = 0; rank < setting.ranks; ++rank) devices.push_back(rank % setting.devices);
  return devices;
}

std::vector<Setting> settings() {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  std::vector<Setting> all;
  for (const int ranks : {1, 2, 3, 4})
    for (const int on : {1, devices})
      for (const std::int64_t count : {std::int64_t{1}, std::int64_t{5}, std::int64_t{997}})
        for (const std::int64_t chunk : {std::int64_t{64}, std::int64_t{1} << 20})
          if (on == 1 || ranks > 1) all.push_back({ranks, on, count, chunk});
  return all;
}

class Ring {
 public:
  explicit Ring(const Setting& setting)
      : ring(devices_of(setting), {.chunk_bytes = setting.chunk_bytes}) {
    for (const auto& who : ring.local()) streams.emplace_back(who.device);
  }
  int device(int rank) const { return ring.local()[static_cast<std::size_t>(rank)].device; }
  // In stream order, without a wait: what surrounds a call must be kept apart from it by the call.
  void clear(const std::vector<Array>& arrays) const {
    for (std::size_t rank = 0; rank < arrays.size(); ++rank)
      arrays[rank].clear(streams[rank].get());
  }
  std::vector<Array> take(const std::vector<Array>& arrays) const {
    std::vector<Array> taken;
    for (std::size_t rank = 0; rank < arrays.size(); ++rank)
      taken.push_back(arrays[rank].taken(streams[rank].get()));
    return taken;
  }
  void synchronize() const {
    for (const auto& stream : streams)
      check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  }

  PeerRing ring;
  std::vector<Stream> streams;
};

template <class Check>
void for_every_setting(const Check& body) {
  for (const auto& setting : settings())
    for (const Dtype type : {Dtype::f32, Dtype::bf16}) {
      SCOPED_TRACE(testing::Message()
                   << setting.ranks << " ranks on " << setting.devices << " devices, "
                   << setting.count << " elements of " << bytes_of(type) << " bytes, chunks of "
                   << setting.chunk_bytes);
      body(setting, type);
    }
}

TEST(PeerRing, AllReduceGivesEveryRankTheSum) {
  for_every_setting([](const Setting& setting, Dtype type) {
    for (const bool in_place : {false, true}) {
      Ring at(setting);
      std::vector<Array> sends, receives;
      std::vector<Part> parts;
      for (int rank = 0; rank < setting.ranks; ++rank) {
        sends.emplace_back(at.device(rank), type, setting.count,
                           [&](std::int64_t i) { return value_of(rank, i); });
        receives.emplace_back(at.device(rank), type, setting.count);
        const auto r = static_cast<std::size_t>(rank);
        parts.push_back(
            {sends[r].get(), in_place ? sends[r].get() : receives[r].get(), at.streams[r].get()});
      }
      // Twice: the second call uses what the first has left behind.
      if (!in_place) at.ring.all_reduce(type, setting.count, parts);
      if (!in_place) at.clear(receives);
      at.ring.all_reduce(type, setting.count, parts);
      if (!in_place) at.clear(sends);
      const auto results = at.take(in_place ? sends : receives);
      at.synchronize();
      for (const auto& result : results)
        result.expect([&](std::int64_t i) {
          float sum = 0;
          for (int from = 0; from < setting.ranks; ++from) sum += value_of(from, i);
          return sum;
        });
    }
  });
}

TEST(PeerRing, ReduceScatterGivesEachRankItsPart) {
  for_every_setting([](const Setting& setting, Dtype type) {
    Ring at(setting);
    std::vector<Array> sends, receives;
    std::vector<Part> parts;
    for (int rank = 0; rank < setting.ranks; ++rank) {
      sends.emplace_back(at.device(rank), type, setting.count * setting.ranks,
                         [&](std::int64_t i) { return value_of(rank, i); });
      receives.emplace_back(at.device(rank), type, setting.count);
      const auto r = static_cast<std::size_t>(rank);
      parts.push_back({sends[r].get(), receives[r].get(), at.streams[r].get()});
    }
    at.clear(receives);
    at.ring.reduce_scatter(type, setting.count, parts);
    at.clear(sends);
    const auto results = at.take(receives);
    at.synchronize();
    for (int rank = 0; rank < setting.ranks; ++rank)
      results[static_cast<std::size_t>(rank)].expect([&](std::int64_t i) {
        float sum = 0;
        for (int from = 0; from < setting.ranks; ++from)
          sum += value_of(from, rank * setting.count + i);
        return sum;
      });
  });
}

TEST(PeerRing, AllGatherGivesEveryRankAllParts) {
  for_every_setting([](const Setting& setting, Dtype type) {
    for (const bool in_place : {false, true}) {
      Ring at(setting);
      std::vector<Array> sends, receives;
      std::vector<Part> parts;
      for (int rank = 0; rank < setting.ranks; ++rank) {
        const auto own = [&](std::int64_t i) { return value_of(rank, i); };
        sends.emplace_back(at.device(rank), type, setting.count, own);
        receives.emplace_back(at.device(rank), type, setting.count * setting.ranks,
                              [&](std::int64_t i) { return own(i - rank * setting.count); });
        const auto r = static_cast<std::size_t>(rank);
        char* place = receives[r].get() + rank * setting.count * bytes_of(type);
        parts.push_back(
            {in_place ? place : sends[r].get(), receives[r].get(), at.streams[r].get()});
      }
      if (!in_place) at.clear(receives);
      at.ring.all_gather(type, setting.count, parts);
      if (!in_place) at.clear(sends);
      const auto results = at.take(receives);
      at.synchronize();
      for (const auto& result : results)
        result.expect([&](std::int64_t i) {
          return value_of(static_cast<int>(i / setting.count), i % setting.count);
        });
    }
  });
}

TEST(PeerRing, CanBeRecordedIntoAGraph) {
  const Setting setting{3, 1, 997, 256};
  Ring at(setting);
  std::vector<Array> sends, receives;
  std::vector<Part> parts;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    sends.emplace_back(0, Dtype::f32, setting.count,
                       [&](std::int64_t i) { return value_of(static_cast<int>(rank), i); });
    receives.emplace_back(0, Dtype::f32, setting.count);
    parts.push_back({sends[rank].get(), receives[rank].get(), at.streams[0].get()});
  }
  const auto stream = at.streams[0].get();
  at.ring.all_reduce(Dtype::f32, setting.count, parts);  // leaves events of no capture behind
  for (auto& receive : receives) receive.clear(stream);
  at.synchronize();
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin");
  at.ring.all_reduce(Dtype::f32, setting.count, parts);
  at.ring.all_reduce(Dtype::f32, setting.count, parts);
  check(cudaStreamEndCapture(stream, &graph), "end");
  check(cudaGraphInstantiate(&executable, graph, 0), "instantiate");
  check(cudaGraphLaunch(executable, stream), "launch");
  at.ring.all_reduce(Dtype::f32, setting.count, parts);
  at.synchronize();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  for (const auto& receive : receives)
    receive.expect([](std::int64_t i) { return value_of(0, i) + value_of(1, i) + value_of(2, i); });
}

TEST(PeerRing, RefusesWhatItCannotTake) {
  const auto refusal = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const base::Refusal& refused) {
      return refused.what();
    }
    return "";
  };
  EXPECT_NE(refusal([] { PeerRing ring({}); }).find("0 ranks"), std::string::npos);
  EXPECT_NE(refusal([] { PeerRing ring({0}, {.chunk_bytes = 0}); }).find("chunks of 0 bytes"),
            std::string::npos);
  PeerRing two({0, 0});
  EXPECT_NE(refusal([&] { two.all_reduce(Dtype::f32, 4, {}); }).find("got 0 parts, count 4"),
            std::string::npos);
  EXPECT_EQ(two.description(), "peer ring, 2 ranks on 1 device");
}

}  // namespace
}  // namespace aisp::comm
