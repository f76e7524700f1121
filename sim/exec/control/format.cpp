#include <bit>
#include <cstdio>
#include <optional>
#include <string_view>
#include <type_traits>

#include "sim/exec/control/builtin.hpp"

namespace aisp::sim {
namespace {

struct Conversion {
  std::string flags;  // flags, width and precision as the host's printf takes them
  int length = 4;     // bytes of an integer argument
  int narrow = 0;     // 1, 2: hh, h
  char letter = 0;
};

class Formatter {
 public:
  Formatter(const std::string& format, const FormatSource& source)
      : format_(format), source_(source) {}

  Formatted run() {
    while (at_ < format_.size()) {
      const std::size_t start = at_;
      if (format_[at_++] != '%') {
        result_.text += format_[start];
        continue;
      }
      if (!convert(parse())) result_.text.append(format_, start, at_ - start);
    }
    return std::move(result_);
  }

 private:
  char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }

  std::uint64_t next(std::uint32_t bytes) {
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    const std::uint64_t value = source_.argument(offset_, bytes);
    offset_ += bytes;
    ++result_.arguments;
    return value;
  }

  void take_number(Conversion& conversion) {
    if (peek() == '*') {
      ++at_;
      conversion.flags += std::to_string(static_cast<std::int32_t>(next(4)));
    }
    while (peek() >= '0' && peek() <= '9') conversion.flags += format_[at_++];
  }

  Conversion parse() {
    Conversion conversion;
    while (peek() != '\0' && std::string_view("-+ #0").find(peek()) != std::string_view::npos)
      conversion.flags += format_[at_++];
    take_number(conversion);
    if (peek() == '.') {
      conversion.flags += format_[at_++];
      take_number(conversion);
    }
    for (; peek() != '\0' && std::string_view("hljzt").find(peek()) != std::string_view::npos;
         ++at_) {
      if (peek() == 'h')
        conversion.narrow = conversion.narrow == 2 ? 1 : 2;
      else
        conversion.length = 8;
    }
    if (at_ < format_.size()) conversion.letter = format_[at_++];
    return conversion;
  }

  template <class T>
  void print(const Conversion& conversion, const char* length, T value) {
    const std::string spec = "%" + conversion.flags + length + conversion.letter;
    char small[256];
    const int size = std::snprintf(small, sizeof small, spec.c_str(), value);
    if (size < static_cast<int>(sizeof small)) {
      result_.text.append(small, size > 0 ? static_cast<std::size_t>(size) : 0);
      return;
    }
    std::string large(static_cast<std::size_t>(size) + 1, '\0');
    std::snprintf(large.data(), large.size(), spec.c_str(), value);
    large.pop_back();
    result_.text += large;
  }

  void print_signed(const Conversion& conversion) {
    const std::uint64_t bits = next(static_cast<std::uint32_t>(conversion.length));
    long long value =
        conversion.length == 8 ? static_cast<std::int64_t>(bits) : static_cast<std::int32_t>(bits);
    if (conversion.narrow == 2) value = static_cast<std::int16_t>(bits);
    if (conversion.narrow == 1) value = static_cast<std::int8_t>(bits);
    print(conversion, "ll", value);
  }

  void print_unsigned(const Conversion& conversion) {
    unsigned long long value = next(static_cast<std::uint32_t>(conversion.length));
    if (conversion.narrow == 2) value = static_cast<std::uint16_t>(value);
    if (conversion.narrow == 1) value = static_cast<std::uint8_t>(value);
    print(conversion, "ll", value);
  }

  // False: not a conversion, to be shown as it is written.
  bool convert(const Conversion& conversion) {
    switch (conversion.letter) {
      case '%':
        result_.text += '%';
        return true;
      case 'd':
      case 'i':
        print_signed(conversion);
        return true;
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        print_unsigned(conversion);
        return true;
      case 'c':
        print(conversion, "", static_cast<int>(next(4)));
        return true;
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        print(conversion, "", std::bit_cast<double>(next(8)));
        return true;
      case 'p':
        print(conversion, "", reinterpret_cast<void*>(next(8)));
        return true;
      case 's': {
        const std::uint64_t address = next(8);
        const std::string text = address == 0 ? "(null)" : source_.text(address);
        print(conversion, "", text.c_str());
        return true;
      }
      default:
        return false;
    }
  }

  const std::string& format_;
  const FormatSource& source_;
  std::size_t at_ = 0;
  std::uint32_t offset_ = 0;
  Formatted result_;
};

}  // namespace

Formatted format_device(const std::string& format, const FormatSource& source) {
  return Formatter(format, source).run();
}

}  // namespace aisp::sim
