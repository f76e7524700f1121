// The halo exchange as the lab runs it, in four ways.
#include "base/refuse.hpp"
#include "chapters/ch14/one_sided_exchange/halo_kernels.hpp"
#include "chapters/ch14/one_sided_exchange/shape.hpp"
#include "chapters/ch14/one_sided_exchange/way.hpp"

namespace aisp::ch14 {
namespace {

class Halo : public Workload {
 public:
  Halo(const HaloShape& shape, Way way, Ranks ranks)
      : shape_(shape),
        way_(way),
        ranks_(std::move(ranks)),
        blocks_(way == Way::one_sided ? comm::co_resident_blocks(ranks_.devices_together(),
                                                                 steps_kernel(), halo_threads, 0)
                                      : 0),
        grid_bytes_(row_bytes() * static_cast<std::size_t>(shape.slabs().most() + 2)),
        flag_words_(static_cast<std::size_t>((shape.slabs().most() + 2) * flag_stride)),
        memory_(ranks_.make_memory(2 * grid_bytes_ + 4 * flag_words_)) {
    for (int rank = 0; rank < shape.ranks; ++rank) slabs_.push_back(slab(rank));
  }

  // A slab's rows with those of the neighbours; zeros outside of the grid, in both grids.
  void before(const lab::Launch& launch) override {
    ranks_.fork(launch.stream);
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      const Slab& own = slabs_[static_cast<std::size_t>(rank)];
      const comm::OnDevice on(ranks_.device(rank));
      const auto stream = ranks_.stream(rank);
      const int first = static_cast<int>(shape_.slabs().first(rank));
      const int from = first > 0 ? first - 1 : 0, end = first + own.rows;
      const int to = end < shape_.rows ? end + 1 : end;
      comm::check(cudaMemsetAsync(own.grid[0], 0, 2 * grid_bytes_ + 4 * flag_words_, stream),
                  "cudaMemsetAsync");
      comm::check(cudaMemcpyAsync(own.grid[0] + std::int64_t{from - first + 1} * shape_.columns,
                                  launch.in<float>(0) + std::int64_t{from} * shape_.columns,
                                  row_bytes() * static_cast<std::size_t>(to - from),
                                  cudaMemcpyDefault, stream),
                  "cudaMemcpyAsync");
    }
    ranks_.join(launch.stream);
  }

  void run(cudaStream_t stream) override {
    ranks_.fork(stream);
    if (way_ == Way::one_sided) {
      for (int rank = 0; rank < shape_.ranks; ++rank) {
        if (!ranks_.here(rank)) continue;
        const comm::OnDevice on(ranks_.device(rank));
        enqueue_steps(arguments(rank), shape_.steps, blocks_, ranks_.stream(rank));
      }
    } else {
      for (int step = 1; step <= shape_.steps; ++step)
        way_ == Way::on_stream ? enqueue_with_signals(step) : enqueue(step);
    }
    ranks_.join(stream);
  }

  // Both grids but for the rows that the step before the first has left: a result that is not
  // computed is not a number.
  void poison(const lab::Launch& launch) override {
    ranks_.fork(launch.stream);
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      const Slab& own = slabs_[static_cast<std::size_t>(rank)];
      const comm::OnDevice on(ranks_.device(rank));
      const bool has_above = rank > 0, has_below = rank + 1 < shape_.ranks;
      const int rows = own.rows + (has_above ? 1 : 0) + (has_below ? 1 : 0);
      comm::check(
          cudaMemsetAsync(own.grid[1] + (has_above ? 0 : shape_.columns), 0xff,
                          row_bytes() * static_cast<std::size_t>(rows), ranks_.stream(rank)),
          "cudaMemsetAsync");
    }
    ranks_.join(launch.stream);
  }

