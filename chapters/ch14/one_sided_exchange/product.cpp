// The product and its reduce-scatter as the lab runs them, in four ways.
#include "base/refuse.hpp"
#include "chapters/ch14/one_sided_exchange/product_kernels.hpp"
#include "chapters/ch14/one_sided_exchange/way.hpp"

namespace aisp::ch14 {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

class Product : public Workload {
 public:
  Product(const ProductShape& shape, Way way, Ranks ranks)
      : shape_(shape),
        way_(way),
        ranks_(std::move(ranks)),
        layout_(shape),
        pairs_(way == Way::one_sided ? co_resident_pairs(ranks_.devices_together()) : 0),
        memory_(ranks_.make_memory(layout_.bytes)) {
    for (int rank = 0; rank < shape.ranks; ++rank) {
      ProductRank& one = of_[rank];
      one.slots = memory_.at<float>(rank, layout_.slots);
      one.flags = memory_.at<std::uint32_t>(rank, layout_.flags);
      one.first_tile_row = shape.first_tile_row(rank);
      one.end_tile_row = shape.first_tile_row(rank + 1);
    }
    for (int rank = 0; rank < shape.ranks; ++rank) {
      const comm::OnDevice on(ranks_.device(rank));
      products_.push_back(ranks_.here(rank) ? plan_product(arguments(rank), pairs_) : nullptr);
    }
  }

  void before(const lab::Launch& launch) override {
    ranks_.fork(launch.stream);
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      const comm::OnDevice on(ranks_.device(rank));
      const auto stream = ranks_.stream(rank);
      const auto hand_out = [&](int input, std::size_t to, std::size_t bytes) {
        comm::check(cudaMemcpyAsync(memory_.at<char>(rank, to),
                                    launch.in<char>(input) + bytes * static_cast<std::size_t>(rank),
                                    bytes, cudaMemcpyDefault, stream),
                    "cudaMemcpyAsync");
      };
      hand_out(0, layout_.a, layout_.a_bytes);
      hand_out(1, layout_.b, layout_.b_bytes);
      comm::check(cudaMemsetAsync(of_[rank].flags, 0, layout_.flag_bytes, stream),
                  "cudaMemsetAsync");
    }
    ranks_.join(launch.stream);
  }

