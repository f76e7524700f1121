#include "sim/runtime/memory/fill.hpp"

#include <cstring>

#include "sim/runtime/memory/pointer.hpp"
#include "sim/runtime/state/host_watch.hpp"
#include "sim/runtime/state/runtime.hpp"
#include "sim/watch/host/page_guards.hpp"

namespace aisp::sim {

FillCall fill_of_rows(void* to, std::size_t pitch, int value, std::size_t width,
                      std::size_t height) {
  FillCall call;
  call.to = to;
  call.value = static_cast<std::uint8_t>(value);
  call.width = width;
  call.height = height;
  call.pitch = pitch;
  call.plane = pitch * height;
  return call;
}

FillCall fill_of_planes(const cudaPitchedPtr& to, int value, const cudaExtent& extent) {
  FillCall call = fill_of_rows(to.ptr, to.pitch, value, extent.width, extent.height);
  call.depth = extent.depth;
  call.plane = to.pitch * to.ysize;
  return call;
}

void judge(const FillCall& call) {
  require(call.element == 1 || call.element == 2 || call.element == 4);
  if (call.bytes() == 0) return;
  const std::size_t width = call.width * call.element;
  require(call.height == 1 || call.pitch >= width);
  require_device(call.to, extent_of(width, call.height, call.depth, call.pitch, call.plane));
}

double perform(const FillCall& call) {
  auto* to = static_cast<std::byte*>(call.to);
  for (std::size_t plane = 0; plane < call.depth; ++plane)
    for (std::size_t row = 0; row < call.height; ++row) {
      std::byte* at = to + plane * call.plane + row * call.pitch;
      if (host_watch() != nullptr) {
        watch::PageGuards::get().fill(at, call.value, call.element, call.width);
      } else if (call.element == 1) {
        std::memset(at, static_cast<int>(call.value), call.width);
      } else {
        for (std::size_t i = 0; i < call.width; ++i)
          std::memcpy(at + i * call.element, &call.value, call.element);
      }
    }
  return copy_latency + static_cast<double>(call.bytes()) / Runtime::get().model.copy_gb_per_s;
}

}  // namespace aisp::sim
