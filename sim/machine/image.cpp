#include "sim/machine/image.hpp"

namespace aisp::sim {
namespace {

constexpr std::size_t kept_after_removal = 4096;

}  // namespace

const char* name_of(ImageShape shape) {
  switch (shape) {
    case ImageShape::linear:
      return "linear memory";
    case ImageShape::d1:
      return "1D";
    case ImageShape::d2:
      return "2D";
    case ImageShape::d3:
      return "3D";
    case ImageShape::layers_1d:
      return "1D layered";
    case ImageShape::layers_2d:
      return "2D layered";
    case ImageShape::cube:
      return "cubemap";
    case ImageShape::layers_cube:
      return "cubemap layered";
  }
  return "";
}

ImageObjects::~ImageObjects() {
  for (auto& chunk : chunks_) {
    Slot* const slots = chunk.load();
    if (slots == nullptr) continue;
    for (std::uint64_t i = 0; i < chunk_slots; ++i) delete slots[i].object.load();
    delete[] slots;
  }
}

ImageObjects::Slot* ImageObjects::slot_of(std::uint64_t handle) const {
  const std::uint64_t number = (handle & ((std::uint64_t{1} << slot_bits) - 1)) - 1;
  if (number >= chunk_slots * chunks) return nullptr;
  Slot* const slots = chunks_[number / chunk_slots].load(std::memory_order_acquire);
  return slots == nullptr ? nullptr : slots + number % chunk_slots;
}

std::uint64_t ImageObjects::add(ImageObject object) {
  const std::lock_guard lock(mutex_);
  std::uint64_t number = used_;
  if (!free_.empty()) {
    number = free_.back();
    free_.pop_back();
  } else if (++used_ >= chunk_slots * chunks) {
    --used_;
    return 0;
  }
  auto& chunk = chunks_[number / chunk_slots];
  if (chunk.load() == nullptr) chunk.store(new Slot[chunk_slots], std::memory_order_release);
  Slot& slot = chunk.load()[number % chunk_slots];
  const std::uint64_t handle = slot.uses++ << slot_bits | (number + 1);
  slot.object.store(new ImageObject(std::move(object)), std::memory_order_release);
  slot.handle.store(handle, std::memory_order_release);
  return handle;
}

bool ImageObjects::remove(std::uint64_t handle) {
  const std::lock_guard lock(mutex_);
  Slot* const slot = slot_of(handle);
  if (slot == nullptr || handle == 0 || slot->handle.load() != handle) return false;
  slot->handle.store(0, std::memory_order_release);
  removed_.emplace_back(slot->object.exchange(nullptr));
  if (removed_.size() > kept_after_removal)
    removed_.erase(removed_.begin(), removed_.begin() + kept_after_removal / 2);
  free_.push_back((handle & ((std::uint64_t{1} << slot_bits) - 1)) - 1);
  return true;
}

const ImageObject* ImageObjects::find(std::uint64_t handle) const {
  const Slot* const slot = slot_of(handle);
  if (slot == nullptr || handle == 0 || slot->handle.load(std::memory_order_acquire) != handle)
    return nullptr;
  return slot->object.load(std::memory_order_acquire);
}

bool ImageObjects::was_removed(std::uint64_t handle) const {
  const Slot* const slot = slot_of(handle);
  return slot != nullptr && handle >> slot_bits < slot->uses && find(handle) == nullptr;
}

}  // namespace aisp::sim
