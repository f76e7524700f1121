// What the cache's tests share: a folder, an entry, a store that remembers what it said.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "jit/cache/store.hpp"
#include "jit/cache/upkeep.hpp"
#include "tests/support/files.hpp"

namespace aisp::jit {

inline const Sha256 some_key = sha256_of("some key");

// Long enough for several writes.
inline Entry some_entry() {
  return {.cubin = std::string(150000, 'c'),
          .ptx = ".visible .entry scale(\n.param .u64 x\n)\n{\n}\n",
          .source = "source",
          .log = "",
          .resources = "seconds 1.5\nscale 32 0 0 0 16\n"};
}

inline bool same(const Entry& a, const Entry& b) {
  return a.cubin == b.cubin && a.ptx == b.ptx && a.source == b.source && a.log == b.log &&
         a.resources == b.resources;
}

class CacheTest : public testing::Test {
 protected:
  CacheTest() : folder(files.path() / "kernels") {}

  Store make_store(std::uint64_t most_bytes = 1 << 30) {
    return Store({.folder = folder,
                  .most_bytes = most_bytes,
                  .wait_seconds = 60,
                  .say = [this](const std::string& line) { said.push_back(line); }});
  }
  // Compiles at most once, as a check.
  Entry get(Store& store, const Sha256& key = some_key) {
    return store.get(key, [this] {
      ++compiles;
      return some_entry();
    });
  }
  std::filesystem::path file(const std::string& behind = "") const {
    return folder / (hex_of(some_key) + behind);
  }

  lab::TemporaryFolder files;
  std::filesystem::path folder;
  std::vector<std::string> said;
  int compiles = 0;
};

// In a process of its own; its exit code.
template <class Body>
int in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace aisp::jit
