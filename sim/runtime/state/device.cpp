#include "sim/runtime/state/device.hpp"

#include <cstdio>
#include <cstring>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

// Fixed, and another one for every model and device.
cudaUUID_t uuid_of(const DeviceModel& model, int device) {
  cudaUUID_t uuid{};
  // FNV-1a over the key, sixteen times
  std::uint64_t hash = 0xcbf29ce484222325ull + static_cast<std::uint64_t>(device);
  for (char& byte : uuid.bytes) {
    for (const char c : model.key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    byte = static_cast<char>(hash >> 32);
  }
  return uuid;
}

}  // namespace

std::string bus_id(int device) {
  char text[24];
  std::snprintf(text, sizeof text, "0000:%02x:00.0", bus_of(device));
  return text;
}

DeviceOptions::DeviceOptions() {
  limits[cudaLimitPersistingL2CacheSize] =
      static_cast<std::size_t>(Runtime::get().model.persisting_l2_bytes) * 3 / 10;
}

DeviceOptions& device_options() {
  static auto* const all = new DeviceOptions[most_devices];
  return all[current_device()];
}

void require_window(const cudaAccessPolicyWindow& window) {
  const int widest =
      attribute_of(Runtime::get().model, cudaDevAttrMaxAccessPolicyWindowSize, current_device());
  require_because(window.hitRatio >= 0 && window.hitRatio <= 1, cudaErrorInvalidValue,
                  "an access-policy window with a hit ratio of ", window.hitRatio,
                  ", which is 0 to 1");
  require_because(window.missProp != cudaAccessPropertyPersisting, cudaErrorInvalidValue,
                  "an access-policy window whose misses persist; they are normal or streaming");
  require_because(window.num_bytes <= static_cast<std::size_t>(widest), cudaErrorInvalidValue,
                  "an access-policy window of ", window.num_bytes, " bytes, at most ", widest);
}

std::size_t persisting_limit(std::size_t wanted) {
  const auto most = static_cast<std::size_t>(Runtime::get().model.persisting_l2_bytes);
  const std::size_t step = most / 10;
  require_because(wanted <= most, cudaErrorInvalidValue, wanted,
                  " bytes of L2 for persisting lines, at most ", most);
  return step == 0 ? wanted : (wanted + step - 1) / step * step;
}

std::uint32_t stack_limit() {
  DeviceOptions& options = device_options();
  const std::lock_guard lock(options.mutex);
  return static_cast<std::uint32_t>(options.limits[cudaLimitStackSize]);
}

int attribute_of(const DeviceModel& model, cudaDeviceAttr attribute, int device) {
  switch (static_cast<int>(attribute)) {
#define AISP_ATTRIBUTE(enumerator, value) \
  case static_cast<int>(enumerator):      \
    return static_cast<int>(value);
#include "sim/runtime/state/device_attributes.inc"
#undef AISP_ATTRIBUTE
    default:
      throw ApiError{cudaErrorInvalidValue};
  }
}

