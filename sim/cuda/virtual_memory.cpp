// Virtual memory management. Handles leave the process as descriptors of files.
#include "sim/runtime/memory/virtual_memory.hpp"

#include "sim/cuda/multicast.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using namespace sim::driver;
using sim::MappedAccess;
using sim::Runtime;

namespace {

template <class Body>
CUresult with_addresses(Body body) {
  return initialised([&] {
    const std::lock_guard lock(Runtime::get().mutex);
    return body();
  });
}

// The only handles there are.
void demand_file_descriptor(CUmemAllocationHandleType type, bool may_be_none) {
  if (type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return;
  demand(type != CU_MEM_HANDLE_TYPE_NONE || may_be_none);
  demand(type == CU_MEM_HANDLE_TYPE_NONE, CUDA_ERROR_NOT_SUPPORTED);
}

void judge_properties(const CUmemAllocationProp* properties) {
  demand(properties != nullptr && properties->type == CU_MEM_ALLOCATION_TYPE_PINNED);
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
    Runtime::get().note_once("cuMemCreate of host memory is not supported by the simulator");
    throw DriverError{CUDA_ERROR_NOT_SUPPORTED};
  }
  demand_device(properties->location.id);
  demand_file_descriptor(properties->requestedHandleTypes, true);
}

}  // namespace

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags option) {
  return initialised([&] {
    demand(bytes != nullptr && (option == CU_MEM_ALLOC_GRANULARITY_MINIMUM ||
                                option == CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    judge_properties(properties);
    *bytes = sim::mapping_unit;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t align, CUdeviceptr,
                             unsigned long long flags) {
  return with_addresses([&] {
    demand(address != nullptr && flags == 0);
    *address = sim::reserve_addresses_for_program(bytes, align);
  });
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return with_addresses([&] { sim::release_addresses(address, bytes); });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long flags) {
  return with_addresses([&] {
    demand(handle != nullptr && flags == 0);
    judge_properties(properties);
    *handle = sim::create_physical(properties->location.id, bytes,
                                   properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE);
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return with_addresses([&] { sim::release_physical(handle); });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  return with_addresses([&] {
    demand(handle != nullptr);
    *handle = sim::physical_at(address_of(address));
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                CUmemGenericAllocationHandle handle) {
  return with_addresses([&] {
    demand(properties != nullptr);
    *properties = {};
    properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    const sim::PhysicalMemory& memory = sim::memory_of(handle);
    properties->location = {CU_MEM_LOCATION_TYPE_DEVICE, {memory.device}};
    if (memory.shareable)
      properties->requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  });
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return initialised([&] {
    demand(flags == 0 && offset == 0);
    wait_for_team("cuMemMap", handle);
    const std::lock_guard lock(Runtime::get().mutex);
    sim::map_physical(address, bytes, handle);
  });
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return initialised([&] {
    demand(sim::wait_all_devices());  // what is under way may use it
    const std::lock_guard lock(Runtime::get().mutex);
    sim::unmap(address, bytes);
  });
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* access,
                        size_t count) {
  return initialised([&] {
    demand(access != nullptr && count != 0);
    demand(sim::wait_all_devices());
    const std::lock_guard lock(Runtime::get().mutex);
    for (size_t i = 0; i < count; ++i) {
      demand(access[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE);
      demand_device(access[i].location.id);
      const bool reads = access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ;
      const bool writes = access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
      demand(reads || writes || access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
      sim::set_mapped_access(address, bytes, access[i].location.id,
                             writes  ? MappedAccess::read_write
                             : reads ? MappedAccess::read
                                     : MappedAccess::none);
    }
  });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location,
                        CUdeviceptr address) {
  return with_addresses([&] {
    demand(flags != nullptr && location != nullptr);
    demand(location->type == CU_MEM_LOCATION_TYPE_DEVICE);
    demand_device(location->id);
    const MappedAccess access = sim::mapped_access(address, location->id);
    *flags = access == MappedAccess::read_write ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
             : access == MappedAccess::read     ? CU_MEM_ACCESS_FLAGS_PROT_READ
                                                : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  });
}

CUresult cuMemExportToShareableHandle(void* shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
  return with_addresses([&] {
    demand(shareable != nullptr && flags == 0);
    demand_file_descriptor(type, false);
    *static_cast<int*>(shareable) = sim::export_physical(handle);
  });
}

// The descriptor itself is passed, not its address. The program still owns it.
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shareable,
                                        CUmemAllocationHandleType type) {
  return with_addresses([&] {
    demand(handle != nullptr);
    demand_file_descriptor(type, false);
    *handle = sim::import_physical(static_cast<int>(reinterpret_cast<std::intptr_t>(shareable)));
  });
}
