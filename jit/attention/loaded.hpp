// Texts of attention's kernels, compiled together and loaded once for each device's architecture.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "jit/attention/kernels.hpp"
#include "jit/attention/options.hpp"
#include "jit/run/kernel.hpp"

namespace aisp::jit {

struct LoadedText {
  std::string entry, code, architecture;
  Compiled compiled;
  Module module;

  LoadedText(const AttentionText& text, std::string for_architecture, Compiled made)
      : entry(text.entry),
        code(text.code),
        architecture(std::move(for_architecture)),
        compiled(std::move(made)),
        module(entry, compiled) {}

  // How many blocks of it the device holds at once.
  int resident(const std::string& kernel, int threads, int shared_bytes) const;
};

class LoadedTexts {
 public:
  std::vector<std::shared_ptr<const LoadedText>> get(const std::vector<AttentionText>& texts,
                                                     const FlexOptions& options);

 private:
  std::mutex guard_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const LoadedText>> loaded_;
};

}  // namespace aisp::jit
