// Layouts to and from run-time text. What cannot be read is refused with the position (from 0).
// Host only.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "tile/layout/parse.hpp"

namespace aisp::tile {

class TextError : public std::runtime_error {
 public:
  TextError(std::string_view text, int position, const std::string& complaint)
      : std::runtime_error("'" + std::string(text) + "', position " + std::to_string(position) +
                           ": " + complaint),
        position_(position) {}
  int position() const { return position_; }

 private:
  int position_;
};

namespace detail {

template <class Value>
Value read_all(std::string_view text, Value (Reader::*read)()) {
  Reader reader{text.data(), static_cast<int>(text.size())};
  try {
    const Value value = (reader.*read)();
    reader.end();
    if (!reader.complaint) return value;
  } catch (const Refused& refused) {  // well written, but no layout
    throw TextError(text, reader.at, refused.what());
  }
  throw TextError(text, reader.at, reader.complaint);
}

}  // namespace detail

inline Tuple parse_tuple(std::string_view text) { return detail::read_all(text, &Reader::tuple); }
inline Layout parse_layout(std::string_view text) {
  return detail::read_all(text, &Reader::layout);
}
inline Swizzled parse_swizzled(std::string_view text) {
  return detail::read_all(text, &Reader::swizzled);
}

inline std::string to_text(const Tuple& tuple) {
  if (tuple.count == 0) return "()";
  std::string out;
  for (int at = 0; at < tuple.count; ++at) {
    const int value = tuple.leaf[at];
    if (at > 0) out += ',';
    out.append(tuple.open(at), '(');
    out += value == free_mode ? "_" : std::to_string(value);
    out.append(tuple.close(at), ')');
  }
  return out;
}
inline std::string to_text(const Layout& layout) {
  return to_text(layout.shape) + ":" + to_text(layout.stride);
}
inline std::string to_text(const Swizzle& swizzle) {
  return "Sw<" + std::to_string(swizzle.bits) + "," + std::to_string(swizzle.base) + "," +
         std::to_string(swizzle.shift) + ">";
}
inline std::string to_text(const Swizzled& composed) {
  if (composed.swizzle.bits == 0 && composed.offset == 0) return to_text(composed.layout);
  const std::string offset = composed.offset ? std::to_string(composed.offset) + "o" : "";
  return to_text(composed.swizzle) + "o" + offset + to_text(composed.layout);
}

}  // namespace aisp::tile
