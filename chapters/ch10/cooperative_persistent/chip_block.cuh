// What a block does that keeps its stretch of the array in shared memory for all steps.
#pragma once

#include "chapters/ch10/cooperative_persistent/bulk.cuh"
#include "chapters/ch10/cooperative_persistent/chip_plan.hpp"
#include "chapters/ch10/cooperative_persistent/mail.cuh"
#include "chapters/ch10/cooperative_persistent/meeting.cuh"
#include "chapters/ch10/cooperative_persistent/smoothing.cuh"
#include "tile/pipeline/ring_state.hpp"

namespace aisp::ch10 {

struct PostOffice {
  Mailboxes* mailboxes;  // one per block
  std::uint32_t* stamp;  // tags of a launch count on from here
  Board* board;
};

class ChipBlock {
 public:
  TILE_DEVICE ChipBlock(float4* slots, const float4* x, float4* y, const ChipPlan& plan,
                        const PostOffice& office)
      : slots_(slots),
        x_(x),
        y_(y),
        plan_(plan),
        office_(office),
        begin_(plan.begin(block())),
        length_(plan.begin(block() + 1) - begin_),
        tiles_((length_ - 1) / tile_vectors + 1) {}

  TILE_DEVICE void run(int steps) {
    steps_ = steps;
    stamp_ = *office_.stamp;  // changed by the last block to leave, when all have read it
    start_loads();
    for (step_ = 0; step_ < steps; ++step_) {
      exchange();
      for (tile_ = 0; tile_ < tiles_; ++tile_) smooth_one();
      __syncthreads();  // the last tile is back in its slot
    }
    if (leave(*office_.board)) *office_.stamp = stamp_ + static_cast<std::uint32_t>(steps);
  }

 private:
  using State = tile::RingState<chip_ring>;
  struct Barriers {
    tile::arch::MBarrier kept, full[chip_ring];
  };

  TILE_DEVICE static int block() { return static_cast<int>(blockIdx.x); }
  TILE_DEVICE static int thread() { return static_cast<int>(threadIdx.x); }
  TILE_DEVICE bool has_left() const { return block() > 0; }
  TILE_DEVICE bool has_right() const { return block() + 1 < plan_.blocks; }
  TILE_DEVICE bool streams(int tile) const { return tile < plan_.streamed; }
  TILE_DEVICE int vectors_in(int tile) const {
    return min(tile_vectors, length_ - tile * tile_vectors);
  }
  TILE_DEVICE float4* kept(int tile) const {
    return slots_ + std::int64_t{plan_.slot(tile)} * tile_vectors;
  }
  TILE_DEVICE float4* passing(State at) const { return slots_ + at.slot * tile_vectors; }
  TILE_DEVICE static Barriers& barriers() {
    __shared__ Barriers in_smem;
    return in_smem;
  }
  TILE_DEVICE static void wait(State at) {
    tile::arch::mbarrier_wait(&barriers().full[at.slot], at.phase);
  }

  // The tiles that stay, and the first ones that pass.
  TILE_DEVICE void start_loads() {
    if (thread() == 0) {
      tile::arch::mbarrier_init(&barriers().kept, 1);
      for (auto& full : barriers().full) tile::arch::mbarrier_init(&full, 1);
      tile::arch::fence_mbarrier_init();
      const int first = plan_.streamed * tile_vectors;
      tile::arch::mbarrier_arrive_expect(&barriers().kept, (length_ - first) * 16);
      for (int tile = plan_.streamed; tile < tiles_; ++tile)
        bulk_load(kept(tile), x_ + begin_ + tile * tile_vectors, vectors_in(tile) * 16,
                  &barriers().kept);
      if (plan_.streamed > 0)
        for (int slot = 0; slot < chip_ring; ++slot) ask();
    }
    __syncthreads();
    tile::arch::mbarrier_wait(&barriers().kept, 0);
  }

  // One thread: the next tile that passes, of this step or of the next, into the slot that has been
  // read. Its stores are behind the block's barrier: the plan has more tiles than the ring slots.
  TILE_DEVICE void ask() {
    if (asked_step_ == steps_) return;
    if (asked_step_ > 0) fence_async_global();
    tile::arch::MBarrier* full = &barriers().full[asked_.slot];
    tile::arch::mbarrier_arrive_expect(full, chip_tile_bytes);
    const float4* from = asked_step_ == 0 ? x_ : y_;
    bulk_load(passing(asked_), from + begin_ + asked_tile_ * tile_vectors, chip_tile_bytes, full);
    ++asked_;
    if (++asked_tile_ == plan_.streamed) {
      asked_tile_ = 0;
      ++asked_step_;
    }
  }

