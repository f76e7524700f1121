#include "chapters/ch14/l2_bypass/launch.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "chapters/ch14/l2_bypass/records.hpp"

namespace aisp::ch14 {
namespace {

std::int64_t attribute(cudaDeviceAttr which, const char* what) {
  int device = 0, value = 0;
  lab::check_cuda(cudaGetDevice(&device), what);
  lab::check_cuda(cudaDeviceGetAttribute(&value, which, device), what);
  return value;
}

// A window that is larger than the part set aside would push its own lines out: then a share of
// them persists, always the same ones.
cudaLaunchAttribute window_of(const void* hot, std::int64_t bytes, std::int64_t set_aside) {
  cudaLaunchAttribute made{};
  made.id = cudaLaunchAttributeAccessPolicyWindow;
  auto& window = made.val.accessPolicyWindow;
  window.base_ptr = const_cast<void*>(hot);
  window.num_bytes = static_cast<std::size_t>(bytes);
  window.hitRatio = std::min(1.0f, static_cast<float>(set_aside) / static_cast<float>(bytes));
  window.hitProp = cudaAccessPropertyPersisting;
  window.missProp = cudaAccessPropertyStreaming;
  return made;
}

}  // namespace

lab::Run run_beside(lab::Setup& setup, BesideKernel* kernel, Window window) {
  const std::int64_t hot_bytes = setup.problem().inputs.at(1).bytes();
  std::int64_t set_aside = 0;
  if (window == Window::hot_set) {
    const std::int64_t widest =
        attribute(cudaDevAttrMaxAccessPolicyWindowSize, "largest access-policy window");
    if (hot_bytes > widest)
      base::refuse(base::Exit::usage, "l2_bypass: a hot set of ", hot_bytes,
                   " bytes is larger than the device's access-policy window of ", widest);
    // Not all that can be: what is left to the stream then costs more than the lines are worth.
    set_aside = attribute(cudaDevAttrMaxPersistingL2CacheSize, "L2 that can be set aside") / 4 * 3;
  }
  setup.before_each_run([set_aside](const lab::Launch&) {
    lab::check_cuda(cudaCtxResetPersistingL2Cache(), "l2_bypass: persisting lines of L2");
    lab::check_cuda(
        cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<std::size_t>(set_aside)),
        "l2_bypass: L2 set aside");
  });
  return [=](const lab::Launch& launch) {
    auto* stream = launch.in<uint4>(0);
    auto* hot = launch.in<uint4>(1);
    auto* y = launch.out<uint4>(0);
    auto groups = static_cast<std::uint32_t>(launch.problem.inputs.at(0).bytes() / group_bytes);
    auto lines = static_cast<std::uint32_t>(hot_bytes / line_bytes);
    void* arguments[] = {&stream, &hot, &y, &groups, &lines};
    cudaLaunchAttribute attribute = window_of(hot, hot_bytes, set_aside);
    cudaLaunchConfig_t config{};
    config.gridDim = (groups - 1) / beside_warps + 1;
    config.blockDim = beside_threads;
    config.stream = launch.stream;
    config.attrs = &attribute;
    config.numAttrs = window == Window::none ? 0 : 1;
    lab::check_cuda(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), arguments),
                    "l2_bypass");
  };
}

}  // namespace aisp::ch14
