// The ranks of quantized_allreduce as the lab runs them: a stream for each, buffers of their own
// for those that are not on the lab's device, and the numbers beside the time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chapters/ch14/quantized_allreduce/shape.hpp"
#include "comm/communicator.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch14 {

// What a rung sums with.
class AllReduce {
 public:
  virtual ~AllReduce() = default;
  virtual const std::vector<comm::LocalRank>& local() const = 0;
  virtual std::string description() const = 0;
  virtual std::vector<std::pair<cudaStream_t, std::string>> streams() const = 0;
  // receive = the sum of all ranks' send.
  virtual void sum(std::span<const comm::Part> parts) = 0;
  virtual void poison(std::span<const cudaStream_t> streams) = 0;
  virtual std::int64_t sent() const = 0;  // bytes between ranks, in the last sum
};

// One that is a ring or an exchange of comm/ and nothing else; call(over, parts) sums.
template <class Over, class Call>
class AllReduceOver : public AllReduce {
 public:
  AllReduceOver(std::unique_ptr<Over> over, Call call) : over_(std::move(over)), call_(call) {}
  const std::vector<comm::LocalRank>& local() const override { return over_->local(); }
  std::string description() const override { return over_->description(); }
  std::vector<std::pair<cudaStream_t, std::string>> streams() const override {
    return over_->streams();
  }
  void sum(std::span<const comm::Part> parts) override { call_(*over_, parts); }
  void poison(std::span<const cudaStream_t> streams) override { over_->poison(streams); }
  std::int64_t sent() const override { return over_->sent(); }

 protected:
  std::unique_ptr<Over> over_;

 private:
  Call call_;
};

// The rung that sums with it. `before` is called before every run, outside of its time, where the
// inputs are ready.
lab::Run prepare_sum(lab::Setup& setup, std::unique_ptr<AllReduce> all_reduce,
                     std::function<void(const lab::Launch&)> before = {});

}  // namespace aisp::ch14
