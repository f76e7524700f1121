// expect: S::slots(params, count)
// A schedule that does not say how much workspace its slices need.
#include "tile/schedule/work.hpp"

using namespace aisp;

struct OneTile {
  static constexpr auto kind = tile::ScheduleKind::whole_tiles;
  struct Params {};
  OneTile(const Params&, int, int) {}
  bool next(tile::WorkTile&) { return false; }
  static int clusters(const Params&, int) { return 1; }
};

static_assert(tile::TileSchedule<OneTile>);
