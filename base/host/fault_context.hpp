// What a handler of SIGSEGV learns from its context: which instruction faulted, and whether it
// wrote.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <cstring>

namespace aisp::base::host {

#if defined(__x86_64__)

inline std::uint64_t faulting_instruction(const ucontext_t& context) {
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
}
inline bool faulted_in_write(const ucontext_t& context) {
  return (context.uc_mcontext.gregs[REG_ERR] & 2) != 0;
}

#elif defined(__aarch64__)

inline std::uint64_t faulting_instruction(const ucontext_t& context) {
  return context.uc_mcontext.pc;
}
// The kernel adds records to the context, each with a magic number and its size; that of the
// exception syndrome says in bit 6 of a data abort whether it was a write.
inline bool faulted_in_write(const ucontext_t& context) {
  constexpr std::uint32_t syndrome_magic = 0x45535201;
  struct Head {
    std::uint32_t magic, bytes;
  };
  const auto& records = context.uc_mcontext.__reserved;
  for (std::size_t at = 0; at + sizeof(Head) + 8 <= sizeof records;) {
    Head head;
    std::memcpy(&head, records + at, sizeof head);
    if (head.magic == syndrome_magic) {
      std::uint64_t syndrome = 0;
      std::memcpy(&syndrome, records + at + sizeof head, sizeof syndrome);
      return (syndrome >> 6 & 1) != 0;
    }
    if (head.magic == 0 || head.bytes == 0) break;
    at += head.bytes;
  }
  return false;
}

#endif

}  // namespace aisp::base::host
