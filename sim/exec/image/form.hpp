// What the binders of texture and surface instructions tell their handlers.
#pragma once

#include <cstdint>

#include "sim/exec/form.hpp"
#include "sim/machine/image.hpp"
#include "sim/machine/warp.hpp"
#include "sim/program/binding.hpp"

namespace aisp::sim {

enum class TextureLevel : std::uint8_t { base, given, gradients };
enum class TextureResult : std::uint8_t { words, halves, half_pairs };

// The program's list holds results, coordinates (layer first), the level or two gradients, offsets.
struct TextureForm {
  ImageShape geometry = ImageShape::d2;
  TextureLevel level = TextureLevel::base;
  TextureResult result = TextureResult::words;
  std::uint8_t results = 4, coordinates = 1;  // as many as the vectors have
  bool integer = false;                       // coordinates and level are s32
  bool offset = false;
  std::int8_t gathered = -1;  // tld4: the component
};

enum class SurfaceBounds : std::uint8_t { trap, clamp, zero };

// The list holds values, then coordinates (layer first).
struct SurfaceForm {
  ImageShape geometry = ImageShape::d2;
  SurfaceBounds bounds = SurfaceBounds::trap;
  std::uint8_t bytes = 4;  // of an element
  std::uint8_t count = 1;  // elements
  std::uint8_t coordinates = 1;
  bool wide = false;       // values lie in registers of 64 bits
  bool formatted = false;  // .p: x counts texels
};

// The object of these lanes' handles; lanes that name another one are taken off `lanes`, for the
// next call. Throws Fault where there is none of the kind.
const ImageObject& object_of(Warp& warp, const Op& op, Mask& lanes, bool surface);

// The number of dimensions and layers that a vector of coordinates must have.
int dimensions_of(ImageShape geometry);
bool has_layer(ImageShape geometry);
int vector_size(ImageShape geometry);

// Where an instruction of one geometry may read an image of another: a missing dimension has one
// texel. Throws Fault.
void require_geometry(const TexelImage& image, ImageShape geometry, bool surface, int lane);

// Reads the handle and the vector of coordinates of [handle, {x, y}] into op.a and the list.
// Returns how many there are.
std::uint8_t bind_coordinates(Binding& binding, const ptx::Operand& operand, ImageShape geometry,
                              Type type);
void bind_handle(Binding& binding, const ptx::Operand& operand);

void bind_tex(Binding& binding);
void bind_tld4(Binding& binding);
void bind_suld(Binding& binding);
void bind_sust(Binding& binding);
void bind_sured(Binding& binding);
void bind_txq(Binding& binding);
void bind_suq(Binding& binding);
void bind_istypep(Binding& binding);

}  // namespace aisp::sim