  // The thread that holds the first vector of the stretch and the one that holds the last learn
  // what lies beyond, and tell the neighbours at once what their own vector becomes in this step.
  TILE_DEVICE void exchange() {
    const std::uint32_t tag = stamp_ + static_cast<std::uint32_t>(step_);  // of what is beyond
    const bool tells = step_ + 1 < steps_;
    if (thread() == 0 && has_left()) {
      beyond_left_ = step_ == 0 ? floats_before(x_, begin_)
                                : receive(mailbox(from_left, tag), left_seen_, tag);
      if (streams(0)) wait(reader_);
      const float4 mine = smooth(beyond_left_, (streams(0) ? passing(reader_) : kept(0))[0], {});
      if (tells) send(neighbours_box(-1, from_right, tag + 1), {mine.x, mine.y}, tag + 1);
    }
    if (thread() == last_thread() && has_right()) {
      beyond_right_ = step_ == 0 ? floats_after(x_, begin_ + length_ - 1)
                                 : receive(mailbox(from_right, tag), right_seen_, tag);
      const int last = tiles_ - 1;
      const float4 mine = smooth({}, kept(last)[vectors_in(last) - 1], beyond_right_);
      if (tells) send(neighbours_box(1, from_left, tag + 1), {mine.z, mine.w}, tag + 1);
    }
  }
  TILE_DEVICE int last_thread() const { return (vectors_in(tiles_ - 1) - 1) % smooth_threads; }
  TILE_DEVICE Letter& mailbox(Side side, std::uint32_t tag) const {
    return office_.mailboxes[block()].at[tag % 2][side];
  }
  TILE_DEVICE Letter& neighbours_box(int offset, Side side, std::uint32_t tag) const {
    return office_.mailboxes[block() + offset].at[tag % 2][side];
  }
  // Answers are usually there before the step ends: looked at early, they cost no waiting.
  TILE_DEVICE void look_ahead() {
    const std::uint32_t tag = stamp_ + static_cast<std::uint32_t>(step_) + 1;
    if (thread() == 0 && has_left()) left_seen_ = look(mailbox(from_left, tag));
    if (thread() == last_thread() && has_right()) right_seen_ = look(mailbox(from_right, tag));
  }

  // A tile from its slot into registers, and when all threads have read it back to where it lives.
  // The tile ahead has been overwritten by then: its last floats were put aside.
  TILE_DEVICE void smooth_one() {
    __shared__ float2 aside[2];
    const bool passes = streams(tile_), ends = tile_ + 1 == tiles_;
    float4* slot = passes ? passing(reader_) : kept(tile_);
    const float4* next = nullptr;
    if (passes) {
      wait(reader_);
      State ahead = reader_;
      ++ahead;
      if (streams(tile_ + 1)) wait(ahead);
      next = streams(tile_ + 1) ? passing(ahead) : kept(tile_ + 1);
    } else if (!ends) {
      next = kept(tile_ + 1);
    }
    if (ends) look_ahead();
    const int count = vectors_in(tile_);
    float4 result[vectors_per_thread];
#pragma unroll
    for (int j = 0; j < vectors_per_thread; ++j) {
      const int at = thread() + j * smooth_threads, lane = at % 32;
      const float4 v = at < count ? slot[at] : float4{};
      float2 before{}, after{};
      if (lane == 0 && at < count)
        before = at > 0 ? floats_before(slot, at) : tile_ > 0 ? aside[tile_ % 2] : beyond_left_;
      if (at + 1 == count)
        after = ends ? beyond_right_ : float2{next->x, next->y};
      else if (lane == 31 && at < count)
        after = floats_after(slot, at);
      result[j] = smooth_in_warp(before, v, after, at + 1 == count);
      if (at + 1 == count) aside[(tile_ + 1) % 2] = {v.z, v.w};
    }
    __syncthreads();  // everybody has read the slot, and the stores of the tile ahead are done
    if (passes) {
      ++reader_;
      if (thread() == 0) ask();
    }
    float4* to = passes || step_ + 1 == steps_ ? y_ + begin_ + tile_ * tile_vectors : slot;
#pragma unroll
    for (int j = 0; j < vectors_per_thread; ++j) {
      const int at = thread() + j * smooth_threads;
      if (at < count) to[at] = result[j];
    }
  }

  float4* slots_;
  const float4* x_;
  float4* y_;
  const ChipPlan& plan_;
  const PostOffice& office_;
  int begin_, length_, tiles_;  // of the stretch; the first two in vectors
  int steps_ = 0, step_ = 0, tile_ = 0;
  std::uint32_t stamp_ = 0;
  State reader_ = State::reader();
  State asked_{};  // only its slot counts
  int asked_tile_ = 0, asked_step_ = 0;
  float2 beyond_left_{}, beyond_right_{};  // zero where the array ends
  Letter left_seen_{}, right_seen_{};
};

}  // namespace aisp::ch10
