#include "lab/module/trust.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/home.hpp"
#include "base/refuse.hpp"
#include "base/sha256.hpp"
#include "base/temporary_file.hpp"

namespace aisp::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view head = "aisp module 1\n";
constexpr std::uint64_t most_bytes = 16 << 10;

fs::path note_of(const fs::path& file) {
  return base::home() / "modules" / base::hex_of(base::sha256_of(file.string()));
}

std::string note_text(const fs::path& file, const std::string& sha256) {
  return base::say(head, sha256, "\n", file.string(), "\n");
}

// A note that somebody else could have written says nothing.
bool is_own(const base::OpenedFile& note) {
  struct stat facts {};
  return note.problem.empty() && fstat(note.file.get(), &facts) == 0 && facts.st_uid == geteuid() &&
         (facts.st_mode & 022) == 0;
}

bool is_remembered(const fs::path& file, const std::string& sha256) {
  try {
    const base::OpenedFile note = base::open_to_read(note_of(file));
    return is_own(note) && base::read_all(note, most_bytes).text == note_text(file, sha256);
  } catch (const base::Refusal&) {  // no folder of its own
    return false;
  }
}

}  // namespace

void remember_module(const fs::path& file, const std::string& sha256) {
  try {
    if (is_remembered(file, sha256)) return;
    const fs::path note = note_of(file);
    std::error_code error;
    fs::create_directories(note.parent_path(), error);
    base::TemporaryFile beside(note, 0600);
    beside.write(note_text(file, sha256));
    beside.put_in_place();  // a full disk costs a question later, not this run
  } catch (const base::Refusal&) {
  }
}

void require_remembered(const std::vector<Module>& modules) {
  for (const auto& module : modules) {
    std::error_code error;
    const fs::path file = fs::canonical(module.file, error);
    if (error) continue;  // load_again says that it is gone
    const base::FileText read = base::read_file(file);
    const std::string sha256 = base::hex_of(base::sha256_of(read.text));
    if (read.problem.empty() && is_remembered(file, sha256)) continue;
    base::refuse(base::Exit::usage, "the run loads the module ", module.file, " (SHA-256 ",
                 sha256.substr(0, 16), "…), which you have not given to --load as it is now: it ",
                 "would run as your own code; give --load ", module.file,
                 ", or --trust-library if you trust the run file");
  }
}

}  // namespace aisp::lab
