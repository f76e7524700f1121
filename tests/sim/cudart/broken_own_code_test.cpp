// Device code of the program itself that is broken, and machine code that is.
#include "tests/sim/cudart/broken_code.hpp"

extern "C" void** __cudaRegisterFatBinary(void* data);
extern "C" void __cudaUnregisterFatBinary(void** handle);
extern "C" void __cudaRegisterFunction(void** handle, const char* host, char* device,
                                       const char* name, int limit, uint3*, uint3*, dim3*, dim3*,
                                       int*);

namespace {

using broken_code::entry;
using broken_code::fatbin;
using broken_code::LastPage;
using broken_code::put;
using broken_code::text;
using broken_code::Wrapper;
using testing::HasSubstr;

class BrokenOwnCode : public broken_code::Test {};

TEST_F(BrokenOwnCode, AListOfFatbinsHoldsNothingElse) {
  static const char host = 0;
  const void* list[] = {text.c_str(), nullptr};
  Wrapper wrapper{.version = 2, .prelinked = list};
  const auto first_use = [&] {
    void** const handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &host, nullptr, "nothing", -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    cudaFuncAttributes attributes{};
    const cudaError_t error = cudaFuncGetAttributes(&attributes, &host);
    __cudaUnregisterFatBinary(handle);
    return error;
  };
  EXPECT_THAT(said(first_use), HasSubstr("no fatbin at address"));
  const void* unit = page_.end_with(fatbin(entry(text, 1)));
  std::string endless(sizeof unit, '\0');
  std::memcpy(endless.data(), &unit, sizeof unit);
  LastPage other;
  wrapper.prelinked = reinterpret_cast<const void* const*>(other.end_with(endless));
  EXPECT_THAT(said(first_use), HasSubstr("list of fatbins"));
}

// Machine code that states so many registers for the kernel `nothing`.
std::string machine_code(std::uint32_t registers) {
  const std::string names("\0.shstrtab\0.symtab\0.nv.info\0nothing\0", 37);
  constexpr std::size_t nothing_at = 28, header = 64, symbols = 48, info = 12;
  std::string elf(
      "\x7f"
      "ELF\2\1\1",
      7);
  elf.resize(header);
  put(elf, 18, 2, 190);
  put(elf, 40, 8, header + names.size() + symbols + info);  // sections: where, size, number, names
  put(elf, 58, 2, 64);
  put(elf, 60, 2, 4);
  put(elf, 62, 2, 1);
  std::string symbol_table(symbols, '\0'), attributes("\4\x2f\x08\0", 4);
  put(symbol_table, 24, 4, nothing_at);
  attributes.resize(info);
  put(attributes, 4, 4, 1);
  put(attributes, 8, 4, registers);
  elf += names + symbol_table + attributes + std::string(64, '\0');
  std::size_t at = header;
  const auto add_section = [&](std::uint64_t name, std::uint64_t bytes) {
    std::string section(64, '\0');
    put(section, 0, 4, name);
    put(section, 24, 8, at);
    put(section, 32, 8, bytes);
    put(section, 40, 4, 1);  // the section of its names
    at += bytes;
    elf += section;
  };
  add_section(1, names.size());
  add_section(11, symbols);
  add_section(19, info);
  return elf;
}

TEST_F(BrokenOwnCode, MachineCodeThatStatesNonsenseIsNotBelieved) {
  const auto registers_of = [&](std::uint32_t stated) {
    const std::string code = fatbin(entry(text, 1) + entry(machine_code(stated), 2, 90));
    cudaLibrary_t library = nullptr;
    cudaKernel_t kernel = nullptr;
    cudaFuncAttributes attributes{};
    EXPECT_EQ(cudaLibraryLoadData(&library, page_.end_with(code), nullptr, nullptr, 0, nullptr,
                                  nullptr, 0),
              cudaSuccess);
    EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, "nothing"), cudaSuccess);
    EXPECT_EQ(cudaFuncGetAttributes(&attributes, kernel), cudaSuccess);
    EXPECT_EQ(cudaLibraryUnload(library), cudaSuccess);
    return attributes.numRegs;
  };
  EXPECT_EQ(registers_of(77), 77);
  const int estimate = registers_of(256);
  EXPECT_LT(estimate, 77);
  EXPECT_EQ(registers_of(100'000), estimate);
  EXPECT_EQ(registers_of(0xffff'ffff), estimate);
}

// As with CUDA, a program learns of it from the first call that needs the code.
TEST_F(BrokenOwnCode, OfTheProgramItselfFailsAtItsFirstUse) {
  static const char host = 0;
  Wrapper wrapper{.data = page_.end_with("\x50\xed\x55\xba")};
  testing::internal::CaptureStderr();
  void** const handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, &host, nullptr, "nothing", -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  const auto launch = [&] {
    return cudaLaunchKernel(&host, dim3(1), dim3(1), nullptr, 0, nullptr);
  };
  EXPECT_THAT(said(launch), HasSubstr("'nothing': the device code of this program cannot be "
                                      "read: fatbin header of 16 bytes"));
  EXPECT_EQ(said(launch), "");  // told once
  __cudaUnregisterFatBinary(handle);
}

}  // namespace
