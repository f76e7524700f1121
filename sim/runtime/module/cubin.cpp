#include "sim/runtime/module/cubin.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace aisp::sim {
namespace {

// Attributes in section .nv.info: {format, attribute, 16-bit size or value}, then the bytes. Those
// of a function hold its symbol and a number.
constexpr std::uint8_t sized_format = 4;
constexpr std::uint8_t attribute_frame_size = 0x11, attribute_registers = 0x2f;
// What a thread of any device has; more is no number of ptxas.
constexpr std::uint32_t most_registers = 255, most_local_bytes = 512u << 10;

template <class T>
bool load(std::string_view bytes, std::uint64_t at, T& value) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return true;
}

class Elf {
 public:
  explicit Elf(std::string_view bytes) : bytes_(bytes) {
    Elf64_Ehdr header;
    if (!load(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr))
      return;
    sections_.resize(header.e_shnum);
    for (std::size_t i = 0; i < sections_.size(); ++i)
      if (!load(bytes, header.e_shoff + i * sizeof(Elf64_Shdr), sections_[i])) sections_.clear();
    names_ = header.e_shstrndx;
  }

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  std::string_view content(const Elf64_Shdr& section) const {
    if (section.sh_offset > bytes_.size()) return {};
    return bytes_.substr(section.sh_offset, section.sh_size);
  }
  // Up to the end of the table, of which the text is the beginning.
  std::string_view text_from(std::size_t strings, std::uint64_t at) const {
    if (strings >= sections_.size()) return {};
    const std::string_view table = content(sections_[strings]);
    return at < table.size() ? table.substr(at) : std::string_view();
  }
  // Compares no more than the name: a table without zeros is not searched for each section.
  const Elf64_Shdr* find(std::string_view name) const {
    for (const Elf64_Shdr& section : sections_) {
      const std::string_view text = text_from(names_, section.sh_name);
      if (text.starts_with(name) && text.size() > name.size() && text[name.size()] == '\0')
        return &section;
    }
    return nullptr;
  }

 private:
  std::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::size_t names_ = 0;
};

// Names of all together are no longer than the image, unless they are made to overlap.
std::map<std::string, KernelResources> with_names(
    const std::map<std::uint32_t, KernelResources>& by_symbol, const Elf& elf,
    const Elf64_Shdr& symbols, std::size_t room) {
  std::map<std::string, KernelResources> kernels;
  for (const auto& [symbol, resources] : by_symbol) {
    Elf64_Sym entry;
    if (!load(elf.content(symbols), std::uint64_t{symbol} * sizeof entry, entry)) continue;
    const std::string_view text = elf.text_from(symbols.sh_link, entry.st_name).substr(0, room);
    const std::size_t length = text.find('\0');
    if (length == std::string_view::npos) return {};
    room -= length;
    kernels.emplace(text.substr(0, length), resources);
  }
  return kernels;
}

}  // namespace

std::map<std::string, KernelResources> read_cubin(std::string_view elf_bytes) {
  std::map<std::uint32_t, KernelResources> kernels;
  const Elf elf(elf_bytes);
  const Elf64_Shdr *info = elf.find(".nv.info"), *symbols = elf.find(".symtab");
  if (info == nullptr || symbols == nullptr) return {};
  const std::string_view attributes = elf.content(*info);
  for (std::size_t at = 0; at + 4 <= attributes.size();) {
    const auto format = static_cast<std::uint8_t>(attributes[at]);
    const auto attribute = static_cast<std::uint8_t>(attributes[at + 1]);
    std::uint16_t size = 0;
    load(attributes, at + 2, size);
    std::uint32_t symbol = 0, value = 0;
    if (format == sized_format && size == 8 && load(attributes, at + 4, symbol) &&
        load(attributes, at + 8, value)) {
      if (attribute == attribute_registers && value <= most_registers)
        kernels[symbol].registers = static_cast<int>(value);
      if (attribute == attribute_frame_size && value <= most_local_bytes)
        kernels[symbol].local_bytes = static_cast<int>(value);
    }
    at += 4 + (format == sized_format ? size : 0);
  }
  return with_names(kernels, elf, *symbols, elf_bytes.size());
}

}  // namespace aisp::sim
