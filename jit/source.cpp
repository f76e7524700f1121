#include "jit/source.hpp"

namespace aisp::jit {

struct Source::Variant {
  Compiled compiled;
  Module module;

  Variant(const std::string& name, Compiled made)
      : compiled(std::move(made)), module(name, compiled) {}
};

Source::Source(std::string name, std::string text, SourceOptions options)
    : text_{std::move(name), std::move(text)}, options_(std::move(options)) {}

std::string Source::architecture() const {
  return options_.architecture.empty() ? device_architecture() : options_.architecture;
}

const Source::Variant* Source::ready(const std::string& architecture) const {
  const std::lock_guard lock(guard_);
  const auto found = variants_.find(architecture);
  return found == variants_.end() ? nullptr : found->second.get();
}

// One thread compiles, the others wait for it.
const Source::Variant& Source::variant(const std::string& architecture) const {
  const std::lock_guard lock(guard_);
  auto& slot = variants_[architecture];
  if (!slot) {
    Store& kept = options_.store != nullptr ? *options_.store : store();
    const BuildOptions build{.architecture = architecture, .further = options_.further};
    slot = std::make_shared<const Variant>(text_.name, compile_kept(kept, text_, build));
  }
  return *slot;
}

void Source::prepare() const { variant(architecture()); }

const Compiled& Source::compiled() const { return variant(architecture()).compiled; }

void SourceKernel::launch_all(cudaStream_t stream, const LaunchShape& shape,
                              std::span<const Argument> arguments) const {
  const std::string architecture = source_->architecture();
  const Source::Variant* ready = source_->ready(architecture);
  if (ready == nullptr) {
    refuse_under_capture(stream, source_->name());
    ready = &source_->variant(architecture);
  }
  ready->module.kernel(entry_).launch(stream, shape, arguments);
}

}  // namespace aisp::jit
