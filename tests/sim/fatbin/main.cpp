// Mutated fat binaries against the simulator: each is refused with one line and an error of device
// code, or runs with the right numbers. tests/README.md says how to call it.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/sim/fatbin/workers.hpp"

using namespace fatbin_fuzz;

namespace {

#ifdef __SANITIZE_ADDRESS__               // keeps what was freed
constexpr long most_memory = 4096 << 10;  // KiB
#else
constexpr long most_memory = 512 << 10;
#endif

struct Options {
  std::filesystem::path folder;
  std::uint64_t seed = 1, mutants = 5000;
  bool only = false;
  std::uint64_t index = 0;
};

std::uint64_t number(const char* text) {
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0') {
    std::fprintf(stderr, "fatbin_mutants: '%s' is not a number from 0\n", text);
    std::exit(2);
  }
  return value;
}

Options read_options(int count, char** words) {
  Options options;
  if (const char* mutants = std::getenv("AISP_FATBIN_MUTANTS")) options.mutants = number(mutants);
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const bool more = i + 1 < count;
    if (word == "--seed" && more) {
      options.seed = number(words[++i]);
    } else if (word == "--mutants" && more) {
      options.mutants = number(words[++i]);
    } else if (word == "--only" && more) {
      options.only = true;
      options.index = number(words[++i]);
    } else if (options.folder.empty() && !word.starts_with("-")) {
      options.folder = word;
    } else {
      options.folder.clear();
      break;
    }
  }
  if (options.folder.empty()) {
    std::fprintf(stderr,
                 "usage: fatbin_mutants <folder of samples> [--seed n] [--mutants n] [--only "
                 "index]\n");
    std::exit(2);
  }
  return options;
}

std::vector<Sample> read_samples(const std::filesystem::path& folder) {
  std::vector<Sample> samples;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::ostringstream bytes;
    bytes << std::ifstream(file.path(), std::ios::binary).rdbuf();
    samples.push_back({file.path().filename(), bytes.str()});
    if (samples.back().name.ends_with(".ptx")) samples.back().bytes += '\0';
  }
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.name < b.name; });
  return samples;
}

int run_one(const std::vector<Sample>& samples, const Options& options) {
  const Mutant mutant = make_mutant(samples, options.seed, options.index);
  std::printf("%s, door %d\n", mutant.what.c_str(), static_cast<int>(mutant.door));
  std::fflush(stdout);
  const Folder files;
  const Result result = Doors(files).try_mutant(mutant);
  std::printf("outcome %d, error %d %s\n", static_cast<int>(result.outcome), result.error,
              result.problem.c_str());
  return result.outcome == Outcome::wrong ? 1 : 0;
}

int run_all(const std::vector<Sample>& samples, const Options& options) {
  const Tally tally = run_mutants(samples, options.seed, 0, options.mutants);
  for (const Failure& failure : tally.failures)
    std::printf("mutant %llu: %s\n  %s\n  again: --seed %llu --only %llu\n",
                static_cast<unsigned long long>(failure.index),
                make_mutant(samples, options.seed, failure.index).what.c_str(),
                failure.problem.c_str(), static_cast<unsigned long long>(options.seed),
                static_cast<unsigned long long>(failure.index));
  std::printf(
      "%llu mutants of seed %llu: %llu refused, %llu ran right, %llu only loaded, %llu "
      "crashed, %llu hung, %zu problems; at most %ld MiB\n",
      static_cast<unsigned long long>(tally.mutants), static_cast<unsigned long long>(options.seed),
      static_cast<unsigned long long>(tally.refused), static_cast<unsigned long long>(tally.right),
      static_cast<unsigned long long>(tally.loaded), static_cast<unsigned long long>(tally.crashed),
      static_cast<unsigned long long>(tally.hung), tally.failures.size(), tally.most_memory / 1024);
  if (tally.most_memory > most_memory)
    std::printf("a worker took more than %ld MiB for images of a few KiB\n", most_memory / 1024);
  return tally.failures.empty() && tally.most_memory <= most_memory ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  const Options options = read_options(count, words);
  if (dlsym(RTLD_DEFAULT, "aispDriverFunction") == nullptr) {
    std::fprintf(stderr,
                 "fatbin_mutants: runs on the simulator alone: preload its "
                 "libcudart.so.13, as CTest does\n");
    return 4;
  }
  try {
    const auto samples = read_samples(options.folder);
    return options.only ? run_one(samples, options) : run_all(samples, options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fatbin_mutants: %s\n", error.what());
    return 4;
  }
}
