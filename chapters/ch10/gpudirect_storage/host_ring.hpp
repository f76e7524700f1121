// The ring through pinned host memory: readers fill slots, one stream copies a slot to the device
// and another multiplies what came before.
#pragma once

#include "chapters/ch10/common/copy_stream.hpp"
#include "chapters/ch10/gpudirect_storage/batches.hpp"
#include "chapters/ch10/gpudirect_storage/input_file.hpp"
#include "chapters/ch10/gpudirect_storage/ring.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch10 {

class HostRing {
 public:
  HostRing(lab::Setup& setup, int slots, int readers);

  void plan(const lab::Launch& launch) { products_.plan(launch); }  // not timed
  void run(const lab::Launch& launch, const File& file, std::int64_t bytes);
  // "reads of 4.194 MB, 8 at once"
  std::string description() const;

 private:
  Ring ring_;
  PinnedMemory host_;
  char* device_;
  CopyStream copies_;
  BatchProducts products_;
};

}  // namespace aisp::ch10
