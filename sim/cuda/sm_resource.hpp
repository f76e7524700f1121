// SMs of a device as a resource that programs divide (CUdevResource). What the driver keeps in the
// structure's padding is kept there, too: the structure is copied freely, and nothing is freed.
#pragma once

#include <bitset>

#include "sim/cuda/driver.hpp"

namespace aisp::sim::driver {

inline constexpr int most_sms = 256;
using SmSet = std::bitset<most_sms>;

struct SmResource {
  int device = 0;
  SmSet sms;
  std::uint64_t split = 0;       // the call that made it; 0: it is a context's or a device's own
  unsigned least = 0, unit = 0;  // SMs of a partition
};

// Throw DriverError for a type other than SMs, and for a structure that no call has filled in.
void demand_sm_type(CUdevResourceType type);
SmResource read_resource(const CUdevResource& resource);
// No SMs: a resource that is none.
void write_resource(CUdevResource& resource, const SmResource& content);

SmResource resource_of(const Context& context);
SmResource resource_of_device(int device);

// Disjoint groups of equal size, at least `least` SMs each, and what is left. Throws DriverError
// where the resource does not have them. `most`: groups.
struct SmGroups {
  std::vector<SmResource> groups;
  SmResource rest;
};
SmGroups split_resource(const SmResource& resource, unsigned least, unsigned flags, unsigned most);

std::vector<int> numbers_of(const SmSet& sms);

}  // namespace aisp::sim::driver
