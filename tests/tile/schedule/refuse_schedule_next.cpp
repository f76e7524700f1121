// expect: does not satisfy return-type-requirement
// A schedule whose next() does not say whether there was work.
#include "tile/schedule/work.hpp"

using namespace aisp;

struct OneTile {
  static constexpr auto kind = tile::ScheduleKind::whole_tiles;
  struct Params {};
  OneTile(const Params&, int, int) {}
  void next(tile::WorkTile& work) { work = {}; }
  static int clusters(const Params&, int) { return 1; }
  static int slots(const Params&, int) { return 0; }
};

static_assert(tile::TileSchedule<OneTile>);
