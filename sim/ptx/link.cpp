#include "sim/ptx/link.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "sim/ptx/link_scan.hpp"

namespace aisp::sim::ptx {
namespace {

using Kind = LinkStatement::Kind;
using Linkage = LinkStatement::Linkage;

struct Unit {
  std::string text, label;
  LinkScan scan;
  std::unordered_map<std::string_view, Linkage> names;
  int first_file = 0;  // what is added to the numbers of its files
};

// A name is local where no declaration of its unit says otherwise.
void collect_names(Unit& unit) {
  for (const LinkStatement& statement : unit.scan.statements)
    for (const std::string_view name : statement.names) {
      const auto [entry, fresh] = unit.names.try_emplace(name, statement.linkage);
      if (!fresh && entry->second == Linkage::local) entry->second = statement.linkage;
    }
}

int number_of(std::string_view digits) {
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// .version 9.0, .target sm_90a, texmode_independent: compared by their numbers.
class Header {
 public:
  void add(const Unit& unit) {
    for (const LinkStatement& statement : unit.scan.statements) {
      if (statement.kind != Kind::header) continue;
      const auto* token = &unit.scan.tokens[statement.first_token];
      if (statement.first_token + 1 >= statement.end_token) continue;
      const std::string_view value = token[1].text;
      if (token->text == ".version") take_version(value);
      if (token->text == ".target") take_target(value);
      if (token->text == ".address_size") address_size_ = value;
    }
  }
  std::string text() const {
    return ".version " + version_ + "\n.target " + target_ + "\n.address_size " + address_size_ +
           "\n";
  }

 private:
  void take_version(std::string_view value) {
    const std::size_t dot = std::min(value.find('.'), value.size() - 1);
    const std::pair rank(number_of(value), number_of(value.substr(dot + 1)));
    if (rank > version_rank_) version_ = value;
    version_rank_ = std::max(version_rank_, rank);
  }
  // sm_90a before sm_90: its instructions are a superset.
  void take_target(std::string_view value) {
    const std::size_t bar = std::min(value.find('_'), value.size() - 1);
    const int suffix = value.ends_with('a') ? 2 : value.ends_with('f') ? 1 : 0;
    const std::pair rank(number_of(value.substr(bar + 1)), suffix);
    if (rank > target_rank_) target_ = value;
    target_rank_ = std::max(target_rank_, rank);
  }

  std::string version_, target_, address_size_ = "64";
  std::pair<int, int> version_rank_{-1, -1}, target_rank_{-1, -1};
};

// Which of several definitions of a name stays; a strong one before common and weak ones.
struct Kept {
  const LinkStatement* statement = nullptr;
  int rank() const {
    if (statement->linkage == Linkage::weak) return 0;
    return statement->linkage == Linkage::common ? 1 : 2;
  }
};
using Definitions = std::unordered_map<std::string_view, Kept>;

Definitions keep_definitions(const std::vector<Unit>& units) {
  Definitions kept;
  for (const Unit& unit : units)
    for (const LinkStatement& statement : unit.scan.statements) {
      if (!statement.is_definition || statement.linkage == Linkage::local) continue;
      for (const std::string_view name : statement.names) {
        const Kept next{&statement};
        const auto [entry, fresh] = kept.try_emplace(name, next);
        if (fresh) continue;
        const Kept& old = entry->second;
        const bool is_larger =
            next.rank() == 1 && old.rank() == 1 && statement.elements > old.statement->elements;
        if (next.rank() > old.rank() || is_larger) entry->second = next;
      }
    }
  return kept;
}

bool is_dropped(const LinkStatement& statement, const Definitions& kept) {
  const bool gives_way = statement.linkage == Linkage::weak || statement.linkage == Linkage::common;
  if (!gives_way || !statement.is_definition || statement.names.size() != 1) return false;
  return kept.at(statement.names[0]).statement != &statement;
}

// Writes one unit into the linked text, token by token, with what stands between them.
class Writer {
 public:
  Writer(const Unit& unit, const std::unordered_map<std::string_view, std::string>& renamed,
         std::string& to)
      : unit_(unit), tokens_(unit.scan.tokens), renamed_(renamed), to_(to) {}

  void run(const Definitions& kept) {
    const char* at = unit_.text.data();
    for (const LinkStatement& statement : unit_.scan.statements) {
      const bool drop = statement.kind == Kind::header || is_dropped(statement, kept);
      for (std::size_t i = statement.first_token; i < statement.end_token; ++i) {
        const std::string_view text = tokens_[i].text;
        const char* first = text.data();
        if (drop) {
          // Lines stay where they are: reports count them.
          to_.append(static_cast<std::size_t>(std::count(at, first, '\n')), '\n');
        } else {
          to_.append(at, first);
          write(i);
        }
        const bool is_string = tokens_[i].kind == Token::Kind::string;
        at = first + text.size() + (is_string ? 1 : 0);  // the quote behind it
      }
    }
    to_.append(at, unit_.text.data() + unit_.text.size());
    if (!to_.ends_with('\n')) to_ += '\n';
  }

 private:
  bool is_mark(std::size_t index, char c) const {
    return index < tokens_.size() && tokens_[index].kind == Token::Kind::mark &&
           tokens_[index].mark == mark(c);
  }
  bool is_text(std::size_t index, std::string_view text) const {
    return index < tokens_.size() && tokens_[index].text == text;
  }

  // An opcode stands where a statement begins, maybe behind its guard; so do labels, with a colon.
  bool is_opcode(std::size_t index) const {
    if (index == 0 || is_mark(index + 1, ':')) return false;
    const std::size_t before = index - 1;
    if (is_mark(before, ';') || is_mark(before, '{') || is_mark(before, '}') ||
        is_mark(before, ':'))
      return !is_mark(index + 1, ',') && !is_mark(index + 1, '}') && !is_mark(index + 1, '+');
    const bool guarded =
        index >= 2 && (is_mark(index - 2, '@') ||
                       (index >= 3 && is_mark(index - 2, '!') && is_mark(index - 3, '@')));
    return guarded;
  }

  void write(std::size_t index) {
    const Token& token = tokens_[index];
    const bool counts_files =
        index > 0 && (is_text(index - 1, ".file") || is_text(index - 1, ".loc") ||
                      is_text(index - 1, "inlined_at"));
    if (token.kind == Token::Kind::number && counts_files) {
      to_ += std::to_string(number_of(token.text) + unit_.first_file);
      return;
    }
    if (token.kind == Token::Kind::name && !is_opcode(index)) {
      if (const auto found = renamed_.find(token.text); found != renamed_.end()) {
        to_ += found->second;
        return;
      }
    }
    to_.append(token.text);
    if (token.kind == Token::Kind::string) to_ += '"';
  }

  const Unit& unit_;
  const std::vector<Token>& tokens_;
  const std::unordered_map<std::string_view, std::string>& renamed_;
  std::string& to_;
};

int most_file(const Unit& unit) {
  int most = 0;
  for (const LinkStatement& statement : unit.scan.statements)
    if (statement.kind == Kind::file && statement.first_token + 1 < statement.end_token)
      most = std::max(most, number_of(unit.scan.tokens[statement.first_token + 1].text));
  return most;
}

}  // namespace

std::string link(std::vector<LinkUnit> given) {
  std::vector<Unit> units(given.size());
  Header header;
  int files = 0;
  std::unordered_map<std::string_view, int> users;  // units that have the name
  for (std::size_t i = 0; i < units.size(); ++i) {
    Unit& unit = units[i];
    unit.text = std::move(given[i].text);
    unit.label = std::move(given[i].label);
    while (!unit.text.empty() && unit.text.back() == '\0') unit.text.pop_back();
    unit.scan = scan(unit.text);
    collect_names(unit);
    header.add(unit);
    unit.first_file = files;
    files += most_file(unit);
    for (const auto& [name, linkage] : unit.names) ++users[name];
  }
  const Definitions kept = keep_definitions(units);
  std::string linked = header.text();
  for (std::size_t i = 0; i < units.size(); ++i) {
    std::unordered_map<std::string_view, std::string> renamed;
    for (const auto& [name, linkage] : units[i].names)
      if (linkage == Linkage::local && users[name] > 1)
        renamed[name] = std::string(name) + "$unit" + std::to_string(i + 1);
    linked += "// " + units[i].label + "\n";
    Writer(units[i], renamed, linked).run(kept);
  }
  return linked;
}

}  // namespace aisp::sim::ptx
