// expect: is_trivially_copyable_v
// Parameters that own memory cannot go to a kernel.
#include <vector>

#include "tile/schedule/work.hpp"

using namespace aisp;

struct Listed {
  static constexpr auto kind = tile::ScheduleKind::whole_tiles;
  struct Params {
    std::vector<tile::WorkTile> list;
  };
  Listed(const Params&, int, int) {}
  bool next(tile::WorkTile&) { return false; }
  static int clusters(const Params&, int) { return 1; }
  static int slots(const Params&, int) { return 0; }
};

static_assert(tile::TileSchedule<Listed>);
