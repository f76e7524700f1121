#include "sim/cuda/sm_resource.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace aisp::sim::driver {
namespace {

constexpr std::uint32_t resource_magic = 0x61695352;
constexpr unsigned least_of_independent_sms = 2;

// In the padding.
struct Content {
  std::uint32_t magic = 0;
  std::int32_t device = 0;
  std::uint64_t split = 0;
  std::uint64_t sms[most_sms / 64] = {};
};
static_assert(sizeof(Content) <= sizeof(CUdevResource::_internal_padding));

SmResource whole_resource(int device) {
  const DeviceModel& model = Runtime::get().model;
  const bool clusters = model.major >= 9;
  SmResource whole{
      .device = device, .sms = {}, .least = clusters ? 8u : 4u, .unit = clusters ? 8u : 2u};
  for (int sm = 0; sm < std::min(model.multiprocessors, most_sms); ++sm) whole.sms.set(sm);
  return whole;
}

// Pieces of `unit` SMs. Those of one group of SMs that can hold a cluster come first; `apart`: what
// is left of the groups makes pieces, too.
std::vector<SmSet> pieces_of(const SmSet& sms, unsigned unit, bool apart) {
  std::vector<int> groups = Runtime::get().model.cluster_groups;
  groups.push_back(most_sms);  // a device without clusters is one group
  std::vector<SmSet> pieces;
  SmSet piece, left;
  const auto gather = [&](int sm, SmSet& into) {
    into.set(sm);
    if (into.count() != unit) return;
    pieces.push_back(into);
    into.reset();
  };
  int sm = 0, end = 0;
  for (const int group : groups) {
    end = std::min(end + group, most_sms);
    for (; sm < end; ++sm)
      if (sms.test(sm)) gather(sm, piece);
    left |= piece;
    piece.reset();
  }
  if (apart)
    for (int at = 0; at < most_sms; ++at)
      if (left.test(at)) gather(at, piece);
  return pieces;
}

}  // namespace

void demand_sm_type(CUdevResourceType type) {
  demand(type == CU_DEV_RESOURCE_TYPE_SM, CUDA_ERROR_INVALID_RESOURCE_TYPE);
}

SmResource read_resource(const CUdevResource& resource) {
  demand_sm_type(resource.type);
  Content content;
  std::memcpy(&content, resource._internal_padding, sizeof content);
  demand(content.magic == resource_magic);
  demand_device(content.device);
  SmResource read{.device = content.device,
                  .sms = {},
                  .split = content.split,
                  .least = resource.sm.minSmPartitionSize,
                  .unit = resource.sm.smCoscheduledAlignment};
  for (int sm = 0; sm < most_sms; ++sm)
    read.sms.set(sm, (content.sms[sm / 64] >> sm % 64 & 1) != 0);
  demand(read.sms.any() && read.unit != 0 && read.sms.count() == resource.sm.smCount &&
         (read.sms & ~whole_resource(content.device).sms).none());
  return read;
}

void write_resource(CUdevResource& resource, const SmResource& from) {
  resource = {};
  if (from.sms.none()) return;  // CU_DEV_RESOURCE_TYPE_INVALID
  Content content{.magic = resource_magic, .device = from.device, .split = from.split, .sms = {}};
  for (int sm = 0; sm < most_sms; ++sm)
    if (from.sms.test(sm)) content.sms[sm / 64] |= std::uint64_t{1} << sm % 64;
  resource.type = CU_DEV_RESOURCE_TYPE_SM;
  std::memcpy(resource._internal_padding, &content, sizeof content);
  resource.sm = {static_cast<unsigned>(from.sms.count()), from.least, from.unit};
}

SmResource resource_of_device(int device) { return whole_resource(device); }

SmResource resource_of(const Context& context) {
  SmResource own = whole_resource(context.device);
  if (!context.part) return own;
  own.sms.reset();
  for (const int sm : context.part->sms) own.sms.set(sm);
  return own;
}

SmGroups split_resource(const SmResource& resource, unsigned least, unsigned flags, unsigned most) {
  static std::atomic<std::uint64_t> splits{0};
  constexpr unsigned alone = CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING,
                     clusters = CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE;
  demand((flags & ~(alone | clusters)) == 0 && flags != (alone | clusters));
  demand(least <= resource.sms.count());
  // Its parts are divided again only after a green context was made of them.
  demand(resource.split == 0, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
  const DeviceModel& model = Runtime::get().model;
  demand((flags & clusters) == 0 || model.major >= 9);
  unsigned smallest = resource.least, unit = resource.unit;
  if ((flags & alone) != 0) smallest = unit = least_of_independent_sms;
  if ((flags & clusters) != 0)
    smallest = unit = static_cast<unsigned>(model.max_cluster_nonportable);
  const unsigned wanted = (std::max(least, smallest) + unit - 1) / unit;  // pieces of a group
  const std::vector<SmSet> pieces = pieces_of(resource.sms, unit, (flags & clusters) == 0);
  const auto count = std::min<std::size_t>(most, pieces.size() / wanted);
  demand(count != 0, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
  const std::uint64_t split = ++splits;
  SmGroups made{.groups = {}, .rest = resource};
  made.rest.split = split;
  for (std::size_t i = 0; i < count; ++i) {
    SmResource& group = made.groups.emplace_back(resource);
    group.split = split;
    group.least = smallest;
    group.unit = unit;
    group.sms.reset();
    for (std::size_t piece = i * wanted; piece < (i + 1) * wanted; ++piece)
      group.sms |= pieces[piece];
    made.rest.sms &= ~group.sms;
  }
  return made;
}

std::vector<int> numbers_of(const SmSet& sms) {
  std::vector<int> numbers;
  for (int sm = 0; sm < most_sms; ++sm)
    if (sms.test(sm)) numbers.push_back(sm);
  return numbers;
}

}  // namespace aisp::sim::driver
