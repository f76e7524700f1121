// Reads no more of the grammar than where a statement at module scope ends and what it declares;
// the parser reads the linked text and refuses what is wrong.
#include "sim/ptx/link_scan.hpp"

namespace aisp::sim::ptx {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) {
    Lexer lexer(text);
    for (Token token = lexer.next(); token.kind != Token::Kind::end; token = lexer.next())
      result_.tokens.push_back(token);
  }

  LinkScan run() {
    while (at_ < result_.tokens.size()) statement();
    return std::move(result_);
  }

 private:
  using Kind = LinkStatement::Kind;
  using Linkage = LinkStatement::Linkage;

  bool at_end() const { return at_ >= result_.tokens.size(); }
  const Token& token() const { return result_.tokens[at_]; }
  bool at_mark(char c) const {
    return !at_end() && token().kind == Token::Kind::mark && token().mark == mark(c);
  }
  bool at_directive(std::string_view name) const {
    return !at_end() && token().kind == Token::Kind::directive && token().text == name;
  }
  bool at_name() const { return !at_end() && token().kind == Token::Kind::name; }

  // Past everything up to the mark that closes the one at hand.
  void skip_nested(char open, char close) {
    for (int depth = 0; !at_end();) {
      if (at_mark(open)) ++depth;
      if (at_mark(close)) --depth;
      ++at_;
      if (depth <= 0) return;
    }
  }

  // One value behind the directive, and more behind commas.
  void skip_values(int first) {
    ++at_;
    for (int i = 0; i < first && !at_end(); ++i) ++at_;
    while (at_mark(',')) {
      ++at_;
      if (!at_end()) ++at_;
    }
  }

  void skip_to_semicolon() {
    while (!at_end() && !at_mark(';')) ++at_;
    if (!at_end()) ++at_;
  }

  void statement() {
    LinkStatement read;
    read.first_token = at_;
    if (at_directive(".version") || at_directive(".target") || at_directive(".address_size")) {
      read.kind = Kind::header;
      skip_values(1);
    } else if (at_directive(".file")) {
      read.kind = Kind::file;
      skip_values(2);
    } else if (at_directive(".section")) {
      while (!at_end() && !at_mark('{')) ++at_;
      skip_nested('{', '}');
    } else if (at_directive(".pragma") || at_directive(".alias")) {
      skip_to_semicolon();
    } else {
      declaration(read);
    }
    read.end_token = at_;
    result_.statements.push_back(std::move(read));
  }

  void declaration(LinkStatement& read) {
    if (at_directive(".extern")) read.linkage = Linkage::external;
    if (at_directive(".visible")) read.linkage = Linkage::visible;
    if (at_directive(".weak")) read.linkage = Linkage::weak;
    if (at_directive(".common")) read.linkage = Linkage::common;
    if (read.linkage != Linkage::local) ++at_;
    if (at_directive(".func") || at_directive(".entry")) {
      function(read);
    } else {
      variable(read);
    }
  }

  void function(LinkStatement& read) {
    read.kind = Kind::function;
    if (at_directive(".entry") && read.linkage == Linkage::local) read.linkage = Linkage::visible;
    ++at_;
    while (at_directive(".attribute")) {
      ++at_;
      skip_nested('(', ')');
    }
    if (at_mark('(')) skip_nested('(', ')');
    if (at_name()) read.names.push_back(token().text);
    while (!at_end() && !at_mark('{') && !at_mark(';')) {
      if (at_directive(".pragma")) {
        skip_to_semicolon();
      } else {
        ++at_;
      }
    }
    read.is_definition = at_mark('{');
    if (read.is_definition) {
      skip_nested('{', '}');
    } else if (!at_end()) {
      ++at_;
    }
  }

  // .global .align 4 .attribute(...) .u32 a[2] = {...}, b;
  void variable(LinkStatement& read) {
    read.kind = Kind::variable;
    read.is_definition = read.linkage != Linkage::external;
    while (!at_end() && !at_name() && !at_mark(';')) {
      if (at_mark('(')) {
        skip_nested('(', ')');
      } else {
        ++at_;
      }
    }
    bool is_declarator = true;
    std::uint64_t elements = 1;
    while (!at_end() && !at_mark(';')) {
      if (at_mark('{')) {
        skip_nested('{', '}');
        continue;
      }
      if (at_name() && is_declarator) read.names.push_back(token().text);
      if (at_mark(',')) {
        is_declarator = true;
      } else if (at_mark('=') || at_name()) {
        is_declarator = false;
      }
      Constant extent;
      if (token().kind == Token::Kind::number && at_ > 0 &&
          result_.tokens[at_ - 1].mark == mark('[') && read_number(token().text, extent))
        elements *= extent.bits;
      ++at_;
    }
    read.elements = elements;
    if (!at_end()) ++at_;
  }

  std::size_t at_ = 0;
  LinkScan result_;
};

}  // namespace

LinkScan scan(std::string_view text) { return Scanner(text).run(); }

}  // namespace aisp::sim::ptx
