#include "chapters/ch14/quantized_allreduce/kernel_rates.hpp"

#include <optional>

#include "comm/cuda.hpp"

namespace aisp::ch14 {
namespace {

// The time between two points of a stream.
class Span {
 public:
  Span() {
    for (auto* event : {&begin_, &end_}) lab::check_cuda(cudaEventCreate(event), "cudaEventCreate");
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  void begin(cudaStream_t stream) const {
    lab::check_cuda(cudaEventRecord(begin_, stream), "cudaEventRecord");
  }
  void end(cudaStream_t stream) const {
    lab::check_cuda(cudaEventRecord(end_, stream), "cudaEventRecord");
  }
  // 0 where no time has passed, as on a device that counts none.
  double rate(double bytes) const {
    float milliseconds = 0;
    lab::check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return milliseconds > 0 ? bytes / (1e-3 * milliseconds) : 0.0;
  }

 private:
  cudaEvent_t begin_{}, end_{};
};

std::size_t twice_the_cache(int device) {
  int bytes = 0;
  lab::check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device),
                  "cudaDeviceGetAttribute");
  return 2 * static_cast<std::size_t>(bytes);
}

}  // namespace

struct KernelRates::Buffers {
  Buffers(const SumShape& shape, int device, bool simulated)
      : stride(comm::rounded_up(comm::packet_bytes(shape.count), comm::packet_alignment)),
        packets(device, static_cast<std::size_t>(stride * shape.ranks)),
        numbers(device, static_cast<std::size_t>(shape.count) * sizeof(float)) {
    if (!simulated) evicting.emplace(device, twice_the_cache(device));
  }
  // Whatever is in L2 is something else from then on.
  void evict(cudaStream_t stream) const {
    if (evicting) evicting->fill(0, stream);
  }

  std::int64_t stride;
  comm::Memory packets, numbers;
  std::optional<comm::Memory> evicting;
  Span copy, quantize, sum;
};

KernelRates::KernelRates(const SumShape& shape, bool simulated)
    : shape_(shape),
      buffers_(std::make_unique<Buffers>(shape, comm::current_device(), simulated)) {}

KernelRates::~KernelRates() = default;

void KernelRates::measure(const lab::Launch& launch) {
  const auto stream = launch.stream;
  auto* numbers = reinterpret_cast<float*>(buffers_->numbers.get());
  buffers_->evict(stream);
  buffers_->copy.begin(stream);
  for (int rank = 1; rank < shape_.ranks; ++rank)  // as often as something is quantised
    lab::check_cuda(
        cudaMemcpyAsync(numbers, launch.in<float>(rank), static_cast<std::size_t>(4 * shape_.count),
                        cudaMemcpyDeviceToDevice, stream),
        "cudaMemcpyAsync");
  buffers_->copy.end(stream);

  const comm::Pieces whole{.total = shape_.count, .segment = shape_.count, .most = shape_.count};
  const auto packet = [&](int rank) {
    return comm::Packets{buffers_->packets.get() + (rank - 1) * buffers_->stride, buffers_->stride};
  };
  buffers_->evict(stream);
  buffers_->quantize.begin(stream);
  for (int rank = 1; rank < shape_.ranks; ++rank)
    comm::enqueue_quantize(shape_.codes, launch.in<float>(rank), whole, packet(rank), stream);
  buffers_->quantize.end(stream);

  buffers_->evict(stream);
  buffers_->sum.begin(stream);
  comm::enqueue_sum_of_packets(shape_.codes,
                               {.own = launch.in<float>(0),
                                .packets = packet(1),
                                .others = shape_.ranks - 1,
                                .out = packet(shape_.ranks).memory,
                                .result = numbers,
                                .count = shape_.count},
                               stream);
  buffers_->sum.end(stream);
}

double KernelRates::copy_terabytes() const {
  return 1e-12 * buffers_->copy.rate(8.0 * static_cast<double>((shape_.ranks - 1) * shape_.count));
}

double KernelRates::quantize_of_copy() const {
  const auto bytes = static_cast<double>((shape_.ranks - 1) *
                                         (4 * shape_.count + comm::packet_bytes(shape_.count)));
  const double copy = copy_terabytes();
  return copy > 0 ? 1e-12 * buffers_->quantize.rate(bytes) / copy : 0.0;
}

double KernelRates::sum_of_copy() const {
  const auto bytes =
      static_cast<double>(8 * shape_.count + shape_.ranks * comm::packet_bytes(shape_.count));
  const double copy = copy_terabytes();
  return copy > 0 ? 1e-12 * buffers_->sum.rate(bytes) / copy : 0.0;
}

}  // namespace aisp::ch14
