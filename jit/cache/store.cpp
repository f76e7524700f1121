#include "jit/cache/store.hpp"

#include <cstdio>

#include "base/home.hpp"
#include "jit/cache/upkeep.hpp"

namespace aisp::jit {

Store::Store(StoreOptions options) : options_(std::move(options)) {}

void Store::say_once(const std::string& line) {
  const std::lock_guard lock(guard_);
  if (!said_.insert(line).second) return;
  if (options_.say)
    options_.say("kernel cache: " + line);
  else
    std::fprintf(stderr, "aisp: kernel cache: %s\n", line.c_str());
}

const CacheFolder* Store::folder() {
  std::string problem;
  {
    const std::lock_guard lock(guard_);
    if (!folder_) try {
        folder_ = std::make_unique<CacheFolder>(options_.folder.empty() ? store_folder()
                                                                        : options_.folder);
      } catch (const base::Refusal& refusal) {  // there is no home
        problem = refusal.what();
      }
    if (folder_) problem = folder_->problem();
  }
  if (problem.empty()) return folder_.get();
  say_once(problem + "; going on without it");
  return nullptr;
}

std::optional<Entry> Store::look(const CacheFolder& folder, const Sha256& key, bool put_aside) {
  const std::string name = hex_of(key);
  const ReadFile file = folder.read(name);
  if (!file.there) return std::nullopt;
  const std::string problem = file.problem.empty() ? problem_with(file.bytes, key) : file.problem;
  if (problem.empty()) {
    folder.mark_used(name);
    return entry_in(file.bytes);
  }
  if (put_aside) {
    folder.rename(name, name + ".bad");
    say_once(base::say(name, " ", problem, "; moved to ", name, ".bad and compiled again"));
  }
  return std::nullopt;
}

void Store::keep(const CacheFolder& folder, const Sha256& key, const Entry& entry) {
  const std::string bytes = bytes_of(key, entry);
  if (bytes.size() > CacheFolder::largest_file) return;  // reading it would be refused
  const std::string problem = folder.write(hex_of(key), bytes);
  if (!problem.empty()) say_once("cannot write: " + problem + "; going on without it");
  make_room(folder, options_.most_bytes, hex_of(key));
}

std::optional<Entry> Store::find(const Sha256& key) {
  const CacheFolder* folder = this->folder();
  if (folder == nullptr) return std::nullopt;
  return look(*folder, key, false);
}

Entry Store::get(const Sha256& key, const std::function<Entry()>& make) {
  const CacheFolder* folder = this->folder();
  if (folder == nullptr) return make();
  if (auto kept = look(*folder, key, false)) return *std::move(kept);
  // Without the lock, after a wait or where there are none, this goes on all the same.
  const Descriptor lock = folder->lock(hex_of(key) + ".lock", options_.wait_seconds);
  if (auto kept = look(*folder, key, true)) return *std::move(kept);
  Entry made = make();
  keep(*folder, key, made);
  return made;  // what is in memory: reading it again breaks on network file systems
}

std::filesystem::path store_folder() { return base::home() / "kernels"; }

Store& store() {
  static Store instance{StoreOptions{}};
  return instance;
}

Compiled compile_kept(Store& store, const KernelText& text, const BuildOptions& options) {
  return compiled_of(
      store.get(key_of(text, options), [&] { return entry_of(text, compile(text, options)); }));
}

}  // namespace aisp::jit
