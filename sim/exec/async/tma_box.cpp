#include "sim/exec/async/tma_box.hpp"

#include <algorithm>

#include "base/refuse.hpp"

namespace aisp::sim {
namespace {

using base::say;

// Which dimension plays which part. Without interleave dimension 0 holds the bytes of a row; with
// it a row is one unit of 16 or 32 bytes, dimension 0 steps through units and rank - 2 is the slice
// of channels.
struct Roles {
  bool interleaved;
  std::uint32_t unit;  // bytes
  int first;           // first dimension stepped through
  explicit Roles(const TensorMap& map)
      : interleaved(map.interleave != 0),
        unit(map.interleave == 2 ? 32 : 16),
        first(interleaved ? 0 : 1) {}
};

std::uint64_t stride_of(const TensorMap& map, const Roles& roles, int dimension) {
  return dimension == 0 ? roles.unit : map.stride[dimension - 1];
}

std::uint32_t steps(const TensorMap& map, const Roles& roles, int dimension) {
  if (roles.interleaved && dimension == map.rank - 2) return 1;
  return (map.box[dimension] + map.element_stride[dimension] - 1u) / map.element_stride[dimension];
}

constexpr int padded_run = 128;  // elements of a padded type that are copied together

std::int64_t row_of_bytes(const TensorMap& map, std::int64_t elements) {
  return elements * tensor_map_element_bits(map.type()) / 8;
}

// The row at these coordinates; those of dimensions before `roles.first` do not count.
BoxRow row_at(const TensorMap& map, const Roles& roles, const std::int64_t* at,
              std::int64_t inner_start, std::uint32_t row_bytes) {
  BoxRow row;
  row.address = map.address;
  for (int i = roles.first; i < map.rank; ++i) {
    if (at[i] < 0 || at[i] >= static_cast<std::int64_t>(map.dim[i])) return row;
    row.address += static_cast<std::uint64_t>(at[i]) * stride_of(map, roles, i);
  }
  if (roles.interleaved) {
    row.to = row_bytes;
    return row;
  }
  const std::int64_t start = row_of_bytes(map, inner_start);
  const std::int64_t end = row_of_bytes(map, static_cast<std::int64_t>(map.dim[0]));
  row.address += static_cast<std::uint64_t>(start);
  row.from = static_cast<std::uint32_t>(std::clamp<std::int64_t>(-start, 0, row_bytes));
  row.to = static_cast<std::uint32_t>(std::clamp<std::int64_t>(end - start, row.from, row_bytes));
  return row;
}

void tile_rows(const TensorMap& map, const TmaRequest& request, std::uint32_t row_bytes,
               std::vector<BoxRow>& rows) {
  const Roles roles(map);
  std::uint32_t step[5]{};
  while (true) {
    std::int64_t at[5]{};
    for (int i = roles.first; i < map.rank; ++i)
      at[i] = std::int64_t{request.coordinate[i]} + step[i] * map.element_stride[i];
    rows.push_back(row_at(map, roles, at, request.coordinate[0], row_bytes));
    int i = roles.first;
    while (i < map.rank && ++step[i] == steps(map, roles, i)) step[i++] = 0;
    if (i == map.rank) return;
  }
}

void gather_rows(const TensorMap& map, const TmaRequest& request, std::uint32_t row_bytes,
                 std::vector<BoxRow>& rows) {
  for (int i = 1; i <= 4; ++i) {
    const std::int64_t at[5] = {0, request.coordinate[i]};
    rows.push_back(row_at(map, Roles(map), at, request.coordinate[0], row_bytes));
  }
}

std::int64_t last_pixel(const TensorMap& map, const Roles& roles, int spatial) {
  return static_cast<std::int64_t>(map.dim[roles.first + spatial]) - 1 + map.upper[spatial];
}

// Pixels from the starting point on; each dimension goes on from its lower corner when it leaves
// the pixel box, and the next one takes a step. The offsets shift the whole box. Along W alone the
// other dimensions stay, and the halo is what comes behind the last pixel.
void pixel_rows(const TensorMap& map, const TmaRequest& request, std::uint32_t row_bytes,
                std::vector<BoxRow>& rows) {
  const Roles roles(map);
  const int spatial = map.is_wide() ? 1 : map.rank - 2, images = map.rank - 1;
  const std::uint32_t count = map.pixels() + request.halo;
  std::int64_t position[5];
  std::copy(std::begin(request.coordinate), std::end(request.coordinate), position);
  for (std::uint32_t pixel = 0; pixel < count; ++pixel) {
    std::int64_t at[5];
    std::copy(std::begin(position), std::end(position), at);
    for (int i = 0; i < spatial; ++i) at[roles.first + i] += request.offset[i];
    rows.push_back(row_at(map, roles, at, request.coordinate[0], row_bytes));
    int i = 0;
    for (; i < spatial; ++i) {
      const int dimension = roles.first + i;
      position[dimension] += map.element_stride[dimension];
      if (position[dimension] <= last_pixel(map, roles, i)) break;
      position[dimension] = map.lower[i];
    }
    if (i == spatial) position[images] += map.element_stride[images];
  }
}

}  // namespace

BoxShape box_shape(const TensorMap& map, const TmaRequest& request) {
  const Roles roles(map);
  BoxShape shape;
  const std::uint32_t inner = map.is_im2col() ? map.channels_per_pixel : map.box[0];
  shape.row_bytes =
      roles.interleaved ? roles.unit : static_cast<std::uint32_t>(row_of_bytes(map, inner));
  shape.width = is_padded(map.type()) ? inner : shape.row_bytes;
  // A swizzle keeps its span for each row, even where the box is narrower.
  shape.pitch = roles.interleaved || map.swizzle == 0
                    ? shape.width
                    : static_cast<std::uint32_t>(swizzle_span(map.swizzle));
  shape.rows = request.four_rows ? 4 : map.is_im2col() ? map.pixels() + request.halo : 1;
  if (!map.is_im2col() && !request.four_rows)
    for (int i = roles.first; i < map.rank; ++i) shape.rows *= steps(map, roles, i);
  return shape;
}

void box_rows(const TensorMap& map, const TmaRequest& request, std::vector<BoxRow>& rows) {
  rows.clear();
  const std::uint32_t row_bytes = box_shape(map, request).row_bytes;
  if (request.four_rows)
    gather_rows(map, request, row_bytes, rows);
  else if (map.is_im2col())
    pixel_rows(map, request, row_bytes, rows);
  else
    tile_rows(map, request, row_bytes, rows);
}

namespace {

// Elements that are padded in shared memory.
std::string why_padded_refused(const TensorMap& map, const TmaRequest& request) {
  if (map.interleave != 0) return "padded elements in an interleaved layout are not modelled";
  if (request.coordinate[0] % padded_run != 0)
    return say("coordinate ", request.coordinate[0],
               " of dimension 0: with padded elements it is "
               "a multiple of ",
               padded_run);
  if (request.store && map.type() == TensorType::u4x16_align16)
    return "there is no store of padded 4-bit elements";
  return {};
}

// Along W alone, only the first pixel may lie left of the pixel box.
std::string why_wide_refused(const TensorMap& map, const TmaRequest& request) {
  const Roles roles(map);
  const std::int64_t at = request.coordinate[roles.first];
  if (at > last_pixel(map, roles, 0))
    return say("coordinate ", at, " of dimension ", roles.first,
               " lies right of the pixel box, which ends at ", last_pixel(map, roles, 0));
  const bool of_128 = map.kind == MapKind::wide_128;
  const int most = of_128 ? 31 : 511;
  if (request.halo > most)
    return say("a halo of ", request.halo, " pixels: ", most, " is the most");
  if (of_128 && request.halo != 0)
    return say("a halo of ", request.halo,
               " pixels with im2col::w::128: where hardware puts it in "
               "shared memory is not known, and not modelled; im2col::w has one");
  return {};
}

}  // namespace

std::string why_refused(const TensorMap& map, const TmaRequest& request) {
  const Roles roles(map);
  if (request.four_rows && (map.rank != 2 || map.box[1] != 1 || map.is_im2col()))
    return say("four rows need a tiled map of rank 2 with one row in its box: rank ", +map.rank,
               ", ", map.box[1], " rows");
  if (is_padded(map.type()))
    if (std::string why = why_padded_refused(map, request); !why.empty()) return why;
  const std::int64_t start = row_of_bytes(map, request.coordinate[0]);
  if (!roles.interleaved && start % 16 != 0)
    return say("coordinate ", request.coordinate[0], " of dimension 0 is ", start,
               " bytes: the box must start at a multiple of 16 bytes");
  if (request.store)
    for (int i = 0; i < (request.four_rows ? 5 : map.rank); ++i)
      if (request.coordinate[i] < 0)
        return say("coordinate ", request.coordinate[i], " of dimension ", i,
                   ": a store cannot start at a negative one");
  if (!map.is_im2col()) return {};
  if (map.is_wide()) return why_wide_refused(map, request);
  for (int i = 0; i < map.rank - 2; ++i) {
    const std::int64_t at = request.coordinate[roles.first + i];
    if (at < map.lower[i] || at > last_pixel(map, roles, i))
      return say("coordinate ", at, " of dimension ", roles.first + i,
                 " lies outside of the pixel box, ", map.lower[i], " to ",
                 last_pixel(map, roles, i));
    if (request.store && (map.lower[i] < 0 || map.upper[i] > 0))
      return say("a store needs a pixel box inside of the tensor: corners ", map.lower[i], " and ",
                 map.upper[i]);
  }
  return {};
}

}  // namespace aisp::sim
