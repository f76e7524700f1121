#include "jit/build/compile.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <exception>
#include <thread>

#include "base/text.hpp"
#include "jit/build/headers.hpp"
#include "jit/build/nvrtc.hpp"

namespace aisp::jit {
namespace {

// One program of the library, from its text to what came out.
class Program {
 public:
  Program(const Nvrtc& library, const KernelText& text) : library_(library), name_(text.name) {
    const auto& headers = kernel_headers();
    std::vector<std::string> kept;  // with a zero behind each
    for (const Header& header : headers) {
      kept.emplace_back(header.name);
      kept.emplace_back(header.text);
    }
    std::vector<const char*> names, texts;
    for (std::size_t at = 0; at < kept.size(); at += 2) {
      names.push_back(kept[at].c_str());
      texts.push_back(kept[at + 1].c_str());
    }
    check(library_.create(&program_, text.code.c_str(), text.name.c_str(),
                          static_cast<int>(names.size()), texts.data(), names.data()));
  }
  ~Program() { library_.destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  bool compile(const std::vector<std::string>& words) {
    std::vector<const char*> pointers;
    for (const auto& word : words) pointers.push_back(word.c_str());
    error_ = library_.compile(program_, static_cast<int>(pointers.size()), pointers.data());
    return error_ == 0;
  }
  std::string log() const { return without_end(get(library_.log_size, library_.log)); }
  std::string ptx() const { return without_end(get(library_.ptx_size, library_.ptx)); }
  std::string cubin() const { return get(library_.cubin_size, library_.cubin); }
  std::string error() const { return library_.error_string(error_); }

 private:
  void check(int error) const {
    if (error != 0)
      base::refuse(base::Exit::environment, name_, ": NVRTC: ", library_.error_string(error));
  }
  std::string get(int (*size)(NvrtcProgram*, std::size_t*),
                  int (*bytes)(NvrtcProgram*, char*)) const {
    std::size_t count = 0;
    check(size(program_, &count));
    std::string made(count, '\0');
    if (count > 0) check(bytes(program_, made.data()));
    return made;
  }
  static std::string without_end(std::string text) {
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

  const Nvrtc& library_;
  std::string name_;
  NvrtcProgram* program_ = nullptr;
  int error_ = 0;
};

// 90 of sm_90a and of compute_90a; 0 where that is no architecture.
int number_of(std::string_view architecture) {
  for (const std::string_view kind : {"sm_", "compute_"}) {
    if (!architecture.starts_with(kind)) continue;
    const auto digits = architecture.substr(kind.size());
    int number = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    const std::string_view rest(end, static_cast<std::size_t>(digits.data() + digits.size() - end));
    if (rest.empty() || rest == "a" || rest == "f") return number;
  }
  return 0;
}

[[noreturn]] void refuse_text(const std::string& name, const Program& program) {
  const std::string log = readable_log(program.log());
  const auto first = first_error_in(log);
  if (!first) throw BuildRefusal(base::say(name, ": NVRTC: ", program.error()), log);
  const std::string more =
      first->count == 1 ? "" : base::say(" (the first of ", first->count, " errors)");
  throw BuildRefusal(base::say(name, ": does not compile: ", first->line, more), log);
}

}  // namespace

std::vector<std::string> option_words(const BuildOptions& options) {
  std::vector<std::string> words{"-std=c++20",
                                 "-default-device",
                                 "-DNDEBUG",
                                 "-lineinfo",
                                 "-no-source-include",  // no file of the current folder
                                 "--gpu-architecture=" + options.architecture};
  if (options.architecture.starts_with("sm_")) words.push_back("--ptxas-options=-v");
  for (const auto& word : options.further) {
    for (const std::string_view reads : {"-I", "--include-path", "-include", "--pre-include"})
      if (word.starts_with(reads))
        base::refuse(base::Exit::usage, word,
                     ": files that a text includes from a folder would be missing in the key under "
                     "which it is kept; put them into the text");
    words.push_back(word);
  }
  return words;
}

void admit_architecture(const std::string& architecture) {
  const Nvrtc& library = nvrtc();
  const int number = number_of(architecture);
  if (std::find(library.known.begin(), library.known.end(), number) != library.known.end()) return;
  std::vector<std::string> known;
  for (const int one : library.known) known.push_back(base::say("sm_", one));
  base::refuse(base::Exit::environment, "NVRTC ", library.release, " does not know ", architecture,
               ": it compiles for ", base::join(known, ", "),
               "; install a toolkit that has it, or choose one of these");
}

Compiled compile(const KernelText& text, const BuildOptions& options) {
  const Nvrtc& library = nvrtc();
  admit_architecture(options.architecture);
  auto words = option_words(options);
  words.insert(words.end(), library.words.begin(), library.words.end());
  if (options.timed) words.push_back("-no-cache");
  Program program(library, text);
  const auto begin = std::chrono::steady_clock::now();
  if (!program.compile(words)) refuse_text(text.name, program);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const std::string log = program.log();
  if (const auto slow = serialized_products_in(log))
    throw BuildRefusal(base::say(text.name, ": ptxas ", *slow), readable_log(log));
  Compiled made{.ptx = program.ptx(),
                .log = readable_log(log),
                .resources = resources_in(log),
                .seconds = took.count()};
  if (options.architecture.starts_with("sm_")) made.cubin = program.cubin();
  return made;
}

std::vector<Compiled> compile_all(std::span<const KernelText> texts, const BuildOptions& options) {
  std::vector<Compiled> made(texts.size());
  std::vector<std::exception_ptr> failures(texts.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t at = next++; at < texts.size(); at = next++) try {
        made[at] = compile(texts[at], options);
      } catch (...) {
        failures[at] = std::current_exception();
      }
  };
  const std::size_t cores = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
  std::vector<std::jthread> threads;
  for (std::size_t at = 1; at < std::min(cores, texts.size()); ++at) threads.emplace_back(work);
  work();
  threads.clear();  // joins
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return made;
}

}  // namespace aisp::jit
