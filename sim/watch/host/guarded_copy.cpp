#include <algorithm>
#include <cstring>

#include "sim/watch/host/own_memory.hpp"
#include "sim/watch/host/page_guards.hpp"

namespace aisp::sim::watch {
namespace {

constexpr std::size_t most_at_once = 1 << 18;  // bytes, a multiple of any element

}  // namespace

void PageGuards::copy(void* to, const void* from, std::size_t bytes) {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  const bool apart = target + bytes <= source || source + bytes <= target;
  if (!apart || (!guards(target, bytes) && !guards(source, bytes))) {
    std::memmove(to, from, bytes);
    return;
  }
  std::vector<std::byte> piece(std::min(bytes, most_at_once));
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t size = std::min(bytes - done, piece.size());
    if (!peek(piece.data(), source + done, size)) std::memcpy(piece.data(), source + done, size);
    if (!poke(target + done, piece.data(), size)) std::memcpy(target + done, piece.data(), size);
    done += size;
  }
}

void PageGuards::fill(void* to, std::uint32_t value, std::size_t element, std::size_t count) {
  auto* target = static_cast<std::byte*>(to);
  std::vector<std::byte> piece(std::min(count * element, most_at_once));
  for (std::size_t at = 0; at < piece.size(); at += element)
    std::memcpy(piece.data() + at, &value, element);
  for (std::size_t done = 0; done < count * element;) {
    const std::size_t size = std::min(count * element - done, piece.size());
    const bool plain = !guards(target + done, size);
    if (plain || !poke(target + done, piece.data(), size))
      std::memcpy(target + done, piece.data(), size);
    done += size;
  }
}

}  // namespace aisp::sim::watch
