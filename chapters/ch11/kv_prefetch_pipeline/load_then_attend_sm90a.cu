// Rung 0: a block loads a tile of keys and values, waits for it, attends to it, and loads the next.
// Several blocks on a multiprocessor wait in turn.
#include "chapters/ch11/kv_prefetch_pipeline/copy_run.cuh"
#include "lab/case/registry.hpp"
#include "tile/arch/cp_async.cuh"

using namespace aisp;

namespace aisp::ch11::kv {

struct OneTile {
  Tile tile;
  Meeting meeting;
};

class LoadThenAttend {
 public:
  TILE_DEVICE LoadThenAttend(const CopyParams& params, OneTile& shared)
      : copy_(params), shared_(shared) {}

  TILE_DEVICE void start(const Segment& segment) { copy_.start(segment); }
  TILE_DEVICE std::uint32_t wait(int tile) {
    const std::uint32_t place = tile::arch::shared_address(&shared_.tile);
    copy_.copy(tile, place);
    tile::arch::cp_async_commit();
    tile::arch::cp_async_wait<0>();
    __syncthreads();  // everybody's copies are there
    return place;
  }
  TILE_DEVICE void release() { __syncthreads(); }  // everybody has read the tile

 private:
  PageCopy copy_;
  OneTile& shared_;
};

}  // namespace aisp::ch11::kv

extern "C" __global__ void __launch_bounds__(ch11::kv::math_threads, 4)
    kv_load_then_attend(const __grid_constant__ ch11::kv::CopyParams params) {
  auto& shared = ch11::kv::shared_memory<ch11::kv::OneTile>();
  ch11::kv::LoadThenAttend feed(params, shared);
  ch11::kv::attend(params.work, shared.meeting, feed);
}

namespace {

lab::Run prepare(lab::Setup& setup) {
  return ch11::kv::prepare_copying<ch11::kv::OneTile>(setup, kv_load_then_attend);
}

const lab::RungEntry entry{"ch11:kv_prefetch_pipeline",
                           {.name = "load_then_attend",
                            .step = 0,
                            .builds_on = "",
                            .idea = "load 64 keys and values, wait for them, attend, load the next",
                            .look_at = "every tile's latency, hidden by other blocks alone",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
