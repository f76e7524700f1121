// Operations that nothing orders, as the hazard checker sees them.
#include <cstdio>
#include <functional>
#include <random>
#include <set>
#include <utility>

#include "tests/sim/cudart/hazard_runs.hpp"
#include "tests/sim/cudart/kernels.hpp"

using namespace aisp;

namespace {

using hazard_runs::device_memory;
using hazard_runs::Streams;

class StreamRaceDeathTest : public hazard_runs::Test {};

void record_and_wait(cudaStream_t first, cudaStream_t second) {
  cudaEvent_t event{};
  cudaEventCreate(&event);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
}

void two_fills(const std::function<void(Streams&)>& between) {
  Streams streams;
  char* memory = device_memory(4096);
  cudaMemsetAsync(memory, 1, 4096, streams.first);
  between(streams);
  cudaMemsetAsync(memory + 4000, 2, 96, streams.second);
  cudaDeviceSynchronize();
}

TEST_F(StreamRaceDeathTest, NothingOrdersTwoStreams) {
  expect({"stream-race"}, [&] { two_fills([](Streams&) {}); });
}

TEST_F(StreamRaceDeathTest, AnEventDoes) {
  expect({}, [&] { two_fills([](Streams& own) { record_and_wait(own.first, own.second); }); });
}

TEST_F(StreamRaceDeathTest, AnEventOrdersThroughAThirdStream) {
  expect({}, [&] {
    two_fills([](Streams& own) {
      const Streams others;
      record_and_wait(own.first, others.first);
      record_and_wait(others.first, own.second);
    });
  });
}

TEST_F(StreamRaceDeathTest, SoDoesAHostThatWaits) {
  expect({}, [&] { two_fills([](Streams& own) { cudaStreamSynchronize(own.first); }); });
  expect({}, [&] { two_fills([](Streams&) { cudaDeviceSynchronize(); }); });
  expect({}, [&] {
    two_fills([](Streams& own) {
      while (cudaStreamQuery(own.first) == cudaErrorNotReady) {
      }
    });
  });
}

TEST_F(StreamRaceDeathTest, ButNotWhenItWaitsForSomethingElse) {
  expect({"stream-race"},
         [&] { two_fills([](Streams& own) { cudaStreamSynchronize(own.second); }); });
}

TEST_F(StreamRaceDeathTest, ReadersDoNotRaceNorDoNeighbours) {
  expect({}, [&] {
    Streams streams;
    char *from = device_memory(4096), *to = device_memory(4096);
    cudaMemcpyAsync(to, from, 2048, cudaMemcpyDeviceToDevice, streams.first);
    cudaMemcpyAsync(to + 2048, from, 2048, cudaMemcpyDeviceToDevice, streams.second);
    cudaDeviceSynchronize();
  });
}

TEST_F(StreamRaceDeathTest, TheDefaultStreamWaitsForBlockingStreamsEvenWhenTheyAreGone) {
  expect({}, [&] {
    char* memory = device_memory(64);
    Streams streams(cudaStreamDefault);
    cudaMemsetAsync(memory, 1, 64, streams.first);
    cudaStreamDestroy(streams.first);
    cudaStreamQuery(streams.second);  // lets the device begin
    usleep(20000);
    cudaStreamDestroy(streams.second);
    cudaMemset(memory, 2, 64);
    cudaDeviceSynchronize();
  });
}

TEST_F(StreamRaceDeathTest, KernelsAreKnownByWhatTheyTouch) {
  expect({"stream-race"}, [&] {
    Streams streams;
    void *memory = device_memory(400), *out = memory;
    int count = 50;
    void* args[] = {&out, &count};
    cudaLaunchKernel(kernels::store_index(), dim3(1), dim3(64), args, 0, streams.first);
    out = static_cast<char*>(memory) + 200;
    cudaLaunchKernel(kernels::store_index(), dim3(1), dim3(64), args, 0, streams.second);
    cudaDeviceSynchronize();
    cudaLaunchKernel(kernels::store_index(), dim3(1), dim3(64), args, 0, streams.first);
    cudaMemsetAsync(static_cast<char*>(memory) + 396, 0, 4, streams.second);
    cudaDeviceSynchronize();
  });
}

TEST_F(StreamRaceDeathTest, FreedMemoryIsAnothersWhenItIsHandedOutAgain) {
  expect({}, [&] {
    Streams streams;
    for (int i = 0; i < 20; ++i) {
      void* memory = nullptr;
      cudaMallocAsync(&memory, 1 << 20, streams.first);
      cudaMemsetAsync(memory, i, 1 << 20, streams.first);
      cudaFreeAsync(memory, streams.first);
    }
    cudaDeviceSynchronize();
  });
}

TEST_F(StreamRaceDeathTest, FreedTwiceIsRefusedAsEver) {
  expect({}, [&] {
    void* memory = nullptr;
    cudaMallocAsync(&memory, 64, nullptr);
    if (cudaFreeAsync(memory, nullptr) != cudaSuccess) std::exit(1);
    if (cudaFreeAsync(memory, nullptr) != cudaErrorInvalidValue) std::exit(2);
    cudaStreamSynchronize(nullptr);
    if (cudaFree(memory) != cudaErrorInvalidValue) std::exit(3);
  });
}

TEST_F(StreamRaceDeathTest, CopiesOfFreedMemoryAreFound) {
  expect({"freed-in-stream"}, [&] {
    void *memory = nullptr, *other = device_memory(64);
    cudaMallocAsync(&memory, 64, nullptr);
    cudaFreeAsync(memory, nullptr);
    cudaMemcpyAsync(other, memory, 64, cudaMemcpyDeviceToDevice, nullptr);
    cudaDeviceSynchronize();
  });
}

TEST_F(StreamRaceDeathTest, NothingIsLostWhenTheProcessEndsAtOnce) {
  expect({"stream-race"}, [&] {
    two_fills([](Streams&) {});
    _exit(0);
  });
}

// Random programs of fills of different sizes that all meet in one buffer, against an order that is
// worked out here: whatever is reported is unordered, and where something is, something is
// reported.
class RandomProgram {
 public:
  RandomProgram(unsigned seed, char* memory, int& size)
      : random_(seed), memory_(memory), size_(size), before_(5), events_(3) {
    streams_ = {{nullptr, true, false}, {}, {}, {}, {}};
    for (int i = 1; i < 5; ++i) {
      streams_[i].blocking = i < 3;
      cudaStreamCreateWithFlags(&streams_[i].handle, i < 3 ? 0 : cudaStreamNonBlocking);
    }
    for (auto& event : events_) cudaEventCreateWithFlags(&event.handle, cudaEventDisableTiming);
  }

