// Multicast objects. Their handles are those of virtual memory management, and do not leave the
// process either.
#include "sim/cuda/multicast.hpp"

#include "base/refuse.hpp"
#include "sim/runtime/memory/multicast.hpp"
#include "sim/runtime/memory/virtual_memory.hpp"
#include "sim/runtime/stream/other_threads.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using namespace sim::driver;
using sim::Runtime;

namespace {

void demand_supported(CUdevice device) {
  demand_device(device);
  demand(Runtime::get().model.major >= 9, CUDA_ERROR_NOT_SUPPORTED);
}

void judge_properties(const CUmulticastObjectProp* properties) {
  demand_supported(0);
  demand(properties != nullptr && properties->flags == 0 && properties->numDevices != 0);
  const int devices = Runtime::get().model.devices;
  if (properties->numDevices <= static_cast<unsigned>(devices)) return;
  Runtime::get().note_once(base::say("a multicast object of ", properties->numDevices,
                                     " devices: ", devices,
                                     " are simulated (AISP_SIM_DEVICE=...,gpus=N has N of them)"));
  throw DriverError{CUDA_ERROR_INVALID_VALUE};
}

template <class Body>
CUresult with_team(const char* call, CUmemGenericAllocationHandle handle, Body body) {
  return initialised([&] {
    wait_for_team(call, handle);
    const std::lock_guard lock(Runtime::get().mutex);
    body();
  });
}

}  // namespace

void sim::driver::wait_for_team(const char* call, CUmemGenericAllocationHandle handle) {
  const auto missing = [&] {
    const std::lock_guard lock(Runtime::get().mutex);
    return sim::missing_devices(handle);
  };
  sim::wait_while_others_run([&] { return missing().any(); });
  const sim::MissingDevices left = missing();
  if (!left.any()) return;
  Runtime::get().note(base::say(
      call, ": ", left.added, " of ", left.devices, " devices have been added to multicast object ",
      handle, ", and no thread is about to add one: a GPU's driver would wait for ever; call ",
      "cuMulticastAddDevice for all of them first"));
  throw DriverError{CUDA_ERROR_ILLEGAL_STATE};
}

CUresult cuMulticastCreate(CUmemGenericAllocationHandle* handle,
                           const CUmulticastObjectProp* properties) {
  return initialised([&] {
    demand(handle != nullptr);
    judge_properties(properties);
    const std::lock_guard lock(Runtime::get().mutex);
    *handle = sim::create_multicast(properties->numDevices, properties->size);
  });
}

CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle handle, CUdevice device) {
  return initialised([&] {
    demand_supported(device);
    const std::lock_guard lock(Runtime::get().mutex);
    sim::add_to_multicast(handle, device);
  });
}

CUresult cuMulticastBindMem(CUmemGenericAllocationHandle handle, size_t offset,
                            CUmemGenericAllocationHandle memory, size_t memory_offset, size_t bytes,
                            unsigned long long flags) {
  return with_team("cuMulticastBindMem", handle, [&] {
    demand(flags == 0);
    sim::bind_to_multicast(handle, offset, memory, memory_offset, bytes);
  });
}

CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle handle, size_t offset,
                             CUdeviceptr address, size_t bytes, unsigned long long flags) {
  return with_team("cuMulticastBindAddr", handle, [&] {
    demand(flags == 0);
    if (Runtime::get().memory.find(address) && !sim::is_of_program(address)) {
      Runtime::get().note_once(
          "cuMulticastBindAddr of memory that cuMemCreate has not made is not supported by the "
          "simulator: map some with cuMemMap and bind that");
      throw DriverError{CUDA_ERROR_NOT_SUPPORTED};
    }
    sim::bind_address_to_multicast(handle, offset, address, bytes);
  });
}

CUresult cuMulticastUnbind(CUmemGenericAllocationHandle handle, CUdevice device, size_t offset,
                           size_t bytes) {
  return initialised([&] {
    demand_device(device);
    demand(sim::wait_all_devices());  // what is under way may use it
    const std::lock_guard lock(Runtime::get().mutex);
    sim::unbind_from_multicast(handle, device, offset, bytes);
  });
}

CUresult cuMulticastGetGranularity(size_t* bytes, const CUmulticastObjectProp* properties,
                                   CUmulticastGranularity_flags option) {
  return initialised([&] {
    demand(bytes != nullptr && (option == CU_MULTICAST_GRANULARITY_MINIMUM ||
                                option == CU_MULTICAST_GRANULARITY_RECOMMENDED));
    judge_properties(properties);
    *bytes = sim::mapping_unit;
  });
}
