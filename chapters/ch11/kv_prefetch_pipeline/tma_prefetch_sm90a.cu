// Rung 2: a warp of its own asks TMA for pages, as far ahead as a ring of three tiles has room,
// over the ends of heads too. The math warps only wait for bytes.
#include "chapters/ch11/kv_prefetch_pipeline/attend.cuh"
#include "chapters/ch11/kv_prefetch_pipeline/run.cuh"
#include "lab/case/registry.hpp"
#include "tile/arch/warp.cuh"
#include "tile/pipeline/ring_state.hpp"

using namespace aisp;

namespace aisp::ch11::kv {

inline constexpr int stages = 3;
using RingPosition = tile::RingState<stages>;

struct TileRing {
  Tile tiles[stages];
  Meeting meeting;
  tile::arch::MBarrier full[stages];   // the bytes of the tile have landed
  tile::arch::MBarrier empty[stages];  // all math warps have read it

  // By one thread, before the block meets.
  TILE_DEVICE void init() {
    for (int stage = 0; stage < stages; ++stage) {
      tile::arch::mbarrier_init(&full[stage], 1);
      tile::arch::mbarrier_init(&empty[stage], math_warps);
    }
    tile::arch::fence_mbarrier_init();
  }
};

struct PrefetchParams {
  CUtensorMap k, v;  // (128, page rows, kv_heads, pages)
  Pages pages;
  Work work;
};

// The producer: each lane asks for one of the pages that make a tile.
class PagePrefetch {
 public:
  TILE_DEVICE PagePrefetch(const PrefetchParams& params, TileRing& ring)
      : params_(params), ring_(ring), lane_(static_cast<int>(tile::arch::lane_index())) {}

  TILE_DEVICE void run() {
    Walk walk(params_.work);
    Segment segment;
    while (walk.next(segment)) {
      // A page's number is read one tile ahead: it is there when its turn comes.
      int next = find_page(segment, segment.first_tile);
      for (int tile = segment.first_tile; tile < segment.last_tile; ++tile) {
        const int page = next;
        if (tile + 1 < segment.last_tile) next = find_page(segment, tile + 1);
        fetch(segment.head % params_.pages.kv_heads, page);
      }
    }
  }

 private:
  TILE_DEVICE bool has_page() const { return lane_ * params_.pages.rows < tile_keys; }
  // One beyond the pool where the sequence has no more pages: TMA gives zeros.
  TILE_DEVICE int find_page(const Segment& segment, int tile) const {
    const Pages& pages = params_.pages;
    const int place = tile * (tile_keys / pages.rows) + lane_;
    if (!has_page() || place >= pages.per_sequence) return pages.count;
    const std::int64_t sequence = segment.head / pages.kv_heads;
    return pages.table[sequence * pages.per_sequence + place];
  }

  TILE_DEVICE void fetch(int head, int page) {
    tile::arch::mbarrier_wait(&ring_.empty[at_.slot], at_.phase);
    tile::arch::MBarrier* const full = &ring_.full[at_.slot];
    if (lane_ == 0) tile::arch::mbarrier_arrive_expect(full, sizeof(Tile));
    __syncwarp();
    if (has_page()) {
      const int line = lane_ * params_.pages.rows * 128;
#pragma unroll
      for (int panel = 0; panel < 2; ++panel) {  // every page is read once
        const int place = panel * panel_bytes + line;
        const int column = panel * panel_columns;
        tile::arch::tma_load(ring_.tiles[at_.slot].k + place, &params_.k, full, column, 0, head,
                             page, tile::arch::CacheHint::evict_first);
        tile::arch::tma_load(ring_.tiles[at_.slot].v + place, &params_.v, full, column, 0, head,
                             page, tile::arch::CacheHint::evict_first);
      }
    }
    ++at_;
  }

  const PrefetchParams& params_;
  TileRing& ring_;
  int lane_;
  RingPosition at_ = RingPosition::writer();
};

// What a math warp sees of it.
class Prefetched {
 public:
  TILE_DEVICE explicit Prefetched(TileRing& ring) : ring_(ring) {}

  TILE_DEVICE void start(const Segment&) {}
  TILE_DEVICE std::uint32_t wait(int) {
    tile::arch::mbarrier_wait(&ring_.full[at_.slot], at_.phase);
    return tile::arch::shared_address(&ring_.tiles[at_.slot]);
  }
  TILE_DEVICE void release() {
    __syncwarp();  // all lanes have read it
    if (tile::arch::lane_index() == 0) tile::arch::mbarrier_arrive(&ring_.empty[at_.slot]);
    ++at_;
  }

 private:
  TileRing& ring_;
  RingPosition at_ = RingPosition::reader();
};

}  // namespace aisp::ch11::kv

// Two blocks per multiprocessor, each with 96 KiB on the way, hide each other's waits.
extern "C" __global__ void __launch_bounds__(ch11::kv::math_threads + 32, 2)
    kv_tma_prefetch(const __grid_constant__ ch11::kv::PrefetchParams params) {
  auto& shared = ch11::kv::shared_memory<ch11::kv::TileRing>();
  if (threadIdx.x == 0) shared.init();
  __syncthreads();
  if (threadIdx.x < ch11::kv::math_threads) {
    ch11::kv::Prefetched feed(shared);
    ch11::kv::attend(params.work, shared.meeting, feed);
  } else {
    ch11::kv::PagePrefetch(params, shared).run();
  }
}

namespace {

lab::Run prepare(lab::Setup& setup) {
  using namespace ch11::kv;
  return prepare_decode(
      setup,
      tile::device::Kernel<PrefetchParams>{kv_tma_prefetch, math_threads + 32,
                                           shared_bytes<TileRing>},
      [](const AttentionProblem& attention, const Pages& pages, const Work& work) {
        return PrefetchParams{tile::device::decode_map(attention.k, attention, pages.rows),
                              tile::device::decode_map(attention.v, attention, pages.rows), pages,
                              work};
      });
}

const lab::RungEntry entry{"ch11:kv_prefetch_pipeline",
                           {.name = "tma_prefetch",
                            .step = 2,
                            .builds_on = "two_buffers",
                            .idea = "a producer warp keeps a ring of three tiles full by TMA",
                            .look_at = "UTMALDG by one warp; bytes per second beside the copy's",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
