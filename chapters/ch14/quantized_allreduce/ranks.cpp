#include "chapters/ch14/quantized_allreduce/ranks.hpp"

#include <numeric>
#include <optional>

#include "comm/cuda.hpp"
#include "lab/case/range.hpp"

namespace aisp::ch14 {
namespace {

class Ranks {
 public:
  Ranks(lab::Setup& setup, std::unique_ptr<AllReduce> all_reduce)
      : shape_(setup.problem().size),
        device_(comm::current_device()),
        begin_(device_),
        all_reduce_(std::move(all_reduce)) {
    for (const auto& [stream, name] : all_reduce_->streams()) labels_.emplace_back(stream, name);
    for (const auto& who : all_reduce_->local()) ranks_.emplace_back(who);
    for (auto& rank : ranks_)
      if (rank.who.device != device_) rank.own.emplace(rank.who.device, bytes());
    setup.note(all_reduce_->description());
  }

  void hand_out_inputs(const lab::Launch& launch) const {
    for (const auto& rank : ranks_)
      if (rank.own)
        copy(rank.own->send.get(), rank.who.device, launch.in<float>(rank.who.rank), device_,
             launch.stream);
  }

  void run(const lab::Launch& launch) {
    fork(launch.stream);
    std::vector<comm::Part> parts;
    for (const auto& rank : ranks_) {
      const int r = rank.who.rank;
      parts.push_back({rank.own ? rank.own->send.get() : launch.inputs.at(index(r)),
                       rank.own ? static_cast<void*>(rank.own->receive.get())
                                : launch.out<float>(0) + r * shape_.count,
                       rank.stream.get()});
    }
    all_reduce_->sum(parts);
    join(launch.stream);
  }

  void poison(const lab::Launch& launch) {
    fork(launch.stream);
    std::vector<cudaStream_t> streams;
    for (const auto& rank : ranks_) {
      streams.push_back(rank.stream.get());
      if (rank.own) rank.own->receive.fill(0xff, rank.stream.get());
    }
    all_reduce_->poison(streams);
    join(launch.stream);
  }

  void collect(const lab::Launch& launch) const {
    for (const auto& rank : ranks_)
      if (rank.own)
        copy(launch.out<float>(0) + rank.who.rank * shape_.count, device_, rank.own->receive.get(),
             rank.who.device, launch.stream);
  }

  double gigabytes_sent() const { return 1e-9 * static_cast<double>(all_reduce_->sent()); }
  double percent_of_f32() const {
    const auto f32 = comm::all_reduce_traffic(shape_.ranks, 4 * shape_.count);
    return f32 == 0 ? 0.0
                    : 100.0 * static_cast<double>(all_reduce_->sent()) / static_cast<double>(f32);
  }

 private:
  struct OwnBuffers {
    OwnBuffers(int device, std::size_t bytes) : send(device, bytes), receive(device, bytes) {}
    comm::Memory send, receive;
  };
  struct Rank {
    explicit Rank(comm::LocalRank given)
        : who(given),
          stream(given.device),
          end(given.device),
          label(stream.get(), base::say("rank ", given.rank)) {}
    comm::LocalRank who;
    comm::Stream stream;
    comm::Event end;
    lab::StreamLabel label;
    std::optional<OwnBuffers> own{};
  };

  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  std::size_t bytes() const { return static_cast<std::size_t>(shape_.count) * sizeof(float); }

  void copy(void* to, int to_device, const void* from, int from_device, cudaStream_t stream) const {
    lab::check_cuda(cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes(), stream),
                    "cudaMemcpyPeerAsync");
  }

  void fork(cudaStream_t from) const {
    begin_.record(from);
    for (const auto& rank : ranks_) begin_.hold(rank.stream.get());
  }
  void join(cudaStream_t into) const {
    for (const auto& rank : ranks_) {
      rank.end.record(rank.stream.get());
      rank.end.hold(into);
    }
  }

  SumShape shape_;
  int device_;
  comm::Event begin_;
  std::unique_ptr<AllReduce> all_reduce_;
  std::vector<lab::StreamLabel> labels_;  // of all_reduce_'s streams
  std::vector<Rank> ranks_;
};

}  // namespace

lab::Run prepare_sum(lab::Setup& setup, std::unique_ptr<AllReduce> all_reduce,
                     std::function<void(const lab::Launch&)> before) {
  const auto ranks = std::make_shared<Ranks>(setup, std::move(all_reduce));
  std::vector<int> inputs(setup.problem().inputs.size());
  std::iota(inputs.begin(), inputs.end(), 0);
  setup.stages_inputs(std::move(inputs));
  setup.before_each_run([ranks, before = std::move(before)](const lab::Launch& launch) {
    ranks->hand_out_inputs(launch);
    if (before) before(launch);
  });
  setup.own_outputs({.poison = [ranks](const lab::Launch& launch) { ranks->poison(launch); },
                     .collect = [ranks](const lab::Launch& launch) { ranks->collect(launch); }});
  setup.figure("sent between ranks", "GB", [ranks] { return ranks->gigabytes_sent(); });
  setup.figure("of the bytes in f32", "%", [ranks] { return ranks->percent_of_f32(); });
  return [ranks](const lab::Launch& launch) { ranks->run(launch); };
}

}  // namespace aisp::ch14