  void run(cudaStream_t stream) override {
    ranks_.fork(stream);
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      if (!ranks_.here(rank)) continue;
      const comm::OnDevice on(ranks_.device(rank));
      products_[static_cast<std::size_t>(rank)](ranks_.stream(rank));
    }
    if (way_ == Way::on_stream)
      exchange_with_signals();
    else if (way_ != Way::one_sided)
      exchange_and_sum();
    ranks_.join(stream);
  }

  void poison(const lab::Launch& launch) override {
    ranks_.fork(launch.stream);
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      const comm::OnDevice on(ranks_.device(rank));
      comm::check(cudaMemsetAsync(memory_.at<char>(rank, layout_.slots), 0xff,
                                  layout_.bytes - layout_.slots, ranks_.stream(rank)),
                  "cudaMemsetAsync");
    }
    ranks_.join(launch.stream);
  }

  void collect(const lab::Launch& launch) override {
    for (int rank = 0; rank < shape_.ranks; ++rank)
      comm::check(
          cudaMemcpyAsync(launch.out<float>(0) + std::int64_t{shape_.first_row(rank)} * shape_.n,
                          memory_.at<float>(rank, layout_.result), row_bytes(shape_.rows_of(rank)),
                          cudaMemcpyDefault, launch.stream),
          "cudaMemcpyAsync");
  }

  // Every rank sends its part of all rows that are not its own.
  double bytes_moved() const override {
    return static_cast<double>(shape_.ranks - 1) * static_cast<double>(row_bytes(shape_.m));
  }
  std::string description() const override { return memory_.description(); }

 private:
  // Where things lie in a rank's memory: what a run writes for itself behind what it is given.
  struct Layout {
    explicit Layout(const ProductShape& shape)
        : a_bytes(2 * static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.slice())),
          b_bytes(2 * static_cast<std::size_t>(shape.n) * static_cast<std::size_t>(shape.slice())),
          flag_bytes(4 * static_cast<std::size_t>(shape.ranks) *
                     static_cast<std::size_t>(shape.tiles())) {
      const auto n = static_cast<std::size_t>(shape.n);
      const std::size_t own = aligned(4 * static_cast<std::size_t>(shape.most_rows()) * n);
      b = aligned(a_bytes);
      flags = b + aligned(b_bytes);
      slots = flags + aligned(flag_bytes);
      slot_floats = own / 4;
      partial = slots + own * static_cast<std::size_t>(shape.ranks);
      result = partial + aligned(4 * static_cast<std::size_t>(shape.m) * n);
      bytes = result + own;
    }
    std::size_t a_bytes, b_bytes, flag_bytes, slot_floats;
    std::size_t a = 0, b, flags, slots, partial, result, bytes;
  };

  std::size_t row_bytes(int rows) const {
    return 4 * static_cast<std::size_t>(rows) * static_cast<std::size_t>(shape_.n);
  }

  ProductArguments arguments(int rank) const {
    ProductArguments with{.a = memory_.at<char>(rank, layout_.a),
                          .b = memory_.at<char>(rank, layout_.b),
                          .to = destination(),
                          .partial = memory_.at<float>(rank, layout_.partial),
                          .result = memory_.at<float>(rank, layout_.result),
                          .m = shape_.m,
                          .n = shape_.n,
                          .slice = shape_.slice(),
                          .m_tiles = shape_.m_tiles(),
                          .n_tiles = shape_.n_tiles(),
                          .rank = rank,
                          .ranks = shape_.ranks,
                          .slot_stride = static_cast<std::int64_t>(layout_.slot_floats),
                          .of = {}};
    std::copy(std::begin(of_), std::end(of_), with.of);
    return with;
  }

  Destination destination() const {
    return way_ == Way::put         ? Destination::slots
           : way_ == Way::one_sided ? Destination::slots_and_sum
                                    : Destination::partial;
  }

  // Everybody's parts arrive, then each rank adds those of its rows.
  void exchange_and_sum() {
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      const comm::OnDevice on(ranks_.device(rank));
      if (way_ == Way::staged) copy_parts(rank);
      ranks_.record(rank);
    }
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      for (int other = 0; other < shape_.ranks; ++other)
        if (other != rank) ranks_.wait_for(rank, other);
      const comm::OnDevice on(ranks_.device(rank));
      enqueue_sum_of_slots(arguments(rank), ranks_.stream(rank));
    }
  }

  // The same with flags in the place of events: each part's stands beside it.
  void exchange_with_signals() {
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      if (!ranks_.here(rank)) continue;
      const comm::OnDevice on(ranks_.device(rank));
      for_each_part(rank, [&](const float* part, int owner, float* to) {
        ranks_.heap().put_signal(owner, to, part, row_bytes(shape_.rows_of(owner)),
                                 arrived(owner, rank), 1, ranks_.stream(rank));
      });
    }
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      if (!ranks_.here(rank) || shape_.rows_of(rank) == 0) continue;
      const comm::OnDevice on(ranks_.device(rank));
      for (int other = 0; other < shape_.ranks; ++other)
        if (other != rank)
          ranks_.heap().wait_until(rank, arrived(rank, other), 1, ranks_.stream(rank));
      enqueue_sum_of_slots(arguments(rank), ranks_.stream(rank));
    }
  }

  // NVSHMEM's signals have eight bytes. A rank has as many flags of four as there are tiles for
  // each other rank, at least two.
  std::uint64_t* arrived(int owner, int from) const {
    return reinterpret_cast<std::uint64_t*>(of_[owner].flags) + from;
  }

  void copy_parts(int rank) const {
    for_each_part(rank, [&](const float* part, int owner, float* to) {
      ranks_.copy(rank, part, owner, to, row_bytes(shape_.rows_of(owner)));
    });
  }

  // What a rank has of other ranks' rows: use(part, whose, where it goes).
  template <class Use>
  void for_each_part(int rank, Use use) const {
    const auto* const partial = memory_.at<float>(rank, layout_.partial);
    for (int owner = 0; owner < shape_.ranks; ++owner)
      if (owner != rank && shape_.rows_of(owner) > 0)
        use(partial + std::int64_t{shape_.first_row(owner)} * shape_.n, owner,
            of_[owner].slots + static_cast<std::size_t>(rank) * layout_.slot_floats);
  }

  ProductShape shape_;
  Way way_;
  Ranks ranks_;
  Layout layout_;
  int pairs_;
  comm::SymmetricMemory memory_;
  ProductRank of_[most_ranks];
  std::vector<std::function<void(cudaStream_t)>> products_;  // of each rank
};

}  // namespace

std::unique_ptr<Workload> make_product(const lab::Size& size, Way way, Ranks ranks) {
  return std::make_unique<Product>(ProductShape(size), way, std::move(ranks));
}

}  // namespace aisp::ch14
