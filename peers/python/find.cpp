#include "peers/python/find.hpp"

#include <nlohmann/json.hpp>

#include "base/home.hpp"
#include "base/refuse.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"
#include "peers/python/briefly.hpp"
#include "peers/python/sources.hpp"

namespace aisp::peers {
namespace {

constexpr const char* mark = "probe: ";
constexpr double patience = 30;  // seconds; a first start from a slow disk takes a few

// Loads it for a moment: a file that is there may still lack what it needs.
bool loads(const std::string& library) {
  base::SharedLibrary opened(library);
  const bool loads = static_cast<bool>(opened);
  opened.close();
  return loads;
}

void read_answer(const std::string& text, Python& python) {
  const auto answer = nlohmann::json::parse(text);
  answer.at("executable").get_to(python.executable);
  answer.at("version").get_to(python.version);
  answer.at("home").get_to(python.home);
  answer.at("prefix").get_to(python.prefix);
  answer.at("exec_prefix").get_to(python.exec_prefix);
  answer.at("path").get_to(python.path);
  answer.at("libraries").get_to(python.libraries);
  answer.at("torch").get_to(python.torch);
  answer.at("triton").get_to(python.triton);
}

}  // namespace

Python ask_python(const std::string& executable, double seconds) {
  Python python;
  python.executable = executable;
  const Answer answer = run_briefly({executable, "-c", std::string(embedded::probe_py)}, seconds);
  if (!answer.failure.empty()) {
    python.missing = executable + " " + answer.failure;
    return python;
  }
  // Whatever a site's own start-up files print comes before.
  const std::string line = last_line(answer.out);
  try {
    read_answer(line.starts_with(mark) ? line.substr(std::string(mark).size()) : "", python);
  } catch (const nlohmann::json::exception&) {
    python.missing = executable + " is no Python 3: it answered '" + line + "'";
    return python;
  }
  for (const auto& library : python.libraries)
    if (python.library.empty() && loads(library)) python.library = library;
  if (python.library.empty())
    python.missing =
        base::say("Python ", python.version, " at ", python.executable,
                  " has no shared library: tried ", base::join(python.libraries, ", "));
  return python;
}

const Python& python() {
  static const Python instance = [] {
    const char* chosen = base::environment("AISP_PYTHON");
    return ask_python(chosen != nullptr ? chosen : "python3", patience);
  }();
  return instance;
}

}  // namespace aisp::peers
