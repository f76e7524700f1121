// The ring that reads past the page cache: what two rungs share.
#pragma once

#include "chapters/ch10/gpudirect_storage/host_ring.hpp"

namespace aisp::ch10 {

// The disk puts the bytes into pinned memory itself; reading ahead, which the cache did, becomes
// several reads at once. Where the file system has no such reads, through the cache, and says so.
class DirectRing {
 public:
  explicit DirectRing(lab::Setup& setup) : ring_(setup, direct_slots, direct_readers) {}

  void plan(const lab::Launch& launch) { ring_.plan(launch); }  // not timed
  void run(const lab::Launch& launch, const InputFile& file) {
    ring_.run(launch, file.past_cache(), file.bytes());
  }
  std::string path(const InputFile& file) const {
    const bool direct = file.why_not_direct().empty();
    return (direct ? "O_DIRECT, pinned ring, " : "page cache, pinned ring, ") +
           ring_.description() + (direct ? "" : " (" + file.why_not_direct() + ")");
  }

 private:
  HostRing ring_;
};

}  // namespace aisp::ch10
