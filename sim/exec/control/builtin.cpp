#include "sim/exec/control/builtin.hpp"

#include <cstring>

#include "base/refuse.hpp"
#include "sim/machine/access.hpp"

namespace aisp::sim {
namespace {

using base::say;

// One lane's call.
class Call {
 public:
  Call(Warp& warp, const CallSite& site, int lane) : warp_(warp), site_(site), lane_(lane) {}

  Warp& warp() { return warp_; }
  int lane() const { return lane_; }

  std::uint64_t argument(std::size_t index) {
    const CallSite::Copy& copy = site_.in.at(index);
    std::uint64_t value = 0;
    std::memcpy(&value, frame(copy.from, copy.bytes, Access::read), copy.bytes);
    return value;
  }

  void give(std::uint64_t value) {
    if (site_.out.empty()) return;
    const CallSite::Copy& copy = site_.out.front();
    std::memcpy(frame(copy.to, copy.bytes, Access::write), &value, copy.bytes);
  }

  // At a generic address.
  std::uint64_t load(std::uint64_t address, std::uint32_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value,
                resolve(warp_, ptx::Space::none, address, bytes, bytes, Access::read, lane_),
                bytes);
    return value;
  }
  std::string text(std::uint64_t address) {
    std::string result;
    while (const auto character = static_cast<char>(load(address++, 1))) result += character;
    return result;
  }

 private:
  std::byte* frame(std::uint32_t offset, std::uint32_t bytes, Access access) {
    return resolve(warp_, ptx::Space::local, warp_.lane_group->frame_base + offset, bytes, 1,
                   access, lane_);
  }

  Warp& warp_;
  const CallSite& site_;
  int lane_;
};

// vprintf(format, arguments): the number of arguments, -1 without a format.
void print(Call& call) {
  const std::uint64_t format = call.argument(0), buffer = call.argument(1);
  if (format == 0) return call.give(~std::uint64_t{0});
  const FormatSource source{
      .argument = [&](std::uint32_t offset,
                      std::uint32_t bytes) { return call.load(buffer + offset, bytes); },
      .text = [&](std::uint64_t address) { return call.text(address); }};
  const Formatted formatted = format_device(call.text(format), source);
  call.warp().block->printed += formatted.text;
  call.give(static_cast<std::uint64_t>(formatted.arguments));
}

// __assertfail(condition, file, line, function, size of a character): CUDA's line about it.
std::string assertion(Call& call) {
  const Block& block = *call.warp().block;
  const Dim3& shape = block.grid->block;
  const std::uint32_t thread = static_cast<std::uint32_t>(call.warp().index * lanes + call.lane());
  return say(call.text(call.argument(1)), ":", static_cast<std::uint32_t>(call.argument(2)), ": ",
             call.text(call.argument(3)), ": block: [", block.index[0], ",", block.index[1], ",",
             block.index[2], "], thread: [", thread % shape.x, ",", thread / shape.x % shape.y, ",",
             thread / shape.x / shape.y, "] Assertion `", call.text(call.argument(0)), "` failed.");
}

void allocate(Call& call) {
  const std::uint64_t bytes = call.argument(0);
  const Grid& grid = *call.warp().block->grid;
  Heap& heap = grid.memory->heap(grid.ordinal);
  void* got = nullptr;
  if (bytes != 0 && heap.take(bytes)) {
    got = grid.memory->allocate_on(grid.ordinal, bytes, MemoryKind::heap);
    if (got == nullptr) heap.give_back(bytes);
  }
  call.give(reinterpret_cast<std::uint64_t>(got));
}

void release(Call& call) {
  const std::uint64_t address = call.argument(0);
  if (address == 0) return;
  Block& block = *call.warp().block;
  const Grid& grid = *block.grid;
  const auto found = grid.memory->find(address);
  const bool is_piece = found && found->base == address && found->kind == MemoryKind::heap;
  if (!is_piece || !grid.memory->release(reinterpret_cast<void*>(address)))
    throw Fault{FaultKind::out_of_bounds,
                say("free of what malloc has not given: ", grid.memory->describe(address, 1)),
                address, call.lane()};
  grid.memory->heap(found->device).give_back(found->bytes);
  block.cluster->forget_ranges();
}

// cudaGraphSetConditional(handle, value).
void set_condition(Call& call) {
  const std::uint64_t handle = call.argument(0);
  const auto value = static_cast<std::uint32_t>(call.argument(1));
  const auto& set = call.warp().block->grid->set_condition;
  if (!set || !set(handle, value))
    throw Fault{FaultKind::trap,
                say("cudaGraphSetConditional of handle ", handle, ", which no graph has"), 0,
                call.lane()};
}

template <class Body>
void each_call(Warp& warp, Mask mask, const CallSite& site, Body&& body) {
  for (Mask left = mask; left != 0; left &= left - 1) {
    Call call(warp, site, std::countr_zero(left));
    body(call);
  }
}

}  // namespace

void run_builtin(Warp& warp, Mask mask, const CallSite& site) {
  if (site.builtin == "vprintf") return each_call(warp, mask, site, print);
  if (site.builtin == "malloc") return each_call(warp, mask, site, allocate);
  if (site.builtin == "free") return each_call(warp, mask, site, release);
  if (site.builtin == "cudaGraphSetConditional") return each_call(warp, mask, site, set_condition);
  if (site.builtin != "__assertfail")
    throw Fault{FaultKind::illegal_instruction,
                say("call of ", site.builtin, ", which nothing provides"), 0, -1};
  std::string all;
  each_call(warp, mask, site, [&](Call& call) {
    if (!all.empty()) all += "\n";
    all += assertion(call);
  });
  throw Fault{FaultKind::assertion, all, 0, std::countr_zero(mask)};
}

}  // namespace aisp::sim
