// The error codes are those that driver 580 gives on an H200: everything that is wrong with grid,
// block and shared memory is an invalid value.
#include "sim/runtime/launch/make_call.hpp"

#include <algorithm>
#include <cstring>

#include "sim/launch/multiprocessors.hpp"
#include "sim/runtime/launch/dimensions_text.hpp"
#include "sim/runtime/state/device.hpp"
#include "sim/runtime/stream/streams.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint32_t most_block_threads = 1024;

void check_grid(const cudaLaunchConfig_t& config) {
  const dim3 grid = config.gridDim;
  const bool fits = grid.x >= 1 && grid.y >= 1 && grid.z >= 1 && grid.x <= 0x7fffffffu &&
                    grid.y <= 65535 && grid.z <= 65535;
  require_because(fits, cudaErrorInvalidValue, "a grid of ", dimensions_text(grid),
                  " blocks, of which 1 to 2147483647, 65535 and 65535 are allowed");
}

void check_block(const cudaLaunchConfig_t& config, Kernel& kernel) {
  const dim3 block = config.blockDim;
  const Routine& routine = kernel.routine();
  const bool fits = block.x >= 1 && block.y >= 1 && block.z >= 1 && block.x <= most_block_threads &&
                    block.y <= most_block_threads && block.z <= 64;
  require_because(fits, cudaErrorInvalidValue, "a block of ", dimensions_text(block),
                  " threads, of which 1 to 1024, 1024 and 64 are allowed");
  const std::uint32_t threads = block.x * block.y * block.z;
  require_because(threads <= most_block_threads, cudaErrorInvalidValue, "a block of ", threads,
                  " threads, at most ", most_block_threads);
  require_because(
      routine.max_threads == 0 || threads <= static_cast<std::uint32_t>(routine.max_threads),
      cudaErrorInvalidValue, "a block of ", threads, " threads, at most ", routine.max_threads,
      " by the kernel's __launch_bounds__");
  if (routine.required_threads[0] != 0) {
    const auto asked = [&](int axis) {
      return static_cast<std::uint32_t>(std::max(1, routine.required_threads[axis]));
    };
    require_because(block.x == asked(0) && block.y == asked(1) && block.z == asked(2),
                    cudaErrorInvalidValue, "a block of ", dimensions_text(block),
                    " threads, the kernel is compiled for ",
                    dimensions_text(dim3(asked(0), asked(1), asked(2))), " (.reqntid)");
  }
  const Runtime& runtime = Runtime::get();
  require_because(occupancy(runtime.model, routine, threads, 0).blocks_per_sm >= 1,
                  cudaErrorLaunchOutOfResources, "a block of ", threads, " threads with ",
                  routine.registers_32, " registers each and ", routine.static_shared,
                  " bytes of static shared memory, a multiprocessor has ",
                  runtime.model.registers_per_sm, " registers and ", runtime.model.shared_per_sm,
                  " bytes");
}

void check_shared(const cudaLaunchConfig_t& config, Kernel& kernel) {
  const auto most = static_cast<std::size_t>(std::max(0, dynamic_shared_limit(kernel)));
  const Runtime& runtime = Runtime::get();
  require_because(config.dynamicSmemBytes <= most, cudaErrorInvalidValue, config.dynamicSmemBytes,
                  " bytes of dynamic shared memory, at most ", most,
                  "; cudaFuncAttributeMaxDynamicSharedMemorySize raises that to ",
                  runtime.model.shared_per_block_optin -
                      static_cast<std::int64_t>(kernel.routine().static_shared));
}

Dim3 whole(const int (&dims)[3]) {
  const auto at = [&](int axis) { return static_cast<std::uint32_t>(std::max(1, dims[axis])); };
  return {at(0), at(1), at(2)};
}

