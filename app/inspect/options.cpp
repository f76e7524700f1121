#include "app/inspect/options.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::app {
namespace {

const std::vector<std::string> known_options{"--size", "--variant", "--what",
                                             "--out",  "--load",    "--device"};

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

// Extents may stand in several words, up to the next option: 4096 4096 8192.
bool is_extent(const std::string& word) {
  return !word.empty() && (std::isdigit(static_cast<unsigned char>(word[0])) != 0 ||
                           (word[0] == '-' && word.size() > 1 &&
                            std::isdigit(static_cast<unsigned char>(word[1])) != 0));
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& words) : words_(words) {}

  InspectOptions read() {
    for (; at_ < words_.size(); ++at_)
      words_[at_].starts_with("-") ? option(words_[at_]) : target(words_[at_]);
    if (options_.target.empty())
      base::refuse(base::Exit::usage,
                   "inspect needs a target, such as ch09:memory_bound or "
                   "ch09:memory_bound/one_pass; 'aisp bench list-targets' shows all");
    return options_;
  }

 private:
  const std::string& value() {
    if (at_ + 1 == words_.size())
      base::refuse(base::Exit::usage, "inspect ", words_[at_], " needs a value after it");
    return words_[++at_];
  }

  void option(const std::string& word) {
    if (word == "--size") {
      size();
    } else if (word == "--variant") {
      options_.variant = value();
    } else if (word == "--what") {
      options_.what = what_in(value());
    } else if (word == "--out") {
      options_.out = value();
    } else if (word == "--load") {
      options_.load.push_back(value());
    } else if (word == "--device") {
      device(value());
    } else {
      const auto meant = base::nearest(word, known_options);
      base::refuse(
          base::Exit::usage, "inspect has no option ", word,
          meant ? "; did you mean " + *meant + "?" : "; it has " + base::join(known_options, ", "));
    }
  }

  void size() {
    const std::string& first = value();
    options_.full = first == "full";
    options_.size.clear();
    if (first == "full" || first == "quick") return;
    options_.size.push_back(first);
    while (at_ + 1 < words_.size() && is_extent(words_[at_ + 1]))
      options_.size.push_back(words_[++at_]);
    if (first.find(',') != std::string::npos)
      base::refuse(base::Exit::usage, "inspect --size takes one size, not '", first, "'");
  }

  void device(const std::string& text) {
    const auto choice = lab::device_choice(text);
    if (!choice) base::refuse(base::Exit::usage, "--device is auto, gpu or sim, not '", text, "'");
    options_.device = *choice;
  }

  void target(const std::string& word) {
    if (!options_.target.empty())
      base::refuse(base::Exit::usage, "inspect takes one target, not '", options_.target, "' and '",
                   word, "'");
    const auto slash = word.find('/');
    options_.target = word.substr(0, slash);
    if (slash != std::string::npos) options_.rung = word.substr(slash + 1);
    if (options_.target.empty() || (slash != std::string::npos && options_.rung.empty()))
      base::refuse(base::Exit::usage, "'", word, "' names no target and rung; ",
                   "ch09:memory_bound/one_pass would");
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  InspectOptions options_;
};

}  // namespace

bool InspectOptions::wants(What one) const {
  return what.empty() || std::find(what.begin(), what.end(), one) != what.end();
}

InspectOptions read_inspect_options(const std::vector<std::string>& words) {
  return Reader(words).read();
}

}  // namespace aisp::app
