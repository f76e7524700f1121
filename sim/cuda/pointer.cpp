// What the driver says about an address.
#include <algorithm>
#include <cstring>

#include "sim/cuda/driver.hpp"

using namespace aisp;

using namespace sim::driver;
using sim::Allocation;
using sim::MemoryKind;
using sim::Runtime;

namespace {

template <class Value>
void give_value(void* to, Value value) {
  std::memcpy(to, &value, sizeof value);
}

bool on_host_side(const Allocation& allocation) { return allocation.kind == MemoryKind::pinned; }

// False: there is no such attribute of this memory.
bool read_pointer_attribute(void* to, CUpointer_attribute attribute, const Allocation& allocation,
                            CUdeviceptr address) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      give_value(to, reinterpret_cast<CUcontext>(&sim::primary_context(allocation.device)));
      return true;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      give_value<unsigned>(to,
                           on_host_side(allocation) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
      return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      give_value(to, address);
      return true;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!on_host_side(allocation) && allocation.kind != MemoryKind::managed) return false;
      give_value(to, pointer_of(address));
      return true;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      give_value(to, 0u);
      return true;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      give_value(to, static_cast<unsigned long long>(allocation.id));
      return true;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      give_value<unsigned>(to, allocation.kind == MemoryKind::managed);
      return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      give_value(to, allocation.device);
      return true;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      give_value(to, 0u);
      return true;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      give_value(to, static_cast<CUdeviceptr>(allocation.base));
      return true;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      give_value(to, static_cast<std::size_t>(allocation.bytes));
      return true;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      give_value(to, 1u);
      return true;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      give_value(to, std::uint64_t{CU_MEM_HANDLE_TYPE_NONE});
      return true;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      give_value<unsigned>(to, allocation.read_only ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ
                                                    : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
      return true;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      give_value<CUmemoryPool>(to, nullptr);
      return true;
    default:
      return false;
  }
}

std::size_t bytes_of_attribute(CUpointer_attribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return sizeof(unsigned);
    default:
      return sizeof(void*);
  }
}

}  // namespace

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  return initialised([&] {
    demand(value != nullptr);
    const auto found = Runtime::get().memory.find(address);
    demand(found.has_value());
    demand(read_pointer_attribute(value, attribute, *found, address));
  });
}

// Memory that is not CUDA's is no error here: every value is zero, an ordinal the invalid one.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr address) {
  return initialised([&] {
    demand(count != 0 && attributes != nullptr && values != nullptr);
    const auto found = Runtime::get().memory.find(address);
    for (unsigned i = 0; i < count; ++i) {
      if (found && read_pointer_attribute(values[i], attributes[i], *found, address)) continue;
      std::memset(values[i], 0, bytes_of_attribute(attributes[i]));
      if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
        give_value<int>(values[i], CU_DEVICE_INVALID);
    }
  });
}

// Copies of such memory always wait here, which the attribute asks for.
CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute,
                               CUdeviceptr address) {
  return in_context([&] {
    demand(value != nullptr && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);
    demand(Runtime::get().memory.find(address).has_value());
  });
}
