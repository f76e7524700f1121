// The same ring with half the bytes: every rank rounds its numbers to bf16, the ring adds them and
// rounds each partial sum, and every rank makes f32 of what it gets.
#include "chapters/ch14/quantized_allreduce/narrow.hpp"
#include "chapters/ch14/quantized_allreduce/ring.hpp"
#include "comm/cuda.hpp"
#include "lab/case/registry.hpp"

namespace aisp::ch14 {
namespace {

class Bf16Ring : public AllReduce {
 public:
  explicit Bf16Ring(const SumShape& shape)
      : count_(shape.count), ring_(make_ring(shape, comm::Dtype::bf16)) {
    for (const auto& who : ring_->local())
      narrow_.emplace_back(who.device, static_cast<std::size_t>(count_ * 2));
  }
  const std::vector<comm::LocalRank>& local() const override { return ring_->local(); }
  std::string description() const override { return ring_->description(); }
  std::vector<std::pair<cudaStream_t, std::string>> streams() const override {
    return ring_->streams();
  }
  void sum(std::span<const comm::Part> parts) override {
    std::vector<comm::Part> narrow;
    for (std::size_t r = 0; r < parts.size(); ++r) {
      const comm::OnDevice on(ring_->local()[r].device);
      enqueue_to_bf16(narrow_[r].get(), static_cast<const float*>(parts[r].send), count_,
                      parts[r].stream);
      narrow.push_back({narrow_[r].get(), narrow_[r].get(), parts[r].stream});
    }
    ring_->all_reduce(comm::Dtype::bf16, count_, narrow);
    for (std::size_t r = 0; r < parts.size(); ++r) {
      const comm::OnDevice on(ring_->local()[r].device);
      enqueue_from_bf16(static_cast<float*>(parts[r].receive), narrow_[r].get(), count_,
                        parts[r].stream);
    }
  }
  void poison(std::span<const cudaStream_t> streams) override {
    for (std::size_t r = 0; r < streams.size(); ++r) narrow_[r].fill(0xff, streams[r]);
    ring_->poison(streams);
  }
  std::int64_t sent() const override { return ring_->sent(); }

 private:
  std::int64_t count_;
  std::unique_ptr<comm::PeerRing> ring_;
  std::vector<comm::Memory> narrow_;
};

lab::Run prepare(lab::Setup& setup) {
  return prepare_sum(setup, std::make_unique<Bf16Ring>(SumShape(setup.problem().size)));
}

const lab::RungEntry entry{"ch14:quantized_allreduce",
                           {.name = "bf16_ring",
                            .step = 1,
                            .builds_on = "f32_ring",
                            .idea = "half the bytes: the ring adds in bf16",
                            .look_at = "the error: each hop rounds the partial sum once more",
                            .needs = lab::Needs::sm_80,
                            .narrower = bf16_numbers,
                            .prepare = prepare}};

}  // namespace
}  // namespace aisp::ch14
