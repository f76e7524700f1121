// The mbarrier object as it lies in shared memory: 64 bits, opaque to programs.
#pragma once

#include <cstdint>
#include <string>

namespace aisp::sim {

enum class MBarrierAction : std::uint8_t {
  arrive,
  arrive_drop,
  await_more,
  expect_tx,
  complete_tx
};

// bit 63 phase | 62..43 expected arrivals | 42..23 pending arrivals | 22..1 transaction count
// (two's complement) | 0 alive
struct MBarrier {
  bool alive = false;
  bool phase = false;             // parity of the incomplete phase
  std::uint32_t expected = 0;     // arrivals of the next phase, 1 .. 2^20 - 1
  std::uint32_t pending = 0;      // arrivals still missing in this phase
  std::int32_t transactions = 0;  // bytes expected and not yet complete, -(2^20 - 1) .. 2^20 - 1

  static constexpr std::uint32_t max_count = (1u << 20) - 1;
  static MBarrier decode(std::uint64_t bits);
  std::uint64_t encode() const;

  // Each returns false, and changes nothing, when it would leave the object's range (a bug in the
  // program).
  bool init(std::uint32_t count);
  bool arrive(std::uint32_t count);       // may complete the phase
  bool arrive_drop(std::uint32_t count);  // and lowers what later phases expect
  bool await_more(std::uint32_t count);   // cp.async.mbarrier.arrive without .noinc
  // Both may complete the phase: bytes can be complete before anybody expects them.
  bool expect_tx(std::uint32_t bytes);
  bool complete_tx(std::uint32_t bytes);
  // Token of mbarrier.arrive: describes the phase that was current before it.
  std::uint64_t token() const { return encode(); }
  static bool phase_of_token(std::uint64_t token) { return token >> 63 != 0; }
  bool complete_since(bool parity) const { return phase != parity; }
  // Nothing has arrived in this phase, and no bytes are announced.
  bool is_untouched() const { return pending == expected && transactions == 0; }
  // "1 of 2 arrivals and 128 bytes missing", "0 of 2 arrivals missing and 128 bytes too many"
  std::string balance() const;

 private:
  void finish_if_done();
};

}  // namespace aisp::sim
