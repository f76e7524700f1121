#include "lab/profile/cupti.hpp"

#include <array>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "base/refuse.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"

namespace aisp::lab {
namespace {

template <class Function>
Function* symbol(const base::SharedLibrary& library, const char* name) {
  Function* found = nullptr;
  if (!library.find(found, name)) base::refuse(base::Exit::environment, "CUPTI has no ", name);
  return found;
}

struct Cupti {
  base::SharedLibrary library;
#define AISP_CUPTI(member, name) decltype(&name) member = symbol<decltype(name)>(library, #name)
  AISP_CUPTI(enable, cuptiActivityEnable);
  AISP_CUPTI(disable, cuptiActivityDisable);
  AISP_CUPTI(register_callbacks, cuptiActivityRegisterCallbacks);
  AISP_CUPTI(flush, cuptiActivityFlushAll);
  AISP_CUPTI(next, cuptiActivityGetNextRecord);
  AISP_CUPTI(result_string, cuptiGetResultString);
  AISP_CUPTI(timestamp, cuptiGetTimestamp);
  AISP_CUPTI(stream_id, cuptiGetStreamIdEx);
  AISP_CUPTI(callback_name, cuptiGetCallbackName);
  AISP_CUPTI(thread_ids, cuptiSetThreadIdType);
#undef AISP_CUPTI

  void check(CUptiResult result, const char* what, const std::string& way_out) const {
    if (result == CUPTI_SUCCESS) return;
    const char* text = "unknown error";
    result_string(result, &text);
    base::refuse(base::Exit::environment, "CUPTI ", what, ": ", text, "; ", way_out);
  }
};

const std::vector<std::string> cupti_places{"libcupti.so.13",
                                            "/usr/local/cuda/lib64/libcupti.so.13",
                                            "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13"};

const Cupti& cupti(const std::string& way_out) {
  static const Cupti loaded = [&] {
    std::string tried;
    const std::string path = find_cupti(tried);
    if (path.empty())
      base::refuse(base::Exit::environment, "CUPTI not found (tried ", tried, "); ", way_out);
    return Cupti{base::SharedLibrary(path)};
  }();
  return loaded;
}
const Cupti& cupti() { return cupti(""); }  // where it is loaded already

// CUPTI calls back with plain functions; who collects is one per process.
struct Collecting {
  std::mutex mutex;
  std::function<void(const CUpti_Activity&)> take;
};
Collecting& collecting() {
  static auto* const state = new Collecting;  // a late buffer may come at the program's end
  return *state;
}

constexpr std::size_t buffer_bytes = 1 << 20;

void CUPTIAPI hand_out(uint8_t** buffer, size_t* size, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *size = *buffer != nullptr ? buffer_bytes : 0;
  *most_records = 0;  // as many as fit
}

void CUPTIAPI take_back(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  {
    const std::lock_guard lock(collecting().mutex);
    CUpti_Activity* activity = nullptr;
    while (collecting().take && cupti().next(buffer, valid, &activity) == CUPTI_SUCCESS)
      collecting().take(*activity);
  }
  std::free(buffer);
}

void set_take(std::function<void(const CUpti_Activity&)> take) {
  const std::lock_guard lock(collecting().mutex);
  collecting().take = std::move(take);
}

}  // namespace

std::string find_cupti(std::string& tried) {
  if (const auto library = base::SharedLibrary::first_of(cupti_places)) return library.name();
  tried = base::join(cupti_places, ", ");
  return "";
}

Activities::Activities(const Options& options, std::function<void(const CUpti_Activity&)> take) {
  const Cupti& api = cupti(options.way_out);
  api.check(api.register_callbacks(hand_out, take_back), "register", options.way_out);
  api.thread_ids(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);  // as gettid() counts; refused: as it is
  const auto disable_all = [&] {
    for (const auto kind : enabled_) api.disable(kind);
  };
  for (const auto kind : options.needed) {
    const CUptiResult result = api.enable(kind);
    if (result != CUPTI_SUCCESS) disable_all();
    api.check(result, "enable", options.way_out);
    enabled_.push_back(kind);
  }
  for (const auto kind : options.wanted)
    if (api.enable(kind) == CUPTI_SUCCESS) enabled_.push_back(kind);
  set_take(std::move(take));
}

Activities::~Activities() {
  flush();
  for (const auto kind : enabled_) cupti().disable(kind);
  set_take(nullptr);
}

void Activities::flush() const { cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED); }

std::uint64_t Activities::now() const {
  std::uint64_t nanoseconds = 0;
  cupti().timestamp(&nanoseconds);
  return nanoseconds;
}

std::uint32_t Activities::stream_id(CUstream stream) const {
  std::uint32_t id = 0;
  return cupti().stream_id(nullptr, stream, 0, &id) == CUPTI_SUCCESS ? id : 0;
}

std::string Activities::call_name(CUpti_CallbackId id) {
  const char* name = nullptr;
  if (cupti().callback_name(CUPTI_CB_DOMAIN_RUNTIME_API, id, &name) != CUPTI_SUCCESS ||
      name == nullptr)
    return "call " + std::to_string(id);
  const std::string text = name;  // "cudaStreamSynchronize_v3020"
  return text.substr(0, text.rfind("_v"));
}

}  // namespace aisp::lab
