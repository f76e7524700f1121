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
  std::string text(std::size_t strings, std::uint64_t at) const {
    if (strings >= sections_.size()) return {};
    const std::string_view table = content(sections_[strings]);
    return at < table.size() ? std::string(table.substr(at, table.find('\0', at) - at)) : "";
  }
  const Elf64_Shdr* find(std::string_view name) const {
    for (const Elf64_Shdr& section : sections_)
      if (text(names_, section.sh_name) == name) return &section;
    return nullptr;
  }

 private:
  std::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::size_t names_ = 0;
};

}  // namespace

std::map<std::string, KernelResources> read_cubin(std::string_view elf_bytes) {
  std::map<std::string, KernelResources> kernels;
  const Elf elf(elf_bytes);
  const Elf64_Shdr *info = elf.find(".nv.info"), *symbols = elf.find(".symtab");
  if (info == nullptr || symbols == nullptr) return kernels;
  const std::string_view attributes = elf.content(*info), table = elf.content(*symbols);
  for (std::size_t at = 0; at + 4 <= attributes.size();) {
    const auto format = static_cast<std::uint8_t>(attributes[at]);
    const auto attribute = static_cast<std::uint8_t>(attributes[at + 1]);
    std::uint16_t size = 0;
    load(attributes, at + 2, size);
    std::uint32_t symbol = 0, value = 0;
    Elf64_Sym entry;
    if (format == sized_format && size == 8 && load(attributes, at + 4, symbol) &&
        load(attributes, at + 8, value) && load(table, symbol * sizeof(Elf64_Sym), entry)) {
      const std::string name = elf.text(symbols->sh_link, entry.st_name);
      if (attribute == attribute_registers) kernels[name].registers = static_cast<int>(value);
      if (attribute == attribute_frame_size) kernels[name].local_bytes = static_cast<int>(value);
    }
    at += 4 + (format == sized_format ? size : 0);
  }
  return kernels;
}

}  // namespace aisp::sim
