#include "lab/record/import.hpp"

#include <system_error>

#include "base/refuse.hpp"
#include "lab/record/file.hpp"
#include "lab/record/history.hpp"
#include "lab/record/journal.hpp"

namespace aisp::lab {
namespace {

namespace fs = std::filesystem;

std::string safe_name(const std::string& text) {
  std::string name;
  for (const unsigned char letter : text)
    name += std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.'
                ? static_cast<char>(letter)
                : '-';
  return name;
}

// The records alone, without the id, which an import may change.
bool same_run(const RunFile& a, const RunFile& b) {
  RunFile other = b;
  other.header.id = a.header.id;
  other.warning = a.warning;
  return a == other;
}

std::string lines_of(const RunFile& run) {
  std::string text = to_line(run.header);
  const auto add = [&](const auto& records) {
    for (const auto& record : records) text += to_line(record);
  };
  if (run.device) text += to_line(*run.device);
  add(run.attempts);
  add(run.checks);
  add(run.samples);
  add(run.profiles);
  add(run.traces);
  add(run.rows);
  if (run.end) text += to_line(*run.end);
  return text;
}

void copy_folder(const fs::path& from, const fs::path& to, const char* name) {
  std::error_code error;
  // A symbolic link would bring files along that are no part of the run.
  if (fs::symlink_status(from / name, error).type() != fs::file_type::directory) return;
  fs::create_directories(to / name, error);
  for (const auto& file : fs::directory_iterator(from / name, error))
    if (file.is_regular_file(error) && !file.is_symlink(error))
      fs::copy_file(file.path(), to / name / file.path().filename(),
                    fs::copy_options::overwrite_existing, error);
  if (error)
    base::refuse(base::Exit::environment, "cannot copy ", (from / name).string(), ": ",
                 error.message(), "; choose another folder with --out DIR");
}

}  // namespace

Imported import_run(const fs::path& source, const fs::path& out) {
  RunFile run = read_run(source);
  const fs::path from = fs::is_directory(source) ? source : source.parent_path();
  const std::string first = safe_name(run.header.id);
  if (first.find_first_not_of('.') == std::string::npos)
    base::refuse(base::Exit::environment, source.string(), ": '", run.header.id,
                 "' is no name for a run");
  Imported imported{.id = first, .folder = out / first};
  const std::string host = run.device ? safe_name(run.device->host) : "";
  for (int round = 0; fs::exists(imported.folder); ++round) {
    if (same_run(read_run(imported.folder), run)) {
      imported.known = true;
      run = read_run(imported.folder);
      break;
    }
    imported.id = base::say(first, host.empty() ? "" : "-" + host,
                            round == 0 && !host.empty() ? "" : base::say('-', round + 2));
    imported.folder = out / imported.id;
  }
  if (!imported.known) {
    run.header.id = imported.id;
    std::error_code error;
    fs::create_directories(imported.folder, error);
    if (error)
      base::refuse(base::Exit::environment, "cannot make ", imported.folder.string(), ": ",
                   error.message(), "; choose another folder with --out DIR");
    try {
      replace_file(imported.folder / journal_name, lines_of(run),
                   "choose another folder with --out DIR");
      write_run_json(imported.folder, run);
      copy_folder(from, imported.folder, "traces");
      copy_folder(from, imported.folder, "profiles");
    } catch (...) {
      fs::remove_all(imported.folder, error);
      throw;
    }
  }
  History(out / history_name).record(run);
  return imported;
}

}  // namespace aisp::lab
