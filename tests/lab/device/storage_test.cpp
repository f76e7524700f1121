// The ring of gpudirect_storage and its files, with a device: run on a GPU or on the simulator.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "chapters/ch10/gpudirect_storage/direct_ring.hpp"
#include "lab/case/element_access.hpp"
#include "lab/case/registry.hpp"
#include "lab/device/device.hpp"

namespace aisp::ch10 {
namespace {

class OneProblem : public lab::Setup {
 public:
  OneProblem(lab::Device& device, const lab::Size& size) : device_(device) {
    for (const auto& target : lab::all_targets())
      if (target.id() == "ch10:gpudirect_storage") problem_ = target.problem(size);
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
  // A page each, more than two laps of the ring.
  static constexpr std::int64_t batches = 35, rows = 32, n = 8, k = 64;

  void SetUp() override {
    if (const auto why = lab::why_no_cuda_device(); !why.empty()) GTEST_SKIP() << why;
    device_ = lab::open_cuda_device();
    setup_ = std::make_unique<OneProblem>(*device_, lab::Size{"", {batches, rows, n, k}});
    const auto memory = [&](const lab::Tensor& tensor) {
      return setup_->scratch(static_cast<std::size_t>(tensor.bytes()));
    };
    const lab::Problem& problem = setup_->problem();
    launch_.emplace(lab::Launch{problem,
                                {memory(problem.inputs[0]), memory(problem.inputs[1])},
                                {memory(problem.outputs[0].tensor)},
                                device_->stream()});
    upload(1, [](std::int64_t) { return 1.0; });
  }
  void upload(int input, const std::function<double(std::int64_t)>& value) {
    const lab::Tensor& what = setup_->problem().inputs.at(static_cast<std::size_t>(input));
    std::vector<std::byte> data(static_cast<std::size_t>(what.bytes()));
    for (std::int64_t i = 0; i < what.count(); ++i)
      lab::write_element(what.dtype, data.data(), i, value(i));
    device_->upload(const_cast<void*>(launch_->inputs.at(static_cast<std::size_t>(input))),
                    data.data(), data.size());
  }
  // Every element of batch b is first + b: their sums have few bits and are exact in bf16.
  void draw(double first) {
    upload(0, [&](std::int64_t i) { return first + static_cast<double>(i / (rows * k)); });
  }
  void expect_products(double first) {
    const lab::Tensor& what = setup_->problem().outputs[0].tensor;
    std::vector<std::byte> data(static_cast<std::size_t>(what.bytes()));
    device_->download(data.data(), launch_->outputs[0], data.size());
    for (std::int64_t i = 0; i < what.count(); ++i) {
      const std::int64_t batch = i / (rows * n);
      ASSERT_EQ(lab::read_element(what.dtype, data.data(), i),
                k * (first + static_cast<double>(batch)))
          << "batch " << batch << ", element " << i % (rows * n);
    }
  }

  std::unique_ptr<lab::Device> device_;
  std::unique_ptr<OneProblem> setup_;
  std::optional<lab::Launch> launch_;
};

TEST_F(StorageOnDevice, EveryChunkGoesThroughItsSlotOnceAndInOrder) {
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
          EXPECT_EQ(chunk.number, static_cast<std::int64_t>(used.size()));
          EXPECT_EQ(chunk.offset, 4096 * chunk.number);
          EXPECT_EQ(slot, ring.slot_of(chunk.number));
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
  for (const double first : {1.0, 1.0, 100.0}) {
    draw(first);
    ring.plan(*launch_);
    files.before_run(*launch_, *setup_, [&](const InputFile& file) { return ring.path(file); });
    draw(9);  // a run must not look at the input itself
    ring.run(*launch_, files.of(*launch_));
    device_->synchronize();
    expect_products(first);
  }
  EXPECT_TRUE(setup_->noted.starts_with("path: ")) << setup_->noted;
  EXPECT_EQ(setup_->noted.find("path: ", 1), std::string::npos) << "noted once";
}

TEST_F(StorageOnDevice, AFileThatIsCutWhileItIsReadFailsTheRun) {
  DirectRing ring(*setup_);
  RungFiles files;
  draw(1);
  ring.plan(*launch_);
  files.before_run(*launch_, *setup_, [&](const InputFile& file) { return ring.path(file); });
  ASSERT_EQ(ftruncate(files.of(*launch_).cached().get(), 100000), 0);
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
