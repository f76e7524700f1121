// Other spellings of a statement, made token by token: most of them legal, some of them not. The
// judge says which; those marked `same` must also mean what the statement means.
#pragma once

#include <cctype>
#include <string>
#include <vector>

#include "sim/ptx/lexer.hpp"

namespace aisp::oracle {

struct Spelling {
  std::string text;
  bool same = true;  // if legal, it decodes to the same operations
};

class Speller {
 public:
  explicit Speller(const std::string& statement) {
    sim::ptx::Lexer lexer(statement);
    for (auto token = lexer.next(); token.kind != sim::ptx::Token::Kind::end; token = lexer.next())
      tokens_.push_back({token.kind, std::string(token.text)});
  }

  std::vector<Spelling> run() {
    blanks();
    guards();
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (is_register(token)) registers(i);
      if (token.kind == Kind::number) numbers(i);
      if (token.text == "]") addresses(i);
      if (token.kind == Kind::directive && tokens_[i - 1].kind == Kind::directive)
        add(replaced(i - 1, {token.text, tokens_[i - 1].text}, 2), false);
    }
    return std::move(spellings_);
  }

 private:
  using Kind = sim::ptx::Token::Kind;
  struct Token {
    Kind kind;
    std::string text;
  };

  static bool is_register(const Token& token) {
    return token.kind == Kind::name && token.text[0] == '%' &&
           token.text.find('_') != std::string::npos &&
           std::isdigit(static_cast<unsigned char>(token.text.back())) != 0;
  }

  // The first word behind opcode and modifiers.
  std::size_t first_operand() const {
    std::size_t at = 1;
    while (at < tokens_.size() && tokens_[at].kind == Kind::directive) ++at;
    return at;
  }

  void add(std::string text, bool same = true) { spellings_.push_back({std::move(text), same}); }

  // Names need a blank between them, and a minus must not become part of a comment.
  std::string joined(const std::vector<std::string>& words, const std::string& between = "") const {
    std::string text;
    for (const std::string& word : words) {
      const auto part = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
      };
      if (!text.empty())
        text += !between.empty() ? between : part(text.back()) && part(word[0]) ? " " : "";
      text += word;
    }
    return text;
  }
  std::vector<std::string> words() const {
    std::vector<std::string> list;
    for (const Token& token : tokens_) list.push_back(token.text);
    return list;
  }
  std::string replaced(std::size_t at, const std::vector<std::string>& with,
                       std::size_t count = 1) const {
    auto list = words();
    const auto first = list.begin() + static_cast<std::ptrdiff_t>(at);
    list.erase(first, first + static_cast<std::ptrdiff_t>(count));
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), with.begin(), with.end());
    return joined(list);
  }

  void blanks() {
    add(joined(words()));
    for (const char* between : {" ", "\t", " /* ; */ "}) add(joined(words(), between));
  }

  void guards() {
    for (const char* guard : {"@%pred_9 ", "@!%pred_9 ", "@ ! %pred_9 ", "@%u32_9 "})
      add(guard + joined(words()), false);
    static int number = 0;  // statements of one function are judged together
    for (const char* label : {"a", "$b", "%c", "_d"})
      add(label + std::to_string(++number) + " : " + joined(words()));
  }

  void registers(std::size_t at) {
    const std::string name = tokens_[at].text;
    add(replaced(at, {"{", name, "}"}));
    add(replaced(at, {"!", name}), false);
    // nvJitLink does not survive a discarded result of these types.
    const bool survives = joined(words()).find("bf16") == std::string::npos;
    if (at == first_operand() && survives) add(replaced(at, {"_"}), false);
    add(replaced(at, {"{", "_", "}"}), false);
  }

  void numbers(std::size_t at) {
    const std::string text = tokens_[at].text;
    sim::ptx::Constant value;
    if (!sim::ptx::read_number(text, value)) return;
    if (value.kind != sim::ptx::Constant::Kind::integer) {
      for (const char* form : {"(@)", "((@))", "+@", "- -@", "{@}"}) add(formed(at, form));
      return;
    }
    for (const char* form :
         {"(@)", "((@))", "+@", "- -@", "-(-@)", "(.s64)@", "(.u64)(@)", "@U", "@+0", "@*1", "@<<0",
          "(1?@:0)", "(0?5:@)", "@|0", "~~@", "@ - 0", "(.s32)@", "(.b64)@", "{@}"})
      add(formed(at, form));
    add(replaced(at, {based(value.bits, 16, "0x")}));
    add(replaced(at, {based(value.bits, 16, "0X") + "U"}));
    add(replaced(at, {based(value.bits, 8, "0")}));
    add(replaced(at, {based(value.bits, 2, "0b")}));
    add(replaced(at, {based(value.bits, 2, "0B") + "U"}));
  }
  std::string formed(std::size_t at, std::string form) const {
    form.replace(form.find('@'), 1, tokens_[at].text);
    return replaced(at, {form});
  }
  static std::string based(std::uint64_t bits, unsigned base, const std::string& prefix) {
    std::string digits;
    do digits.insert(digits.begin(), "0123456789abcdef"[bits % base]);
    while ((bits /= base) != 0);
    return prefix + digits;
  }

  void addresses(std::size_t at) {
    std::size_t open = at;
    while (open > 0 && tokens_[open].text != "[") --open;
    bool plain = true;
    for (std::size_t i = open; i < at; ++i)
      plain &= tokens_[i].text != "+" && tokens_[i].text != ",";
    if (!plain) return;  // a sum beside a comma is a syntax error, which the judge reads no further
    for (const char* offset : {"+0", "+ +0", "+-0", "+(0)", "+(1-1)", "+0x0", "+0U", "+0+0"})
      add(replaced(at, {offset, "]"}));
  }

  std::vector<Token> tokens_;
  std::vector<Spelling> spellings_;
};

}  // namespace aisp::oracle
