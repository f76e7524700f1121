#include "sim/machine/mbarrier.hpp"

#include "base/refuse.hpp"

namespace aisp::sim {
namespace {

constexpr int phase_bit = 63, expected_bit = 43, pending_bit = 23, transactions_bit = 1;
constexpr std::uint64_t count_mask = MBarrier::max_count, transactions_mask = (1u << 22) - 1;

bool in_range(std::int64_t transactions) {
  constexpr std::int64_t limit = MBarrier::max_count;
  return -limit <= transactions && transactions <= limit;
}

}  // namespace

MBarrier MBarrier::decode(std::uint64_t bits) {
  MBarrier object;
  object.alive = (bits & 1) != 0;
  object.phase = bits >> phase_bit != 0;
  object.expected = static_cast<std::uint32_t>(bits >> expected_bit & count_mask);
  object.pending = static_cast<std::uint32_t>(bits >> pending_bit & count_mask);
  const auto field = static_cast<std::uint32_t>(bits >> transactions_bit & transactions_mask);
  object.transactions = static_cast<std::int32_t>(field << 10) >> 10;
  return object;
}

std::uint64_t MBarrier::encode() const {
  return std::uint64_t{phase} << phase_bit | std::uint64_t{expected} << expected_bit |
         std::uint64_t{pending} << pending_bit |
         (static_cast<std::uint64_t>(transactions) & transactions_mask) << transactions_bit |
         std::uint64_t{alive};
}

bool MBarrier::init(std::uint32_t count) {
  if (count == 0 || count > max_count) return false;
  *this = {.alive = true, .phase = false, .expected = count, .pending = count, .transactions = 0};
  return true;
}

bool MBarrier::arrive(std::uint32_t count) {
  if (count == 0 || count > pending) return false;
  pending -= count;
  finish_if_done();
  return true;
}

bool MBarrier::arrive_drop(std::uint32_t count) {
  if (count > expected || count > pending) return false;
  expected -= count;
  if (arrive(count)) return true;
  expected += count;
  return false;
}

bool MBarrier::await_more(std::uint32_t count) {
  if (count > max_count - pending) return false;
  pending += count;
  return true;
}

bool MBarrier::expect_tx(std::uint32_t bytes) {
  if (!in_range(std::int64_t{transactions} + bytes)) return false;
  transactions += static_cast<std::int32_t>(bytes);
  finish_if_done();
  return true;
}

bool MBarrier::complete_tx(std::uint32_t bytes) {
  if (!in_range(std::int64_t{transactions} - bytes)) return false;
  transactions -= static_cast<std::int32_t>(bytes);
  finish_if_done();
  return true;
}

void MBarrier::finish_if_done() {
  if (pending != 0 || transactions != 0) return;
  phase = !phase;
  pending = expected;
}

std::string MBarrier::balance() const {
  const std::string arrivals = base::say(pending, " of ", expected, " arrivals");
  return transactions < 0 ? base::say(arrivals, " missing and ", -transactions, " bytes too many")
                          : base::say(arrivals, " and ", transactions, " bytes missing");
}

}  // namespace aisp::sim
