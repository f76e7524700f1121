#include "jit/attention/loaded.hpp"

#include <thread>

#include "tile/device/launch/machine.hpp"

namespace aisp::jit {

int LoadedText::resident(const std::string& kernel, int threads, int shared_bytes) const {
  const auto* symbol = reinterpret_cast<const void*>(module.kernel(kernel).handle());
  refuse_runtime(
      cudaFuncSetAttribute(symbol, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
      base::say(kernel, ": ", shared_bytes, " bytes of shared memory"));
  int blocks = 0;
  refuse_runtime(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                     &blocks, symbol, threads, static_cast<std::size_t>(shared_bytes)),
                 "occupancy of the kernel");
  if (blocks < 1)
    base::refuse(base::Exit::environment, kernel, ": no multiprocessor has room for a block of ",
                 threads, " threads and ", shared_bytes, " bytes of shared memory");
  return blocks * tile::device::current_machine().multiprocessors;
}

std::vector<std::shared_ptr<const LoadedText>> LoadedTexts::get(
    const std::vector<AttentionText>& texts, const FlexOptions& options) {
  const std::lock_guard lock(guard_);
  const std::string architecture =
      options.architecture.empty() ? device_architecture() : options.architecture;
  Store& kept = options.store != nullptr ? *options.store : store();
  std::vector<std::shared_ptr<const LoadedText>*> slots;
  for (const AttentionText& text : texts) slots.push_back(&loaded_[{architecture, text.code}]);
  std::vector<Compiled> compiled(texts.size());
  std::vector<std::exception_ptr> failed(texts.size());
  std::vector<std::thread> threads;
  for (std::size_t at = 0; at < texts.size(); ++at)
    if (*slots[at] == nullptr)
      threads.emplace_back([&, at] {
        try {
          compiled[at] =
              compile_kept(kept, {texts[at].entry, texts[at].code}, {.architecture = architecture});
        } catch (...) {
          failed[at] = std::current_exception();
        }
      });
  for (std::thread& thread : threads) thread.join();
  std::vector<std::shared_ptr<const LoadedText>> all;
  for (std::size_t at = 0; at < texts.size(); ++at) {
    if (failed[at]) std::rethrow_exception(failed[at]);
    if (*slots[at] == nullptr)
      *slots[at] =
          std::make_shared<const LoadedText>(texts[at], architecture, std::move(compiled[at]));
    all.push_back(*slots[at]);
  }
  return all;
}

}  // namespace aisp::jit
