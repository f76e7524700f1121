// Compiled kernels between runs and between processes: one file per key in a folder that is this
// user's alone. Nothing that goes wrong here stops a program: it is said once and the kernel is
// compiled. Digests find damage; ownership and mode are what keep strangers out.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "jit/cache/entry.hpp"
#include "jit/cache/folder.hpp"

namespace aisp::jit {

struct StoreOptions {
  std::filesystem::path folder;  // empty: base::home()/kernels
  std::uint64_t most_bytes = std::uint64_t{1} << 30;
  double wait_seconds = 10;  // for another process that compiles the same: a long compile
  std::function<void(const std::string&)> say{};  // empty: a line on standard error
};

class Store {
 public:
  explicit Store(StoreOptions options);

  // The kept entry, else what `make` compiles, which is then kept. Of several processes that ask
  // for one key at a time one compiles and the others wait for it.
  Entry get(const Sha256& key, const std::function<Entry()>& make);

  // The kept entry alone; one that is not to be trusted counts as none.
  std::optional<Entry> find(const Sha256& key);

 private:
  const CacheFolder* folder();  // null, and said once, where it cannot be used
  std::optional<Entry> look(const CacheFolder& folder, const Sha256& key, bool put_aside);
  void keep(const CacheFolder& folder, const Sha256& key, const Entry& entry);
  void say_once(const std::string& line);

  StoreOptions options_;
  std::mutex guard_;
  std::set<std::string> said_;
  std::unique_ptr<CacheFolder> folder_;
};

// base::home()/kernels.
std::filesystem::path store_folder();

// The one of this process.
Store& store();

// Compiles through the store.
Compiled compile_kept(Store& store, const KernelText& text, const BuildOptions& options);

}  // namespace aisp::jit
