#include "lab/measure/throttle.hpp"

#include <array>
#include <utility>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::lab {
namespace {

struct Reason {
  std::uint64_t bit;
  const char* name;
  bool harmful;
};
// The bits as the NVML reference documents them.
constexpr std::array known_reasons{
    Reason{0x001, "idle", false},           Reason{0x002, "application clocks", false},
    Reason{0x004, "sw power cap", false},   Reason{0x008, "hw slowdown", true},
    Reason{0x010, "sync boost", false},     Reason{0x020, "sw thermal", true},
    Reason{0x040, "hw thermal", true},      Reason{0x080, "hw power brake", true},
    Reason{0x100, "display clocks", false},
};

constexpr std::uint64_t harmful_bits() {
  std::uint64_t bits = 0;
  for (const auto& reason : known_reasons) bits |= reason.harmful ? reason.bit : 0;
  return bits;
}

}  // namespace

std::vector<std::string> reason_names(std::uint64_t reasons) {
  std::vector<std::string> names;
  for (const auto& reason : known_reasons)
    if ((reasons & reason.bit) != 0) {
      names.emplace_back(reason.name);
      reasons &= ~reason.bit;
    }
  if (reasons != 0) names.push_back(base::say("unknown 0x", std::hex, reasons));
  return names;
}

bool harmful(std::uint64_t reasons) { return (reasons & harmful_bits()) != 0; }

ThrottleWatch::ThrottleWatch(Gauge* gauge, std::string why_no_gauge)
    : gauge_(gauge), why_no_gauge_(std::move(why_no_gauge)) {}

void ThrottleWatch::observe() {
  if (gauge_ == nullptr) return;
  Reading now = gauge_->read();
  if (pending_) now.reasons |= pending_->reasons;
  pending_ = now;
}

Mark ThrottleWatch::mark() {
  if (!pending_) observe();
  Mark mark;
  mark.reading = std::exchange(pending_, std::nullopt).value_or(Reading{});
  mark.reasons = reason_names(mark.reading.reasons);
  mark.throttled = harmful(mark.reading.reasons);
  ++marked_;
  throttled_ += mark.throttled ? 1 : 0;
  harmful_seen_ |= mark.reading.reasons & harmful_bits();
  return mark;
}

std::string ThrottleWatch::summary() const {
  if (gauge_ == nullptr) return "clocks not watched: " + why_no_gauge_;
  if (throttled_ == 0) return base::say("no throttling in ", marked_, " samples");
  return base::say(throttled_, " of ", marked_,
                   " samples throttled: ", base::join(reason_names(harmful_seen_), ", "));
}

}  // namespace aisp::lab
