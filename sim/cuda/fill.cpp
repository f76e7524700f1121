// Fills with elements of one, two and four bytes.
#include "sim/runtime/memory/fill.hpp"

#include "sim/cuda/driver.hpp"
#include "sim/runtime/stream/submit_memory.hpp"

using namespace aisp;

using namespace sim::driver;

namespace {

template <class Element>
CUresult fill_rows(CUdeviceptr to, size_t pitch, Element value, size_t width, size_t height,
                   CUstream stream, bool asynchronous) {
  return in_context([&] {
    demand(to % sizeof(Element) == 0);
    demand(height <= 1 || pitch % sizeof(Element) == 0);
    sim::FillCall call = sim::fill_of_rows(pointer_of(to), pitch, 0, width, height);
    call.value = value;
    call.element = sizeof(Element);
    return sim::submit_fill(call, stream, asynchronous);
  });
}

template <class Element>
CUresult fill_row(CUdeviceptr to, Element value, size_t count, CUstream stream, bool asynchronous) {
  return fill_rows(to, count * sizeof(Element), value, count, 1, stream, asynchronous);
}

}  // namespace

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  return fill_row(to, value, count, nullptr, false);
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
  return fill_row(to, value, count, nullptr, false);
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  return fill_row(to, value, count, nullptr, false);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill_row(to, value, count, stream, true);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill_row(to, value, count, stream, true);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill_row(to, value, count, stream, true);
}

CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                         size_t height) {
  return fill_rows(to, pitch, value, width, height, nullptr, false);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                          size_t height) {
  return fill_rows(to, pitch, value, width, height, nullptr, false);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                          size_t height) {
  return fill_rows(to, pitch, value, width, height, nullptr, false);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream) {
  return fill_rows(to, pitch, value, width, height, stream, true);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream) {
  return fill_rows(to, pitch, value, width, height, stream, true);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                            size_t height, CUstream stream) {
  return fill_rows(to, pitch, value, width, height, stream, true);
}
