// Rung 1: two buffers. The copies of the next tile are asked for before this one is attended to,
// by the same threads.
#include "chapters/ch11/kv_prefetch_pipeline/copy_run.cuh"
#include "lab/case/registry.hpp"
#include "tile/pipeline/cp_async_ring.cuh"

using namespace aisp;

namespace aisp::ch11::kv {

struct TwoTiles {
  Tile tiles[2];
  Meeting meeting;
};

class TwoBuffers {
 public:
  TILE_DEVICE TwoBuffers(const CopyParams& params, TwoTiles& shared)
      : copy_(params), shared_(shared) {}

  TILE_DEVICE void start(const Segment& segment) {
    copy_.start(segment);
    last_tile_ = segment.last_tile;
    fetch(segment.first_tile);
  }
  TILE_DEVICE std::uint32_t wait(int tile) {
    const int slot = ring_.wait();
    if (tile + 1 < last_tile_) fetch(tile + 1);  // into the buffer that everybody has left
    return place_of(slot);
  }
  TILE_DEVICE void release() { ring_.release(); }

 private:
  TILE_DEVICE std::uint32_t place_of(int slot) const {
    return tile::arch::shared_address(&shared_.tiles[slot]);
  }
  TILE_DEVICE void fetch(int tile) {
    copy_.copy(tile, place_of(ring_.acquire()));
    ring_.commit();
  }

  PageCopy copy_;
  TwoTiles& shared_;
  tile::CpAsyncRing<2> ring_;
  int last_tile_ = 0;
};

}  // namespace aisp::ch11::kv

extern "C" __global__ void __launch_bounds__(ch11::kv::math_threads, 3)
    kv_two_buffers(const __grid_constant__ ch11::kv::CopyParams params) {
  auto& shared = ch11::kv::shared_memory<ch11::kv::TwoTiles>();
  ch11::kv::TwoBuffers feed(params, shared);
  ch11::kv::attend(params.work, shared.meeting, feed);
}

namespace {

lab::Run prepare(lab::Setup& setup) {
  return ch11::kv::prepare_copying<ch11::kv::TwoTiles>(setup, kv_two_buffers);
}

const lab::RungEntry entry{"ch11:kv_prefetch_pipeline",
                           {.name = "two_buffers",
                            .step = 1,
                            .builds_on = "load_then_attend",
                            .idea = "copies of the next tile before this one is attended to",
                            .look_at = "LDGSTS of one tile among the products of another",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
