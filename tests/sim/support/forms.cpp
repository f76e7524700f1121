// Reads .forms files: an instruction with typed holes, and rows of values. Each row is one thread
// of a kernel that is written here around the instruction.
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/refuse.hpp"
#include "tests/sim/support/values.hpp"

namespace aisp::experiments {
namespace {

using base::say;
using sim::Type;

constexpr std::size_t slot = 16;  // every value of a row has 16 bytes

struct Hole {
  bool in = false, out = false;
  std::string name;
  Type type{};
};

struct Form {
  std::string statement;  // with register names in the holes
  std::vector<Hole> holes;
  std::string sm = "80";
  int ulp = 0;
  int line = 0;
};

[[noreturn]] void bad(const std::filesystem::path& file, int line, const std::string& why) {
  throw std::runtime_error(say(file.string(), ":", line, ": ", why));
}

// A register class wide enough; floats have their own because ptxas wants it so.
std::string register_type(Type type) {
  if (type == Type::pred) return ".pred";
  if (type == Type::f32 || type == Type::f64) return "." + std::string(name_of(type));
  return say(".b", std::max(16, sim::bits_of(type)));
}

std::string memory_type(Type type) {
  if (type == Type::f32 || type == Type::f64) return std::string(name_of(type));
  return say("b", bytes_of(type) * 8);
}

Form parse_form(const std::filesystem::path& file, int line, std::string text) {
  Form form;
  form.line = line;
  const std::size_t end = text.rfind(';');
  if (end == std::string::npos) bad(file, line, "a form ends in ';'");
  std::istringstream options(text.substr(end + 1));
  for (std::string word; options >> word;) {
    if (word == "sm")
      options >> form.sm;
    else if (word == "ulp")
      options >> form.ulp;
    else
      bad(file, line, "unknown option '" + word + "'");
  }
  text.resize(end + 1);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    if (text[at] != '{' || (next != '<' && next != '>' && next != '+')) {
      form.statement += text[at];
      continue;
    }
    const std::size_t colon = text.find(':', at), close = text.find('}', at);
    if (colon == std::string::npos || close == std::string::npos || colon > close)
      bad(file, line, "a hole is written {<name:type}");
    const auto type = sim::parse_type(text.substr(colon + 1, close - colon - 1));
    if (!type) bad(file, line, "unknown type in " + text.substr(at, close - at + 1));
    Hole hole{next != '>', next != '<', "%" + text.substr(at + 2, colon - at - 2), *type};
    form.statement += hole.name;
    form.holes.push_back(std::move(hole));
    at = close;
  }
  return form;
}

std::string load_text(const Hole& hole, std::size_t offset) {
  if (hole.type == Type::pred)
    return say("  ld.global.b32 %word, [%rowin+", offset, "];\n  setp.ne.b32 ", hole.name,
               ", %word, 0;\n");
  if (hole.type == Type::b128)
    return say("  ld.global.b64 %half0, [%rowin+", offset, "];\n  ld.global.b64 %half1, [%rowin+",
               offset + 8, "];\n  mov.b128 ", hole.name, ", {%half0, %half1};\n");
  return say("  ld.global.", memory_type(hole.type), " ", hole.name, ", [%rowin+", offset, "];\n");
}

std::string store_text(const Hole& hole, std::size_t offset) {
  if (hole.type == Type::pred)
    return say("  selp.b32 %word, 1, 0, ", hole.name, ";\n  st.global.b32 [%rowout+", offset,
               "], %word;\n");
  if (hole.type == Type::b128)
    return say("  mov.b128 {%half0, %half1}, ", hole.name, ";\n  st.global.b64 [%rowout+", offset,
               "], %half0;\n  st.global.b64 [%rowout+", offset + 8, "], %half1;\n");
  return say("  st.global.", memory_type(hole.type), " [%rowout+", offset, "], ", hole.name, ";\n");
}

std::string kernel_text(const Form& form) {
  std::size_t inputs = 0, outputs = 0;
  for (const Hole& hole : form.holes) {
    inputs += hole.in;
    outputs += hole.out;
  }
  std::string text =
      say(".version 9.0\n.target sm_", form.sm, "\n.address_size 64\n",
          ".visible .entry form(.param .u64 in0, .param .u64 out)\n{\n",
          "  .reg .b64 %rowin, %rowout, %half0, %half1;\n  .reg .b32 %row, %word;\n");
  for (const Hole& hole : form.holes)
    text += say("  .reg ", register_type(hole.type), " ", hole.name, ";\n");
  text += say("  mov.u32 %row, %tid.x;\n  ld.param.u64 %rowin, [in0];\n",
              "  ld.param.u64 %rowout, [out];\n  mad.wide.u32 %rowin, %row, ", inputs * slot,
              ", %rowin;\n  mad.wide.u32 %rowout, %row, ", outputs * slot, ", %rowout;\n");
  std::size_t offset = 0;
  for (const Hole& hole : form.holes)
    if (hole.in) text += load_text(hole, slot * offset++);
  text += "  " + form.statement + "\n";
  offset = 0;
  for (const Hole& hole : form.holes)
    if (hole.out) text += store_text(hole, slot * offset++);
  return text + "  ret;\n}\n";
}

Experiment start(const std::filesystem::path& file, const Form& form) {
  std::string shown = form.statement.substr(0, form.statement.find(' '));
  Experiment experiment;
  experiment.name = say(file.filename().string(), ":", form.line, " ", shown);
  experiment.text = kernel_text(form);
  experiment.entry = "form";
  experiment.block = 0;
  experiment.sm = form.sm;
  experiment.in.resize(1);
  return experiment;
}

void add_row(Experiment& experiment, const Form& form, const std::vector<Value>& in,
             const std::vector<Value>* out) {
  std::size_t next_in = 0, next_out = 0;
  for (const Hole& hole : form.holes) {
    if (hole.in)
      store(experiment.in[0], (experiment.in[0].size() + slot - 1) / slot * slot, hole.type,
            in[next_in++]);
    if (!hole.out) continue;
    experiment.out.push_back({.offset = experiment.out.size() * slot,
                              .type = hole.type,
                              .known = out != nullptr,
                              .expected = out != nullptr ? (*out)[next_out] : Value{},
                              .ulp = form.ulp});
    ++next_out;
  }
  ++experiment.block;
  experiment.out_bytes = experiment.out.size() * slot;
}

std::vector<Value> parse_side(const std::filesystem::path& file, int line, const Form& form,
                              const std::string& text, bool outputs) {
  std::istringstream words(text);
  std::vector<Value> values;
  for (const Hole& hole : form.holes) {
    if (outputs ? !hole.out : !hole.in) continue;
    std::string word;
    if (!(words >> word)) bad(file, line, "too few values");
    try {
      values.push_back(parse_value(hole.type, word));
    } catch (const std::runtime_error& error) {
      bad(file, line, error.what());
    }
  }
  if (std::string more; words >> more) bad(file, line, "one value too many: " + more);
  return values;
}

void parse_row(const std::filesystem::path& file, int line, Experiment& experiment,
               const Form& form, const std::string& text) {
  std::istringstream words(text);
  std::string first, how;
  int count = 0;
  if (words >> first && first == "random") {
    if (!(words >> count)) bad(file, line, "random needs a number of rows");
    words >> how;
    const Draw draw_how = how == "float" ? Draw::ordinary : how == "unit" ? Draw::unit : Draw::bits;
    std::uint64_t state = static_cast<std::uint64_t>(line) * 7919;
    for (int row = 0; row < count; ++row) {
      std::vector<Value> in;
      for (const Hole& hole : form.holes)
        if (hole.in) in.push_back(draw(hole.type, draw_how, state));
      add_row(experiment, form, in, nullptr);
    }
    return;
  }
  const std::size_t arrow = text.find("->");
  if (arrow == std::string::npos) bad(file, line, "a row is written: inputs -> outputs");
  const auto out = parse_side(file, line, form, text.substr(arrow + 2), true);
  add_row(experiment, form, parse_side(file, line, form, text.substr(0, arrow), false), &out);
}

}  // namespace

std::vector<Experiment> read_forms(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<Experiment> experiments;
  Form form;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    line = line.substr(0, line.find('#'));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) continue;
    if (line[0] != ' ' && line[0] != '\t') {
      form = parse_form(file, number, line);
      experiments.push_back(start(file, form));
    } else if (experiments.empty()) {
      bad(file, number, "a row before the first form");
    } else {
      parse_row(file, number, experiments.back(), form, line);
    }
  }
  return experiments;
}

}  // namespace aisp::experiments