bool same(const Dim3& a, const Dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

void check_cluster(const KernelCall& call, Kernel& kernel) {
  const DeviceModel& model = Runtime::get().model;
  const Dim3 &grid = call.config.grid, &cluster = call.config.cluster;
  const int most =
      kernel.attributes().non_portable_cluster ? model.max_cluster_nonportable : model.max_cluster;
  require_because(cluster.count() <= static_cast<std::uint64_t>(most), cudaErrorInvalidClusterSize,
                  "a cluster of ", cluster.count(), " blocks, at most ", most);
  require_because(grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0,
                  cudaErrorInvalidClusterSize, "a grid of ", dimensions_text(grid),
                  " blocks, which is no multiple of its clusters of ", dimensions_text(cluster));
}

void apply(const cudaLaunchAttribute& attribute, KernelCall& call) {
  const cudaLaunchAttributeValue& value = attribute.val;
  switch (attribute.id) {
    case cudaLaunchAttributeClusterDimension:
      if (value.clusterDim.x == 0 || value.clusterDim.y == 0 || value.clusterDim.z == 0) return;
      call.config.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
      call.config.explicit_cluster = true;
      return;
    case cudaLaunchAttributeCooperative:
      call.config.cooperative = value.cooperative != 0;
      return;
    case cudaLaunchAttributeProgrammaticStreamSerialization:
      call.programmatic = value.programmaticStreamSerializationAllowed != 0;
      return;
    case cudaLaunchAttributeAccessPolicyWindow:
      return require_window(value.accessPolicyWindow);
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeProgrammaticEvent:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredClusterDimension:
    case cudaLaunchAttributeLaunchCompletionEvent:
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
    case cudaLaunchAttributeNvlinkUtilCentricScheduling:
      return;  // hints, or for the stream to act upon
    default:
      throw ApiError{cudaErrorInvalidValue};
  }
}

void pack(const Routine& routine, void** args, std::vector<std::byte>& params) {
  params.assign(routine.param_bytes, std::byte{0});
  require(routine.params.empty() || args != nullptr);
  for (std::size_t i = 0; i < routine.params.size(); ++i) {
    const ParamSlot& slot = routine.params[i];
    require(args[i] != nullptr);
    std::memcpy(params.data() + slot.offset, args[i], slot.bytes);
  }
}

}  // namespace

int dynamic_shared_limit(Kernel& kernel) {
  if (const int set = kernel.attributes().max_dynamic_shared; set >= 0) return set;
  return static_cast<int>(Runtime::get().model.shared_per_block) -
         static_cast<int>(kernel.routine().static_shared);
}

Dim3 required_cluster(Kernel& kernel) {
  const Routine& routine = kernel.routine();
  if (routine.required_cluster[0] != 0) return whole(routine.required_cluster);
  const auto& own = kernel.attributes().required_cluster;
  return own[0] != 0 || own[1] != 0 || own[2] != 0 ? whole(own) : Dim3{0, 0, 0};
}

KernelCall make_call(const cudaLaunchConfig_t& config, Kernel& kernel, void** args) {
  check_grid(config);
  check_block(config, kernel);
  check_shared(config, kernel);
  KernelCall call;
  call.kernel = &kernel;
  call.part = part_of_stream(config.stream);
  const DeviceModel& model = call.part ? call.part->model : Runtime::get().model;
  call.config.device = current_device();
  call.config.grid = {config.gridDim.x, config.gridDim.y, config.gridDim.z};
  call.config.block = {config.blockDim.x, config.blockDim.y, config.blockDim.z};
  call.config.stack_bytes = stack_limit();
  call.config.dynamic_shared = static_cast<std::uint32_t>(config.dynamicSmemBytes);
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    apply(config.attrs[i], call);
    call.attributes.push_back(config.attrs[i]);
  }
  if (const Dim3 required = required_cluster(kernel); required.count() != 0) {
    require_because(!call.config.explicit_cluster || same(call.config.cluster, required),
                    cudaErrorInvalidClusterSize, "a cluster of ",
                    dimensions_text(call.config.cluster), " blocks, the kernel asks for ",
                    dimensions_text(required));
    call.config.cluster = required;
    call.config.explicit_cluster = true;
  }
  check_cluster(call, kernel);
  if (call.config.cooperative) {
    const auto resident = static_cast<std::uint64_t>(
        occupancy(model, kernel.routine(), static_cast<std::uint32_t>(call.config.block.count()),
                  call.config.dynamic_shared)
            .resident_blocks);
    require_because(call.config.grid.count() <= resident, cudaErrorCooperativeLaunchTooLarge,
                    "a cooperative grid of ", call.config.grid.count(), " blocks, the ",
                    call.part ? "green context" : "device", " holds ", resident, " at once");
  }
  pack(kernel.routine(), args, call.params);
  call.multiprocessors = multiprocessors_of(model, kernel.routine(), call.config);
  return call;
}

}  // namespace aisp::sim
