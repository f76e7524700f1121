// What texture and surface instructions see: images in global memory, how they are sampled, and the
// objects by whose handles a kernel names them. Arrays lie in memory row by row, so that copies and
// the hazard checker know them as what they are: ranges of bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace aisp::sim {

enum class ChannelKind : std::uint8_t { is_signed, is_unsigned, floating };

struct TexelFormat {
  ChannelKind kind = ChannelKind::floating;
  std::uint8_t bits = 32;     // of a channel: 8, 16, 32
  std::uint8_t channels = 1;  // 1, 2, 4
  bool normalized = false;    // integers that always stand for fractions, whatever the read mode
  std::uint32_t bytes() const { return std::uint32_t{bits} / 8 * channels; }
  bool operator==(const TexelFormat&) const = default;
};

enum class ImageShape : std::uint8_t {
  linear,  // plain memory, read by index
  d1,
  d2,  // pitched memory too
  d3,
  layers_1d,
  layers_2d,
  cube,
  layers_cube,
};
const char* name_of(ImageShape shape);

struct ImageLevel {
  std::uint64_t base = 0;
  std::uint32_t width = 1, height = 1, depth = 1;  // texels; depth: slices, layers, or faces
  std::uint64_t pitch = 0, plane = 0;              // bytes from row to row, from slice to slice

  std::uint64_t at(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t bytes) const {
    return base + z * plane + y * pitch + std::uint64_t{x} * bytes;
  }
};

struct TexelImage {
  TexelFormat format;
  ImageShape shape = ImageShape::d2;
  std::vector<ImageLevel> levels;

  bool layered() const {
    return shape == ImageShape::layers_1d || shape == ImageShape::layers_2d ||
           shape == ImageShape::layers_cube;
  }
  bool cubic() const { return shape == ImageShape::cube || shape == ImageShape::layers_cube; }
};

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };

struct Sampler {
  AddressMode address[3] = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  bool linear = false;
  bool linear_mipmap = false;
  bool normalized_coordinates = false;
  bool normalized_values = false;  // 8- and 16-bit integers are read as fractions
  bool srgb = false;
  bool seamless = false;
  std::uint32_t border[4] = {};  // bits, of the type that is read
  float bias = 0, least_level = 0, most_level = 0;
};

struct ImageObject {
  bool surface = false;
  TexelImage image;
  Sampler sampler;
};

// Handles are never given twice. Kernels look objects up without a lock; what was destroyed is kept
// for a while, so that a kernel on another thread that still reads it does not read something else.
class ImageObjects {
 public:
  ImageObjects() = default;
  ~ImageObjects();
  ImageObjects(const ImageObjects&) = delete;
  ImageObjects& operator=(const ImageObjects&) = delete;

  // 0: there are too many.
  std::uint64_t add(ImageObject object);
  bool remove(std::uint64_t handle);
  const ImageObject* find(std::uint64_t handle) const;
  bool was_removed(std::uint64_t handle) const;

 private:
  static constexpr std::uint64_t chunk_slots = 1024, chunks = 1024;
  static constexpr int slot_bits = 20;
  struct Slot {
    std::atomic<std::uint64_t> handle{0};  // of the object that lives here
    std::atomic<const ImageObject*> object{nullptr};
    std::uint64_t uses = 0;
  };
  Slot* slot_of(std::uint64_t handle) const;

  std::mutex mutex_;
  std::atomic<Slot*> chunks_[chunks] = {};
  std::uint64_t used_ = 0;
  std::vector<std::uint64_t> free_;
  std::vector<std::unique_ptr<const ImageObject>> removed_;
};

}  // namespace aisp::sim
