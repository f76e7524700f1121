// CUPTI's activity records, from a library that is loaded at first use: nothing of it is there
// while rungs are timed.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace aisp::lab {

// Path of the CUPTI library that would be used, or "" with the places that were tried in `tried`.
std::string find_cupti(std::string& tried);

// Collects records from its construction to its end. One at a time in a process.
class Activities {
 public:
  struct Options {
    std::vector<CUpti_ActivityKind> needed;    // refused by CUPTI: the construction throws
    std::vector<CUpti_ActivityKind> wanted{};  // refused by CUPTI: goes without
    std::string way_out{};                     // ends the line of a refusal: "leave --trace out"
  };
  // `take` gets every record, one at a time, maybe on a thread of CUPTI's; the record is gone
  // afterwards. Throws one clear line when CUPTI is missing or refuses.
  Activities(const Options& options, std::function<void(const CUpti_Activity&)> take);
  Activities(const Activities&) = delete;
  Activities& operator=(const Activities&) = delete;
  ~Activities();

  // Hands over what is finished. The device must be idle for it to be everything.
  void flush() const;

  // Nanoseconds on the clock of the records.
  std::uint64_t now() const;
  // What records call the stream; 0 where CUPTI does not know. The stream must live.
  std::uint32_t stream_id(CUstream stream) const;
  // Of a runtime call in a record: "cudaStreamSynchronize".
  static std::string call_name(CUpti_CallbackId id);

 private:
  std::vector<CUpti_ActivityKind> enabled_;
};

}  // namespace aisp::lab
