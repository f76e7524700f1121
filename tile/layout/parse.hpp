// Reads layouts from text, in constant expressions too: "(4,(2,2)):(2,(1,8))"_layout. A shape
// alone is column major; "Sw<3,4,3>o(8,64):(64,1)" has a swizzle, "Sw<3,4,3>o16o8:1" an offset too.
#pragma once

#include <cstddef>

#include "tile/layout/swizzle.hpp"

namespace aisp::tile {

// One reading of a text. After the first complaint nothing more is read.
struct Reader {
  const char* text;
  int length;
  int at = 0;
  const char* complaint = nullptr;

  TILE_FN char peek() {
    while (at < length && text[at] == ' ') ++at;
    return at < length ? text[at] : '\0';
  }
  TILE_FN bool skip(char wanted) {
    if (complaint || peek() != wanted) return false;
    ++at;
    return true;
  }
  TILE_FN void complain(const char* what) {
    if (!complaint) complaint = what;
  }
  TILE_FN void expect(char wanted, const char* what) {
    if (!skip(wanted)) complain(what);
  }
  TILE_FN void end() {
    if (peek() != '\0') complain("nothing more can follow here");
  }

  TILE_FN static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  TILE_FN int number() {
    if (!is_digit(peek())) complain("a number is missing here");
    long long value = 0;
    for (; !complaint && at < length && is_digit(text[at]); ++at) {
      value = 10 * value + (text[at] - '0');
      if (value > max_int) complain("this number does not fit an int");
    }
    return static_cast<int>(value);
  }

  // The parentheses are counted as they come: those opened belong to the next leaf, those closed
  // to the last one.
  TILE_FN Tuple tuple() {
    Tuple out;
    int level = 0;
    do {
      int opened = 0;
      for (; skip('('); ++opened)
        if (++level > max_depth) complain("too many parentheses inside one another");
      const int value = skip('_') ? free_mode : number();
      if (out.count == max_leaves) complain("too many numbers in one tuple (16 are the most)");
      if (complaint) return out;
      out.push(value);
      out.enclose(out.count - 1, opened, out.count - 1, 0);
      for (; level > 0 && skip(')'); --level) out.enclose(out.count - 1, 0, out.count - 1, 1);
    } while (level > 0 && skip(','));
    if (level > 0) complain("',' or ')' is missing here");
    return out;
  }

  TILE_FN Layout layout() {
    const Shape shape = tuple();
    const bool has_stride = skip(':');
    const Stride stride = has_stride ? tuple() : Stride();
    if (complaint) return {};
    return has_stride ? Layout(shape, stride) : column_major(shape);
  }

  TILE_FN Swizzled swizzled() {
    Swizzled out;
    if (skip('S')) {
      expect('w', "'Sw<bits,base,shift>' is meant here");
      expect('<', "'<' is missing here");
      const int bits = number();
      expect(',', "',' is missing here");
      const int base = number();
      expect(',', "',' is missing here");
      const int shift = number();
      expect('>', "'>' is missing here");
      expect('o', "'o' and a layout must follow a swizzle");
      if (complaint) return out;
      out.swizzle = Swizzle{bits, base, shift};
      out.offset = offset_before_o();
    }
    out.layout = layout();
    cosize(out);  // refuses what does not fit an int
    return out;
  }

 private:
  // "16o" of "16o8:1"; a number without an o after it is the layout's.
  TILE_FN int offset_before_o() {
    const int start = at;
    if (is_digit(peek())) {
      const int offset = number();
      if (skip('o')) return offset;
    }
    at = start;
    return 0;
  }
};

inline namespace literals {

TILE_FN Tuple operator""_tuple(const char* text, std::size_t length) {
  Reader reader{text, static_cast<int>(length)};
  const Tuple out = reader.tuple();
  reader.end();
  require(!reader.complaint, LayoutRule::text_is_layout, reader.at, reader.length);
  return out;
}
TILE_FN Layout operator""_layout(const char* text, std::size_t length) {
  Reader reader{text, static_cast<int>(length)};
  const Layout out = reader.layout();
  reader.end();
  require(!reader.complaint, LayoutRule::text_is_layout, reader.at, reader.length);
  return out;
}
TILE_FN Swizzled operator""_swizzled(const char* text, std::size_t length) {
  Reader reader{text, static_cast<int>(length)};
  const Swizzled out = reader.swizzled();
  reader.end();
  require(!reader.complaint, LayoutRule::text_is_layout, reader.at, reader.length);
  return out;
}

}  // namespace literals

}  // namespace aisp::tile
