// libFuzzer target: parser and decoder with the real opcode table.
#include "tests/sim/fuzz/decode_or_refuse.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  decode_or_refuse(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
