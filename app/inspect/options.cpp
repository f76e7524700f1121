#include "app/inspect/options.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::app {
namespace {

std::vector<What> what_in(const std::string& list) {
  std::vector<What> what;
  for (const auto& word : base::split(list, ',')) {
    const auto one = lab::value_named<What>(word);
    const auto all = lab::all_names<What>();
    if (!one) {
      const auto meant = base::nearest(word, all);
      base::refuse(base::Exit::usage, "inspect --what knows no '", word, "'; ",
                   meant ? "did you mean " + *meant + "? " : "", "there are ",
                   base::join(all, ", "));
    }
    what.push_back(*one);
  }
  return what;
}

}  // namespace

bool InspectOptions::wants(What one) const {
  return what.empty() || std::find(what.begin(), what.end(), one) != what.end();
}

InspectOptions read_inspect_options(const std::vector<std::string>& given) {
  const std::string command = "inspect";
  std::vector<std::string> known = lab::rung_options();
  known.insert(known.end(), {"--what", "--out"});
  std::vector<std::string> words = given;
  InspectOptions options;
  for (std::size_t at = 0; at < words.size(); ++at) {
    lab::split_value(words, at, known);
    if (lab::take_rung_word(command, words, at, options)) continue;
    if (words[at] == "--what") {
      options.what = what_in(lab::value_behind(command, words, at));
    } else if (words[at] == "--out") {
      options.out = lab::value_behind(command, words, at);
    } else {
      lab::refuse_option(command, words[at], known);
    }
  }
  return options;
}

}  // namespace aisp::app