  // Pairs of sizes of fills that nothing orders.
  std::set<std::pair<int, int>> run() {
    for (int step = 0; step < 7; ++step) take_step();
    cudaDeviceSynchronize();
    return unordered_;
  }

 private:
  using Sizes = std::set<int>;  // fills that come before
  struct Stream {
    cudaStream_t handle = nullptr;
    bool legacy = false, blocking = false;
  };
  struct Event {
    cudaEvent_t handle = nullptr;
    bool recorded = false;  // until then, nobody waits for it
    Sizes before;
  };

  Sizes& enter(std::size_t stream) {
    Sizes& own = before_[stream];
    own.insert(host_.begin(), host_.end());
    for (std::size_t i = 0; i < streams_.size(); ++i)
      if ((streams_[stream].legacy && streams_[i].blocking) ||
          (streams_[stream].blocking && streams_[i].legacy))
        own.insert(before_[i].begin(), before_[i].end());
    return own;
  }

  void take_step() {
    const std::size_t at = random_() % streams_.size();
    const cudaStream_t stream = streams_[at].handle;
    Event& event = events_[random_() % events_.size()];
    switch (random_() % 6) {
      case 0:
        event.before = enter(at);
        event.recorded = true;
        cudaEventRecord(event.handle, stream);
        return;
      case 1: {
        if (!event.recorded) return;
        Sizes& own = enter(at);
        own.insert(event.before.begin(), event.before.end());
        cudaStreamWaitEvent(stream, event.handle, 0);
        return;
      }
      case 2: {
        const bool whole = random_() % 2 == 0 && !streams_[at].legacy;
        const Sizes& known = whole ? before_[at] : event.before;
        host_.insert(known.begin(), known.end());
        whole ? cudaStreamSynchronize(stream) : cudaEventSynchronize(event.handle);
        return;
      }
      default: {
        Sizes& own = enter(at);
        for (const int other : fills_)
          if (!own.contains(other)) unordered_.emplace(other, size_);
        cudaMemsetAsync(memory_, 0, static_cast<std::size_t>(size_), stream);
        own.insert(size_);
        fills_.push_back(size_++);
      }
    }
  }

  std::mt19937 random_;
  char* memory_;
  int& size_;
  std::vector<Stream> streams_;
  std::vector<Sizes> before_;  // of each stream's last submission
  std::vector<Event> events_;
  Sizes host_;
  std::vector<int> fills_;
  std::set<std::pair<int, int>> unordered_;
};

// Of "cudaMemset of 12 bytes ... cudaMemset of 15 bytes".
std::pair<int, int> sizes_in(const std::string& line) {
  const std::string message = hazard_runs::value_of(line, "message"), start = "cudaMemset of ";
  const auto first = message.find(start), second = message.find(start, first + 1);
  return {std::atoi(message.c_str() + first + start.size()),
          std::atoi(message.c_str() + second + start.size())};
}

int count_wrong(const std::set<std::pair<int, int>>& expected,
                const std::vector<std::string>& found) {
  int wrong = expected.empty() != found.empty();
  for (const std::string& line : found) wrong += !expected.contains(sizes_in(line));
  return wrong;
}

TEST_F(StreamRaceDeathTest, RandomProgramsAreJudgedExactly) {
  expect({}, [] {
    char* memory = device_memory(1 << 16);
    int size = 1, wrong = 0, racing = 0;
    std::size_t seen = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
      const auto expected = RandomProgram(seed, memory, size).run();
      const auto found = own_findings();
      wrong += count_wrong(expected, {found.begin() + static_cast<long>(seen), found.end()});
      racing += !expected.empty();
      seen = found.size();
    }
    std::fprintf(stderr, "%d wrong, %d of 100 programs race\n", wrong, racing);
    std::filesystem::remove_all(std::getenv(hazard_runs::variable));
    _exit(wrong == 0 && racing >= 10 && racing <= 95 ? 0 : 1);
  });
}

}  // namespace
