#include "sim/runtime/memory/multicast.hpp"

#include <algorithm>

#include "sim/runtime/memory/mapped_memory.hpp"

namespace aisp::sim {
namespace {

Multicast& multicast_of(std::uint64_t handle) {
  const std::shared_ptr<Multicast>& found = physical_of(handle).multicast;
  require(found != nullptr);
  return *found;
}

bool overlap(const MulticastBinding& a, const MulticastBinding& b) {
  return a.memory->device == b.memory->device && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

void bind(Multicast& object, MulticastBinding fresh) {
  for (const std::uint64_t value : {fresh.offset, fresh.memory_offset, fresh.bytes})
    require_units(value);
  require(fresh.memory != nullptr && fresh.bytes != 0);
  require(fresh.bytes <= object.bytes && fresh.offset <= object.bytes - fresh.bytes);
  require(fresh.bytes <= fresh.memory->bytes &&
          fresh.memory_offset <= fresh.memory->bytes - fresh.bytes);
  require(object.team.size() == object.devices, cudaErrorIllegalState);
  require(std::count(object.team.begin(), object.team.end(), fresh.memory->device) != 0,
          cudaErrorInvalidDevice);
  require(std::none_of(object.bindings.begin(), object.bindings.end(),
                       [&](const MulticastBinding& bound) { return overlap(bound, fresh); }));
  object.bindings.push_back(std::move(fresh));
  show_multicast();
}

// Where the program itself sees the memory, so that accesses of both kinds meet at one address.
std::uint64_t address_of(PhysicalMemory& memory) {
  for (const auto& [start, range] : address_ranges())
    for (const auto& [base, mapping] : range.mappings)
      if (mapping.physical.get() == &memory) return base;
  return memory.view();
}

MulticastRange range_of(std::uint64_t base, const Mapping& mapping) {
  const Multicast& object = *mapping.multicast;
  MulticastRange range{.base = base,
                       .bytes = mapping.bytes,
                       .object = object.handle,
                       .reach = devices_with(mapping, MappedAccess::read),
                       .writers = devices_with(mapping, MappedAccess::read_write),
                       .team = object.team,
                       .parts = {}};
  for (const MulticastBinding& bound : object.bindings)
    range.parts.push_back({.device = bound.memory->device,
                           .offset = bound.offset,
                           .bytes = bound.bytes,
                           .address = address_of(*bound.memory) + bound.memory_offset});
  return range;
}

}  // namespace

std::uint64_t create_multicast(std::size_t devices, std::uint64_t bytes) {
  require(devices != 0 && devices <= static_cast<std::size_t>(Runtime::get().model.devices));
  require(bytes != 0);
  require_units(bytes);
  auto object = std::make_shared<Multicast>();
  object->bytes = bytes;
  object->devices = devices;
  return object->handle = new_handle({.memory = nullptr, .multicast = object});
}

void add_to_multicast(std::uint64_t handle, int device) {
  Multicast& object = multicast_of(handle);
  require(object.team.size() < object.devices);
  require(std::count(object.team.begin(), object.team.end(), device) == 0);
  object.team.push_back(device);
}

MissingDevices missing_devices(std::uint64_t handle) {
  const std::shared_ptr<Multicast>& object = physical_of(handle).multicast;
  if (object == nullptr) return {};
  return {object->team.size(), object->devices};
}

void bind_to_multicast(std::uint64_t handle, std::uint64_t offset, std::uint64_t memory,
                       std::uint64_t memory_offset, std::uint64_t bytes) {
  bind(multicast_of(handle), {physical_of(memory).memory, memory_offset, offset, bytes});
}

void bind_address_to_multicast(std::uint64_t handle, std::uint64_t offset, std::uint64_t address,
                               std::uint64_t bytes) {
  const auto& [base, mapping] = mapping_around(address);
  bind(multicast_of(handle), {mapping.physical, address - base, offset, bytes});
}

void unbind_from_multicast(std::uint64_t handle, int device, std::uint64_t offset,
                           std::uint64_t bytes) {
  Multicast& object = multicast_of(handle);
  const auto gone = std::erase_if(object.bindings, [&](const MulticastBinding& bound) {
    return bound.memory->device == device && bound.offset == offset && bound.bytes == bytes;
  });
  require(gone != 0);
  show_multicast();
}

void show_multicast() {
  auto table = std::make_shared<MulticastTable>();
  for (const auto& [start, range] : address_ranges())
    for (const auto& [base, mapping] : range.mappings)
      if (mapping.multicast != nullptr) table->push_back(range_of(base, mapping));
  Memory& memory = Runtime::get().memory;
  if (!table->empty() || !memory.multicast()->empty()) memory.show_multicast(std::move(table));
}

}  // namespace aisp::sim
