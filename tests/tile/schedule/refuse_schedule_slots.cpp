// expect: S::slots(params, count)
// A schedule that does not say how much workspace its shares need.
#include "tile/schedule/work.hpp"

struct OneTile {
  struct Params {};
  OneTile(const Params&, int, int) {}
  bool next(tile::WorkTile&) { return false; }
  static int workers(const Params&, int) { return 1; }
};

static_assert(tile::TileSchedule<OneTile>);