  void collect(const lab::Launch& launch) override {
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      const Slab& own = slabs_[static_cast<std::size_t>(rank)];
      comm::check(
          cudaMemcpyAsync(launch.out<float>(0) + shape_.slabs().first(rank) * shape_.columns,
                          own.grid[shape_.steps % 2] + shape_.columns,
                          row_bytes() * static_cast<std::size_t>(own.rows), cudaMemcpyDefault,
                          launch.stream),
          "cudaMemcpyAsync");
    }
  }

  double bytes_moved() const override {
    return 2.0 * (shape_.ranks - 1) * shape_.steps * static_cast<double>(row_bytes());
  }
  std::string description() const override { return memory_.description(); }

 private:
  std::size_t row_bytes() const { return static_cast<std::size_t>(shape_.columns) * sizeof(float); }

  Slab slab(int rank) const {
    auto* const flags = memory_.at<std::uint32_t>(rank, 2 * grid_bytes_);
    return {.grid = {memory_.at<float>(rank, 0), memory_.at<float>(rank, grid_bytes_)},
            .rows = static_cast<int>(shape_.slabs().of(rank)),
            .done = flags + 2 * flag_stride,
            .from_above = flags,
            .from_below = flags + flag_stride};
  }

  HaloArguments arguments(int rank) const {
    const auto at = static_cast<std::size_t>(rank);
    return {.own = slabs_[at],
            .above = rank > 0 ? slabs_[at - 1] : Slab{},
            .below = rank + 1 < shape_.ranks ? slabs_[at + 1] : Slab{},
            .columns = shape_.columns};
  }

  // One step of all ranks. Each waits for its neighbours' step before: their rows have arrived, and
  // they have read the ones that this step overwrites.
  void enqueue(int step) {
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      const comm::OnDevice on(ranks_.device(rank));
      if (step > 1 && rank > 0) ranks_.wait_for(rank, rank - 1);
      if (step > 1 && rank + 1 < shape_.ranks) ranks_.wait_for(rank, rank + 1);
      enqueue_step(arguments(rank), step, way_ == Way::put, ranks_.stream(rank));
    }
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      if (way_ == Way::staged) copy_borders(rank, step);
      ranks_.record(rank);
    }
  }

  // The same with flags in the place of events: they are where the rows are, whichever process
  // waits for them.
  void enqueue_with_signals(int step) {
    const auto before = static_cast<std::uint64_t>(step - 1);
    for (int rank = 0; rank < shape_.ranks; ++rank) {
      if (!ranks_.here(rank)) continue;
      const comm::OnDevice on(ranks_.device(rank));
      const Slab& own = slabs_[static_cast<std::size_t>(rank)];
      const auto wait = [&](std::uint32_t* flag) {
        if (step > 1) ranks_.heap().wait_until(rank, counter(flag), before, ranks_.stream(rank));
      };
      if (rank > 0) wait(own.from_above);
      if (rank + 1 < shape_.ranks) wait(own.from_below);
      enqueue_step(arguments(rank), step, false, ranks_.stream(rank));
      for_each_border(rank, step, [&](const float* row, int other, float* to) {
        const Slab& there = slabs_[static_cast<std::size_t>(other)];
        ranks_.heap().put_signal(other, to, row, row_bytes(),
                                 counter(other < rank ? there.from_below : there.from_above),
                                 static_cast<std::uint64_t>(step), ranks_.stream(rank));
      });
    }
  }

  // NVSHMEM's signals have eight bytes; a flag has a line to itself.
  static std::uint64_t* counter(std::uint32_t* flag) {
    return reinterpret_cast<std::uint64_t*>(flag);
  }

  void copy_borders(int rank, int step) const {
    for_each_border(rank, step, [&](const float* row, int other, float* to) {
      ranks_.copy(rank, row, other, to, row_bytes());
    });
  }

  // The rows that neighbours need of a step: use(row, whose neighbour, where it goes).
  template <class Use>
  void for_each_border(int rank, int step, Use use) const {
    const HaloArguments here = arguments(rank);
    const float* const grid = here.own.grid[step % 2];
    const auto row = [&](int index) { return std::int64_t{index} * shape_.columns; };
    if (rank > 0)
      use(grid + row(1), rank - 1, here.above.grid[step % 2] + row(here.above.rows + 1));
    if (rank + 1 < shape_.ranks)
      use(grid + row(here.own.rows), rank + 1, here.below.grid[step % 2]);
  }

  HaloShape shape_;
  Way way_;
  Ranks ranks_;
  int blocks_;
  std::size_t grid_bytes_, flag_words_;
  comm::SymmetricMemory memory_;
  std::vector<Slab> slabs_;
};

}  // namespace

std::unique_ptr<Workload> make_halo(const lab::Size& size, Way way, Ranks ranks) {
  return std::make_unique<Halo>(HaloShape(size), way, std::move(ranks));
}

}  // namespace aisp::ch14
