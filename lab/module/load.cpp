#include "lab/module/load.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "base/file.hpp"
#include "base/refuse.hpp"
#include "base/sha256.hpp"
#include "base/shared_library.hpp"
#include "lab/case/registry.hpp"
#include "lab/module/face.hpp"
#include "lab/module/probe.hpp"
#include "lab/module/trust.hpp"

namespace aisp::lab {
namespace {

namespace fs = std::filesystem;

std::vector<Module>& modules() {
  static std::vector<Module> instance;
  return instance;
}

constexpr const char* how_to_build = "build it with aisp_add_targets(), see docs/extend/target.md";

[[noreturn]] void refuse(const std::string& file, const auto&... parts) {
  base::refuse(base::Exit::environment, "module ", file, ": ", parts...);
}

std::string read_file(const std::string& file) {
  if (!fs::is_regular_file(file)) refuse(file, "is no file; ", how_to_build);
  std::string bytes = base::read_file(file).text;
  if (bytes.empty()) refuse(file, "is empty or cannot be read; ", how_to_build);
  return bytes;
}

std::string digest_of(const std::string& bytes) { return base::hex_of(base::sha256_of(bytes)); }

std::string machine_name(int machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "AArch64";
    default:
      return base::say("machine ", machine);
  }
}

#if defined(__x86_64__)
constexpr int own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int own_machine = EM_AARCH64;
#endif

// The loader says of a library for another machine that it cannot open it.
void refuse_other_machine(const std::string& file, const std::string& bytes) {
  Elf64_Ehdr header{};
  if (bytes.size() < sizeof header || !bytes.starts_with(ELFMAG))
    refuse(file, "is no shared library; ", how_to_build);
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == own_machine) return;
  refuse(
      file, "is for ",
      header.e_ident[EI_CLASS] == ELFCLASS64 ? machine_name(header.e_machine) : "a 32-bit machine",
      ", this program for ", machine_name(own_machine), "; build it on such a machine");
}

void refuse_other_version(const std::string& file, const ModuleFace& face) {
  if (std::string(face.version) != interface_version ||
      std::string(face.interface) != interface_stamp)
    refuse(file, "was built against aisp ", face.version, " (interface ", face.interface,
           "), this is ", interface_version, " (interface ", interface_stamp,
           "); build it again against this one");
  if (std::string(face.standard_library) != standard_library)
    refuse(file, "was built with ", face.standard_library, ", this aisp with ", standard_library,
           "; build it with the same");
}

// What it brings must be its own: targets of its name, and rungs of them. To another's target it
// may add a peer, which stands beside the ladder and moves none of its rungs.
void refuse_bad_entries(const Module& module, const Announced& announced) {
  if (announced.targets.empty() && announced.rungs.empty())
    refuse(module.file, "announces no target; each is a folder with a case.cpp below ",
           module.folder);
  for (const auto& target : announced.targets)
    if (target.chapter != module.name)
      refuse(module.file, "announces ", target.id(), ", but its targets are ", module.name,
             ":…; say target.chapter = \"", module.name, "\"");
  for (const auto& [id, rung] : announced.rungs)
    if (!id.starts_with(module.name + ":") && !rung.peer)
      refuse(module.file, "announces the rung ", rung.name, " of ", id,
             ", which is not its own; beside another's ladder it must say .peer = true");
}

void load(const std::string& file, const std::string& digest) {
  const base::SharedLibrary library(file);
  if (!library) refuse(file, library.problem());
  ModuleSymbol* symbol = nullptr;
  if (!library.find(symbol, module_symbol))
    refuse(file, "is a shared library but no module of aisp; ", how_to_build);
  const ModuleFace& face = *symbol();
  refuse_other_version(file, face);
  const Module module{.name = face.name, .file = file, .folder = face.folder, .digest = digest};
  if (has_chapter(module.name))
    refuse(file, "its name '", module.name,
           "' is that of a chapter or module that is there; give it another in aisp_add_targets()");
  Announced announced;
  face.hand_over(announced);
  refuse_bad_entries(module, announced);
  announce(std::move(announced));
  modules().push_back(module);
}

bool is_loaded(const std::string& file) {
  return std::any_of(modules().begin(), modules().end(),
                     [&](const Module& module) { return module.file == file; });
}

}  // namespace

void load_modules(const std::vector<std::string>& files) {
  for (const auto& given : files) {
    std::error_code error;
    const fs::path found = fs::canonical(given, error);
    if (error) refuse(given, "there is no such file (", error.message(), "); ", how_to_build);
    const std::string file = found.string();
    if (is_loaded(file)) continue;
    const std::string bytes = read_file(file);
    refuse_other_machine(file, bytes);
    if (const std::string problem = problem_with_loading(file); !problem.empty())
      refuse(file, problem);
    const std::string digest = digest_of(bytes);
    load(file, digest);
    try {
      check_announced();
    } catch (const std::logic_error& contradiction) {
      refuse(file, contradiction.what());
    }
    remember_module(file, digest);
  }
}

void load_again(const std::vector<Module>& wanted) {
  for (const auto& module : wanted) {
    if (!fs::exists(module.file))
      refuse(module.file, "is gone since the run began; build it again as it was, or start anew");
    if (digest_of(read_file(module.file)) != module.digest)
      refuse(module.file, "has changed since the run began; start a new run");
    if (!is_loaded(module.file)) load(module.file, module.digest);
  }
}

const std::vector<Module>& loaded_modules() { return modules(); }

}  // namespace aisp::lab
