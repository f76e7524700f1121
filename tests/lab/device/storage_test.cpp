// The ring of gpudirect_storage and its files, with a device: run on a GPU or on the simulator.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "chapters/ch10/gpudirect_storage/direct_ring.hpp"
#include "chapters/ch10/gpudirect_storage/sums.hpp"
#include "lab/case/registry.hpp"
#include "lab/device/device.hpp"

namespace aisp::ch10 {
namespace {

class OneProblem : public lab::Setup {
 public:
  OneProblem(lab::Device& device, std::int64_t floats) : device_(device) {
    for (const auto& target : lab::all_targets())
      if (target.id() == "ch10:gpudirect_storage") problem_ = target.problem({"", {floats}});
  }
  const lab::Problem& problem() const override { return problem_; }
  void* scratch(std::size_t bytes) override { return memory_.emplace_back(device_, bytes).get(); }
  int multiprocessors() const override { return 1; }
  bool simulated() const override { return true; }  // no figures of dd
  void before_each_run(lab::Run) override {}
  void note(const std::string& line) override { noted += line; }

  std::string noted;

 private:
  lab::Device& device_;
  lab::Problem problem_;
  std::list<lab::Buffer> memory_;
};

class StorageOnDevice : public testing::Test {
 protected:
  static constexpr std::int64_t floats = 100003;

  void SetUp() override {
    if (const auto why = lab::why_no_cuda_device(); !why.empty()) GTEST_SKIP() << why;
    device_ = lab::open_cuda_device();
    setup_ = std::make_unique<OneProblem>(*device_, floats);
    launch_.emplace(lab::Launch{setup_->problem(),
                                {setup_->scratch(4 * floats)},
                                {setup_->scratch(4 * sums_of(floats))},
                                device_->stream()});
  }
  void draw(float value) {
    const std::vector<float> x(floats, value);
    device_->upload(const_cast<void*>(launch_->inputs[0]), x.data(), 4 * floats);
  }
  std::vector<float> sums() {
    std::vector<float> sums(static_cast<std::size_t>(sums_of(floats)));
    device_->download(sums.data(), launch_->outputs[0], 4 * sums.size());
    return sums;
  }

  std::unique_ptr<lab::Device> device_;
  std::unique_ptr<OneProblem> setup_;
  std::optional<lab::Launch> launch_;
};

TEST_F(StorageOnDevice, EveryChunkGoesThroughASlotOnce) {
  Ring ring({3, 2, 4096});
  std::mutex guard;
  std::multiset<std::int64_t> read, used;
  std::map<int, std::int64_t> in_slot;
  const std::int64_t bytes = 50 * 4096 + 17;
  for (int lap = 0; lap < 2; ++lap) {
    read.clear(), used.clear();
    ring.run(
        bytes, device_->stream(),
        [&](int slot, const Chunk& chunk) {
          const std::lock_guard lock(guard);
          read.insert(chunk.offset);
          in_slot[slot] = chunk.offset;
          EXPECT_EQ(chunk.bytes, chunk.offset == 50 * 4096 ? 17 : 4096);
        },
        [&](int slot, const Chunk& chunk) {
          const std::lock_guard lock(guard);
          used.insert(chunk.offset);
          EXPECT_EQ(in_slot[slot], chunk.offset) << "nobody has written over it";
        });
    EXPECT_EQ(used, read);
    EXPECT_EQ(used.size(), 51u);
    EXPECT_EQ(std::set(used.begin(), used.end()).size(), 51u);
  }
}

TEST_F(StorageOnDevice, WhatAReaderOrTheUserThrowsEndsTheRunAndNotTheRing) {
  Ring ring({3, 2, 4096});
  std::atomic<int> reads = 0;
  const auto fill = [&](int, const Chunk& chunk) {
    ++reads;
    if (chunk.offset == 10 * 4096) throw std::runtime_error("the disk is gone");
  };
  const auto use = [](int, const Chunk&) {};
  const auto error = [&](const Ring::Fill& filler, const Ring::Use& user) -> std::string {
    try {
      ring.run(100 * 4096, device_->stream(), filler, user);
    } catch (const std::runtime_error& thrown) {
      return thrown.what();
    }
    return "";
  };
  EXPECT_EQ(error(fill, use), "the disk is gone");
  EXPECT_LT(reads, 100) << "nobody reads on for nothing";
  EXPECT_EQ(error([](int, const Chunk&) {},
                  [](int, const Chunk&) { throw std::runtime_error("no launch"); }),
            "no launch");
  EXPECT_EQ(error([](int, const Chunk&) {}, use), "");
}

TEST_F(StorageOnDevice, TheFileFollowsTheInput) {
  DirectRing ring(*setup_);
  RungFiles files;
  for (const float value : {1.0f, 1.0f, 2.0f}) {
    draw(value);
    files.before_run(*launch_, *setup_, [&](const InputFile& file) { return ring.path(file); });
    draw(9);  // a run must not look at the input itself
    ring.run(*launch_, files.of(*launch_));
    device_->synchronize();
    const auto got = sums();
    EXPECT_EQ(got.front(), value * value * 4096);
    EXPECT_EQ(got.back(), value * value * (floats % 4096));
  }
  EXPECT_TRUE(setup_->noted.starts_with("path: ")) << setup_->noted;
  EXPECT_EQ(setup_->noted.find("path: ", 1), std::string::npos) << "noted once";
}

TEST_F(StorageOnDevice, AFileThatIsCutWhileItIsReadFailsTheRun) {
  DirectRing ring(*setup_);
  RungFiles files;
  draw(1);
  files.before_run(*launch_, *setup_, [&](const InputFile& file) { return ring.path(file); });
  ASSERT_EQ(ftruncate(files.of(*launch_).cached().get(), 150000), 0);
  try {
    ring.run(*launch_, files.of(*launch_));
    ADD_FAILURE() << "a short file went unnoticed";
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("short read: a file in ")) << error.what();
  }
  device_->synchronize();
}

}  // namespace
}  // namespace aisp::ch10
