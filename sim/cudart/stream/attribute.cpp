// Attributes of streams.
#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/streams.hpp"

using namespace aisp;

using sim::locked_api;
using sim::require;
using sim::Streams;

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue* value) {
  return locked_api([&] {
    require(value != nullptr);
    sim::set_attribute(Streams::get().find(handle), attribute, *value);
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value) {
  return locked_api([&] {
    require(value != nullptr);
    sim::read_attribute(Streams::get().find(handle), attribute, *value);
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return locked_api([&] {
    Streams& streams = Streams::get();
    sim::copy_attributes(streams.find(to), streams.find(from));
  });
}
