// The rungs whose threads copy tiles themselves, as the host prepares them.
#pragma once

#include "chapters/ch11/kv_prefetch_pipeline/page_copy.cuh"
#include "chapters/ch11/kv_prefetch_pipeline/run.cuh"

namespace aisp::ch11::kv {

template <class Shared>
lab::Run prepare_copying(lab::Setup& setup, void (*kernel)(CopyParams)) {
  return prepare_decode(
      setup, tile::device::Kernel<CopyParams>{kernel, math_threads, shared_bytes<Shared>},
      [](const AttentionProblem& attention, const Pages& pages, const Work& work) {
        return CopyParams{static_cast<const char*>(attention.k.data),
                          static_cast<const char*>(attention.v.data), pages, work};
      });
}

}  // namespace aisp::ch11::kv
