#include "sim/cuda/jit_options.hpp"

#include <algorithm>
#include <cstring>

namespace aisp::sim::driver {

JitOptions::JitOptions(unsigned count, const CUjit_option* options, void** values) {
  demand(count == 0 || (options != nullptr && values != nullptr));
  for (unsigned i = 0; i < count; ++i) {
    demand(options[i] >= 0 && options[i] < CU_JIT_NUM_OPTIONS);
    switch (options[i]) {
      case CU_JIT_WALL_TIME:
        wall_time_ = &values[i];
        break;
      case CU_JIT_INFO_LOG_BUFFER:
        info_.text = static_cast<char*>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        info_.room = reinterpret_cast<std::size_t>(values[i]) & 0xffffffffu;
        info_.bytes = &values[i];
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        error_.text = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        error_.room = reinterpret_cast<std::size_t>(values[i]) & 0xffffffffu;
        error_.bytes = &values[i];
        break;
      default:
        break;
    }
  }
}

void JitOptions::write(const Log& log, const std::string& text) {
  if (log.text == nullptr || log.room == 0) return;
  const std::size_t bytes = std::min(text.size(), log.room - 1);
  std::memcpy(log.text, text.data(), bytes);
  log.text[bytes] = '\0';
  if (log.bytes != nullptr) *log.bytes = reinterpret_cast<void*>(bytes);
}

void JitOptions::report(bool failed) const {
  if (wall_time_ != nullptr) {
    const float milliseconds = 0;
    std::memcpy(wall_time_, &milliseconds, sizeof milliseconds);
  }
  write(info_, "");
  // Taken only where the program asks: others read it, too.
  write(error_, failed && error_.text != nullptr ? take_note() : "");
}

}  // namespace aisp::sim::driver