cudaDeviceProp properties_of(const DeviceModel& model, int device) {
  cudaDeviceProp p{};
  const auto get = [&](cudaDeviceAttr attribute) { return attribute_of(model, attribute, device); };
  const auto set = [&](auto& field, cudaDeviceAttr attribute) {
    field = static_cast<std::remove_reference_t<decltype(field)>>(get(attribute));
  };
  std::strncpy(p.name, model.name.c_str(), sizeof p.name - 1);
  p.uuid = uuid_of(model, device);
  p.totalGlobalMem = static_cast<size_t>(model.memory_bytes);
  set(p.sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock);
  set(p.regsPerBlock, cudaDevAttrMaxRegistersPerBlock);
  set(p.warpSize, cudaDevAttrWarpSize);
  set(p.memPitch, cudaDevAttrMaxPitch);
  set(p.maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock);
  set(p.maxThreadsDim[0], cudaDevAttrMaxBlockDimX);
  set(p.maxThreadsDim[1], cudaDevAttrMaxBlockDimY);
  set(p.maxThreadsDim[2], cudaDevAttrMaxBlockDimZ);
  set(p.maxGridSize[0], cudaDevAttrMaxGridDimX);
  set(p.maxGridSize[1], cudaDevAttrMaxGridDimY);
  set(p.maxGridSize[2], cudaDevAttrMaxGridDimZ);
  set(p.totalConstMem, cudaDevAttrTotalConstantMemory);
  set(p.major, cudaDevAttrComputeCapabilityMajor);
  set(p.minor, cudaDevAttrComputeCapabilityMinor);
  set(p.textureAlignment, cudaDevAttrTextureAlignment);
  set(p.texturePitchAlignment, cudaDevAttrTexturePitchAlignment);
  set(p.multiProcessorCount, cudaDevAttrMultiProcessorCount);
  set(p.integrated, cudaDevAttrIntegrated);
  set(p.canMapHostMemory, cudaDevAttrCanMapHostMemory);
  set(p.maxTexture1D, cudaDevAttrMaxTexture1DWidth);
  set(p.maxTexture1DMipmap, cudaDevAttrMaxTexture1DMipmappedWidth);
  set(p.maxTexture2D[0], cudaDevAttrMaxTexture2DWidth);
  set(p.maxTexture2D[1], cudaDevAttrMaxTexture2DHeight);
  set(p.maxTexture2DMipmap[0], cudaDevAttrMaxTexture2DMipmappedWidth);
  set(p.maxTexture2DMipmap[1], cudaDevAttrMaxTexture2DMipmappedHeight);
  set(p.maxTexture2DLinear[0], cudaDevAttrMaxTexture2DLinearWidth);
  set(p.maxTexture2DLinear[1], cudaDevAttrMaxTexture2DLinearHeight);
  set(p.maxTexture2DLinear[2], cudaDevAttrMaxTexture2DLinearPitch);
  set(p.maxTexture2DGather[0], cudaDevAttrMaxTexture2DGatherWidth);
  set(p.maxTexture2DGather[1], cudaDevAttrMaxTexture2DGatherHeight);
  set(p.maxTexture3D[0], cudaDevAttrMaxTexture3DWidth);
  set(p.maxTexture3D[1], cudaDevAttrMaxTexture3DHeight);
  set(p.maxTexture3D[2], cudaDevAttrMaxTexture3DDepth);
  set(p.maxTexture3DAlt[0], cudaDevAttrMaxTexture3DWidthAlt);
  set(p.maxTexture3DAlt[1], cudaDevAttrMaxTexture3DHeightAlt);
  set(p.maxTexture3DAlt[2], cudaDevAttrMaxTexture3DDepthAlt);
  set(p.maxTextureCubemap, cudaDevAttrMaxTextureCubemapWidth);
  set(p.maxTexture1DLayered[0], cudaDevAttrMaxTexture1DLayeredWidth);
  set(p.maxTexture1DLayered[1], cudaDevAttrMaxTexture1DLayeredLayers);
  set(p.maxTexture2DLayered[0], cudaDevAttrMaxTexture2DLayeredWidth);
  set(p.maxTexture2DLayered[1], cudaDevAttrMaxTexture2DLayeredHeight);
  set(p.maxTexture2DLayered[2], cudaDevAttrMaxTexture2DLayeredLayers);
  set(p.maxTextureCubemapLayered[0], cudaDevAttrMaxTextureCubemapLayeredWidth);
  set(p.maxTextureCubemapLayered[1], cudaDevAttrMaxTextureCubemapLayeredLayers);
  set(p.maxSurface1D, cudaDevAttrMaxSurface1DWidth);
  set(p.maxSurface2D[0], cudaDevAttrMaxSurface2DWidth);
  set(p.maxSurface2D[1], cudaDevAttrMaxSurface2DHeight);
  set(p.maxSurface3D[0], cudaDevAttrMaxSurface3DWidth);
  set(p.maxSurface3D[1], cudaDevAttrMaxSurface3DHeight);
  set(p.maxSurface3D[2], cudaDevAttrMaxSurface3DDepth);
  set(p.maxSurface1DLayered[0], cudaDevAttrMaxSurface1DLayeredWidth);
  set(p.maxSurface1DLayered[1], cudaDevAttrMaxSurface1DLayeredLayers);
  set(p.maxSurface2DLayered[0], cudaDevAttrMaxSurface2DLayeredWidth);
  set(p.maxSurface2DLayered[1], cudaDevAttrMaxSurface2DLayeredHeight);
  set(p.maxSurface2DLayered[2], cudaDevAttrMaxSurface2DLayeredLayers);
  set(p.maxSurfaceCubemap, cudaDevAttrMaxSurfaceCubemapWidth);
  set(p.maxSurfaceCubemapLayered[0], cudaDevAttrMaxSurfaceCubemapLayeredWidth);
  set(p.maxSurfaceCubemapLayered[1], cudaDevAttrMaxSurfaceCubemapLayeredLayers);
  set(p.surfaceAlignment, cudaDevAttrSurfaceAlignment);
  set(p.concurrentKernels, cudaDevAttrConcurrentKernels);
  set(p.ECCEnabled, cudaDevAttrEccEnabled);
  set(p.pciBusID, cudaDevAttrPciBusId);
  set(p.pciDeviceID, cudaDevAttrPciDeviceId);
  set(p.pciDomainID, cudaDevAttrPciDomainId);
  set(p.tccDriver, cudaDevAttrTccDriver);
  set(p.asyncEngineCount, cudaDevAttrAsyncEngineCount);
  set(p.unifiedAddressing, cudaDevAttrUnifiedAddressing);
  set(p.memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth);
  set(p.l2CacheSize, cudaDevAttrL2CacheSize);
  set(p.persistingL2CacheMaxSize, cudaDevAttrMaxPersistingL2CacheSize);
  set(p.maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor);
  set(p.streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported);
  set(p.globalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported);
  set(p.localL1CacheSupported, cudaDevAttrLocalL1CacheSupported);
  set(p.sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  set(p.regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor);
  set(p.managedMemory, cudaDevAttrManagedMemory);
  set(p.isMultiGpuBoard, cudaDevAttrIsMultiGpuBoard);
  set(p.multiGpuBoardGroupID, cudaDevAttrMultiGpuBoardGroupID);
  set(p.hostNativeAtomicSupported, cudaDevAttrHostNativeAtomicSupported);
  set(p.pageableMemoryAccess, cudaDevAttrPageableMemoryAccess);
  set(p.concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess);
  set(p.computePreemptionSupported, cudaDevAttrComputePreemptionSupported);
  set(p.canUseHostPointerForRegisteredMem, cudaDevAttrCanUseHostPointerForRegisteredMem);
  set(p.cooperativeLaunch, cudaDevAttrCooperativeLaunch);
  set(p.sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  set(p.pageableMemoryAccessUsesHostPageTables, cudaDevAttrPageableMemoryAccessUsesHostPageTables);
  set(p.directManagedMemAccessFromHost, cudaDevAttrDirectManagedMemAccessFromHost);
  set(p.maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor);
  set(p.accessPolicyMaxWindowSize, cudaDevAttrMaxAccessPolicyWindowSize);
  set(p.reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock);
  set(p.hostRegisterSupported, cudaDevAttrHostRegisterSupported);
  set(p.sparseCudaArraySupported, cudaDevAttrSparseCudaArraySupported);
  set(p.hostRegisterReadOnlySupported, cudaDevAttrHostRegisterReadOnlySupported);
  set(p.timelineSemaphoreInteropSupported, cudaDevAttrTimelineSemaphoreInteropSupported);
  set(p.memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported);
  set(p.gpuDirectRDMASupported, cudaDevAttrGPUDirectRDMASupported);
  set(p.gpuDirectRDMAFlushWritesOptions, cudaDevAttrGPUDirectRDMAFlushWritesOptions);
  set(p.gpuDirectRDMAWritesOrdering, cudaDevAttrGPUDirectRDMAWritesOrdering);
  set(p.memoryPoolSupportedHandleTypes, cudaDevAttrMemoryPoolSupportedHandleTypes);
  set(p.deferredMappingCudaArraySupported, cudaDevAttrDeferredMappingCudaArraySupported);
  set(p.ipcEventSupported, cudaDevAttrIpcEventSupport);
  set(p.clusterLaunch, cudaDevAttrClusterLaunch);
  p.unifiedFunctionPointers = 1;
  set(p.deviceNumaConfig, cudaDevAttrNumaConfig);
  set(p.deviceNumaId, cudaDevAttrNumaId);
  set(p.mpsEnabled, cudaDevAttrMpsEnabled);
  set(p.hostNumaId, cudaDevAttrHostNumaId);
  set(p.gpuPciDeviceID, cudaDevAttrGpuPciDeviceId);
  set(p.gpuPciSubsystemID, cudaDevAttrGpuPciSubsystemId);
  set(p.hostNumaMultinodeIpcSupported, cudaDevAttrHostNumaMultinodeIpcSupported);
  return p;
}

}  // namespace aisp::sim
