// Reads .ptx files whose first comment lines say how to run them and what comes out.
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "base/refuse.hpp"
#include "tests/sim/support/image_input.hpp"
#include "tests/sim/support/values.hpp"

namespace aisp::experiments {
namespace {

using base::say;

[[noreturn]] void bad(const std::filesystem::path& file, const std::string& why) {
  throw std::runtime_error(file.string() + ": " + why);
}

sim::Type take_type(const std::filesystem::path& file, std::istringstream& words) {
  std::string name;
  words >> name;
  const auto type = sim::parse_type(name);
  if (!type) bad(file, "unknown type '" + name + "'");
  return *type;
}

std::size_t take_count(const std::filesystem::path& file, std::istringstream& words) {
  std::size_t count = 0;
  if (!(words >> count)) bad(file, "a count is missing");
  return count;
}

// "u32 1 40", "u32 iota 64", "f16 random 512", "u8 zeros 100", "s8 small 64"
std::vector<std::byte> read_input(const std::filesystem::path& file, std::istringstream& words,
                                  std::uint64_t& state) {
  const sim::Type type = take_type(file, words);
  const auto size = static_cast<std::size_t>(bytes_of(type));
  std::vector<std::byte> bytes;
  for (std::string word; words >> word;) {
    if (word != "iota" && word != "random" && word != "zeros" && word != "unit" &&
        word != "small") {
      store(bytes, bytes.size(), type, parse_value(type, word));
      continue;
    }
    const std::size_t count = take_count(file, words);
    for (std::size_t i = 0; i < count; ++i) {
      Value value;
      if (word == "iota") value = parse_value(type, say(i));
      if (word == "small") value = parse_value(type, say(i * 7 % 5));
      if (word == "random") value = draw(type, Draw::ordinary, state);
      if (word == "unit") value = draw(type, Draw::unit, state);
      store(bytes, bytes.size(), type, value);
    }
  }
  if (bytes.size() % size != 0) bad(file, "input of an odd size");
  return bytes;
}

void read_output(const std::filesystem::path& file, std::istringstream& words,
                 Experiment& experiment) {
  const sim::Type type = take_type(file, words);
  const auto add = [&](bool known, Value value) {
    experiment.out.push_back(
        {.offset = experiment.out_bytes, .type = type, .known = known, .expected = value});
    experiment.out_bytes += static_cast<std::size_t>(bytes_of(type));
  };
  for (std::string word; words >> word;) {
    if (word == "iota" || word == "check" || word == "zeros" || word == "repeat") {
      const std::string repeated = [&] {
        std::string value = "0";
        if (word == "repeat") words >> value;
        return value;
      }();
      const std::size_t count = take_count(file, words);
      for (std::size_t i = 0; i < count; ++i)
        add(word != "check", parse_value(type, word == "iota" ? say(i) : repeated));
    } else {
      add(true, parse_value(type, word));
    }
  }
}

}  // namespace

Experiment read_ptx(const std::filesystem::path& file) {
  std::ifstream stream(file);
  Experiment experiment;
  experiment.name = (file.parent_path().filename() / file.filename()).string();
  std::uint64_t state = std::hash<std::string>{}(experiment.name);
  bool in_header = true;
  for (std::string line; std::getline(stream, line); experiment.text += line + "\n") {
    if (!line.starts_with("//")) in_header = false;
    if (!in_header) continue;
    std::istringstream words(line.substr(2));
    for (std::string key; words >> key;) {
      if (key == "in:") {
        experiment.in.push_back(read_input(file, words, state));
      } else if (key == "texture:" || key == "surface:") {
        if (experiment.in.empty()) bad(file, "an image is the 'in:' line before it");
        experiment.images.push_back(
            {experiment.in.size() - 1, read_image(words, key == "surface:")});
      } else if (key == "out:") {
        read_output(file, words, experiment);
      } else if (key == "grid:") {
        words >> experiment.grid;
      } else if (key == "block:") {
        words >> experiment.block;
      } else if (key == "cluster:") {
        words >> experiment.cluster;
      } else if (key == "dynamic:") {
        words >> experiment.dynamic;
      } else if (key == "sm:") {
        words >> experiment.sm;
      } else {
        break;  // prose
      }
    }
  }
  std::smatch match;
  if (!std::regex_search(experiment.text, match, std::regex(R"(\.entry\s+([A-Za-z_$][\w$]*))")))
    bad(file, "no .entry");
  experiment.entry = match[1];
  if (experiment.out.empty()) bad(file, "no 'out:' line: the test could not fail");
  return experiment;
}

}  // namespace aisp::experiments
