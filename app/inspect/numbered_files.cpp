#include "app/inspect/numbered_files.hpp"

#include <regex>

#include "app/inspect/options.hpp"
#include "base/refuse.hpp"
#include "base/temporary_file.hpp"
#include "base/text.hpp"

namespace aisp::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_path(const fs::path& path, const std::string& reason) {
  base::refuse(base::Exit::environment, "cannot write ", path.string(), ": ", reason,
               "; choose another folder with --out");
}

std::string tame(const std::string& name) {
  constexpr std::size_t longest = 80;
  const auto dot = name.rfind('.');
  std::string stem = name.substr(0, dot);
  const std::string extension = dot == std::string::npos ? "" : name.substr(dot);
  for (char& letter : stem)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '-') letter = '_';
  return stem.substr(0, longest) + extension;
}

}  // namespace

NumberedFiles::NumberedFiles(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) refuse_path(folder_, error.message());
  const std::regex own("[0-9]{2,}_(" + base::join(lab::all_names<What>(), "|") + ")([_.].*)?");
  for (const auto& file : fs::directory_iterator(folder_, error))
    if (file.is_regular_file() && std::regex_match(file.path().filename().string(), own))
      fs::remove(file.path(), error);
}

fs::path NumberedFiles::write(const std::string& what, const std::string& name,
                              const std::string& text) {
  std::string number = std::to_string(++count_);
  if (number.size() < 2) number = '0' + number;
  const std::string rest = tame(name);
  const fs::path path =
      folder_ / (number + '_' + what + (rest.empty() || rest[0] == '.' ? rest : '_' + rest));
  base::TemporaryFile file(path);
  file.write(text);
  if (const auto problem = file.put_in_place(/*durable=*/false); !problem.empty())
    refuse_path(path, problem);
  return path;
}

}  // namespace aisp::app
