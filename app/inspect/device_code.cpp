#include "app/inspect/device_code.hpp"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lab/profile/demangle.hpp"

namespace aisp::app {
namespace {

using base::Image;

struct LoadedFile {
  std::string path;
  std::uintptr_t at = 0;  // what is added to the addresses in the file
};

std::vector<LoadedFile> loaded_files() {
  std::vector<LoadedFile> files;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        std::error_code none;
        std::string path = info->dlpi_name;  // the program itself has no name here
        if (path.empty()) path = std::filesystem::read_symlink("/proc/self/exe", none);
        static_cast<std::vector<LoadedFile>*>(into)->push_back({path, info->dlpi_addr});
        return 0;
      },
      &files);
  return files;
}

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T* to, std::size_t count) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(
      file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T))));
}

// Where sections with device code lie in memory. Sections have names in the file alone.
std::vector<std::string_view> device_sections(const LoadedFile& loaded) {
  std::vector<std::string_view> found;
  std::ifstream file(loaded.path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file || !read_at(file, 0, &header, 1) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum)
    return found;
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!read_at(file, header.e_shoff, sections.data(), sections.size())) return found;
  const Elf64_Shdr& names = sections[header.e_shstrndx];
  std::string text(names.sh_size, '\0');
  if (!read_at(file, names.sh_offset, text.data(), text.size())) return found;
  for (const Elf64_Shdr& section : sections) {
    const char* name = section.sh_name < text.size() ? text.c_str() + section.sh_name : "";
    const bool code =
        std::strcmp(name, ".nv_fatbin") == 0 || std::strcmp(name, "__nv_relfatbin") == 0;
    if (code && (section.sh_flags & SHF_ALLOC) != 0 && section.sh_type == SHT_PROGBITS)
      found.emplace_back(reinterpret_cast<const char*>(loaded.at + section.sh_addr),
                         section.sh_size);
  }
  return found;
}

// Containers stand one behind the other, each on an address that 8 divides.
std::vector<std::string_view> containers_in(std::string_view section) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at < section.size();) {
    std::size_t bytes = 8;
    const std::string_view rest = section.substr(at);
    try {
      if (base::magic_of(rest) == base::fatbin_magic) {
        const std::uint64_t whole = base::fatbin_length(rest);
        if (whole <= rest.size()) {
          found.push_back(rest.substr(0, whole));
          bytes = (whole + 7) / 8 * 8;
        }
      }
    } catch (const base::BrokenCode&) {  // looks like one and is none
    }
    at += bytes;
  }
  return found;
}

bool is_part_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$' ||
         letter == '%';
}

// One `.entry name (…) … { … }` of a module, from the line on which it begins. A kernel that is
// only declared has no body and ends with its semicolon.
struct EntryText {
  std::string name;
  std::size_t begin = 0, end = 0;
  bool body = false;
};

std::size_t line_of(std::string_view text, std::size_t at) {
  const auto before = text.rfind('\n', at);
  return before == std::string_view::npos ? 0 : before + 1;
}

// Behind the brace or semicolon that ends what begins here. Braces in comments and strings are
// none.
std::size_t end_of(std::string_view text, std::size_t at, bool& body) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text[at] == '"') {
      at = std::min(text.find('"', at + 1), text.size());
    } else if (text[at] == '{') {
      body = true;
      ++depth;
    } else if (text[at] == '}' && --depth == 0) {
      return std::min(at + 1, text.size());
    } else if (text[at] == ';' && depth == 0) {
      return at + 1;
    }
  }
  return text.size();
}

std::vector<EntryText> entries_of(std::string_view ptx) {
  constexpr std::string_view word = ".entry";
  std::vector<EntryText> entries;
  for (auto at = ptx.find(word); at != std::string_view::npos; at = ptx.find(word, at)) {
    EntryText entry{.begin = line_of(ptx, at)};
    at += word.size();
    const bool comment = ptx.substr(entry.begin, at - entry.begin).find("//") != ptx.npos;
    if (comment || at >= ptx.size() || is_part_of_name(ptx[at])) continue;
    while (at < ptx.size() && std::isspace(static_cast<unsigned char>(ptx[at])) != 0) ++at;
    while (at < ptx.size() && is_part_of_name(ptx[at])) entry.name += ptx[at++];
    entry.end = at = end_of(ptx, at, entry.body);
    if (entry.body) entries.push_back(std::move(entry));
  }
  return entries;
}

// Debugging sections speak of all kernels of the module and are no code.
std::string_view without_sections(std::string_view ptx) {
  const auto at = ptx.find("\n\t.section");
  const auto other = ptx.find("\n.section");
  return ptx.substr(0, std::min(at, other) == ptx.npos ? ptx.size() : std::min(at, other) + 1);
}

}  // namespace

const Image* image_for(const std::vector<Image>& images, Image::Kind kind, int architecture) {
  const Image* best = nullptr;
  const auto rank = [&](const Image& image) {  // -1: does not run there
    if (image.kind != kind || image.architecture > architecture) return -1;
    if (image.suffix == 'a') return image.architecture == architecture ? 1000000 : -1;
    const bool same_generation = image.architecture / 10 == architecture / 10;
    if (image.suffix == 'f' || kind == Image::Kind::machine_code)
      return same_generation ? 10 * image.architecture + 1 : -1;
    return 10 * image.architecture;
  };
  for (const Image& image : images)
    if (rank(image) >= 0 && (best == nullptr || rank(image) > rank(*best))) best = &image;
  return best;
}

std::vector<std::string> kernels_in(std::string_view ptx) {
  std::vector<std::string> names;
  for (auto& entry : entries_of(ptx)) names.push_back(std::move(entry.name));
  return names;
}

std::string only_kernel(std::string_view ptx, const std::string& name) {
  ptx = without_sections(ptx);
  std::string kept;
  std::size_t from = 0;
  for (const auto& entry : entries_of(ptx)) {
    if (entry.name == name) continue;
    kept += ptx.substr(from, entry.begin - from);
    from = entry.end;
  }
  kept += ptx.substr(from);
  std::string text;  // without the empty lines that the others leave
  for (const char letter : kept)
    if (letter != '\n' || !text.ends_with("\n\n")) text += letter;
  return text;
}

DeviceCode::DeviceCode(int major, int minor) : architecture_(10 * major + minor) {
  for (const LoadedFile& file : loaded_files())
    for (const std::string_view section : device_sections(file))
      for (const std::string_view container : containers_in(section)) {
        try {
          containers_.push_back({file.path, base::read_images(container)});
        } catch (const std::exception&) {  // of a version that nobody here knows
        }
      }
}

std::optional<KernelCode> DeviceCode::find(const std::string& name) const {
  for (Container& container : containers_) {
    const Image* ptx = image_for(container.images, Image::Kind::ptx, architecture_);
    if (ptx == nullptr) continue;
    if (!container.looked_at) {
      container.looked_at = true;
      container.ptx = base::ptx_text(*ptx);
      container.kernels = kernels_in(container.ptx);
    }
    for (const auto& kernel : container.kernels) {
      if (kernel != name && lab::readable(kernel) != name) continue;
      KernelCode code{.name = kernel,
                      .file = container.file,
                      .target = ptx->target(),
                      .ptx = only_kernel(container.ptx, kernel),
                      .machine_code = ""};
      if (const Image* machine =
              image_for(container.images, Image::Kind::machine_code, architecture_))
        code.machine_code = base::plain_bytes(*machine);
      return code;
    }
  }
  return std::nullopt;
}

}  // namespace aisp::app
