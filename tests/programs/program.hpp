// A program among others in one executable: its name and what was its main.
#pragma once

class Program {
 public:
  using Main = int (*)();
  using MainWithWords = int (*)(int count, char** words);

  Program(const char* name, Main main) : name_(name), main_(main), next_(first_) { first_ = this; }
  Program(const char* name, MainWithWords main) : name_(name), with_words_(main), next_(first_) {
    first_ = this;
  }
  static const Program* first() { return first_; }
  const Program* next() const { return next_; }
  const char* name() const { return name_; }
  int run(int count, char** words) const { return main_ ? main_() : with_words_(count, words); }

 private:
  inline static const Program* first_ = nullptr;
  const char* name_;
  Main main_ = nullptr;
  MainWithWords with_words_ = nullptr;
  const Program* next_;
};
