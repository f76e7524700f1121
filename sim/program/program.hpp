// A decoded module: what the machine runs. Built once by decode(), never changed afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/program/op.hpp"
#include "sim/program/text_lines.hpp"
#include "sim/program/type.hpp"
#include "sim/ptx/module.hpp"

namespace aisp::sim {

// Values that a warp finds ready in registers when it starts (or, the last group, that a handler
// computes when read). decode() gives each one that a function uses a slot.
enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_lt,
  lanemask_le,
  lanemask_gt,
  lanemask_ge,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  is_explicit_cluster,  // a predicate: its slot is one Mask
  dynamic_smem_size,
  total_smem_size,
  aggr_smem_size,
  reserved_smem_offset,
  own_shared_base,      // not PTX: rank << 24, what the address of a .shared variable starts from
  dynamic_shared_base,  // not PTX: own_shared_base + where `.extern .shared` begins
  count,
};
// %clock, %clock64, %clock_hi, %globaltimer(_lo, _hi) are read by a handler, they change.

struct SpecialUse {
  Special what{};
  Ref slot = no_ref;
  bool wide = false;  // 64-bit slot
};

// A piece of register storage, for saving frames of recursive functions.
struct RegisterClass {
  std::uint32_t first = 0, bytes = 0;  // byte range within the warp's registers
  std::uint32_t lane_bytes = 0;        // 4, 8, 16; 0: predicates, one Mask each
};

struct ParamSlot {
  std::string name;
  std::uint32_t offset = 0, bytes = 0, align = 0;
};

struct Routine {  // a kernel or a device function
  std::string name;
  bool is_entry = false;
  std::uint32_t entry = 0, end = 0;      // pc range
  std::vector<ParamSlot> params;         // kernels: in the constant bank. Functions: in the frame
  std::vector<ParamSlot> results;        // functions only: in the frame
  std::uint32_t param_bytes = 0;         // kernels: size of the constant bank
  std::uint32_t frame_bytes = 0;         // local memory per lane of one activation
  std::uint32_t static_shared = 0;       // kernels: bytes, before the dynamic part (aligned to 16)
  std::uint32_t static_shared_used = 0;  // ... as declared, without that alignment
  std::vector<ParamSlot> shared_variables;  // kernels: the static ones, for reports
  std::uint32_t register_bytes = 0;         // kernels: registers of a warp, functions included
  std::vector<RegisterClass> registers;     // functions: what a recursive activation saves
  std::vector<SpecialUse> specials;         // kernels: own and of all functions
  bool uses_functions = false, may_recurse = false;
  // From the directives; 0 where absent.
  int max_threads = 0;                  // product of .maxntid
  int required_threads[3] = {0, 0, 0};  // .reqntid
  int required_cluster[3] = {0, 0, 0};  // .reqnctapercluster
  int min_blocks = 0, max_registers = 0;
  int registers_32 = 0;  // declared live at once, an estimate for occupancy
};

struct CallSite {
  // Where each argument lies in the caller's frame and in the callee's, and back. A callee's
  // results lie at the start of its frame, its parameters behind them, so that the layout follows
  // from the prototype alone; its frame starts at the end of the caller's.
  struct Copy {
    std::uint32_t from = 0, to = 0, bytes = 0;
  };
  static constexpr std::uint32_t indirect = 0xffffffffu;
  std::uint32_t routine = 0;  // index into Program::routines; indirect: op.a holds the address
  // One of "vprintf", "__assertfail", "malloc", "free", "cudaGraphSetConditional": no routine, the
  // simulator does it.
  // in[i].from is where argument i lies in the caller's frame, out[0].to where the result goes.
  std::string builtin;
  std::vector<Copy> in, out;
};

// A .global, .const (or module-scope .shared) variable.
struct GlobalVariable {
  std::string name;
  ptx::Space space{};
  std::uint64_t bytes = 0, align = 1;
  std::uint64_t address = 0;  // given by the Placer; .shared: 0, each kernel has its own layout
  bool is_extern = false;
};

struct OpSource {
  int ptx_line = 0, file = 0, line = 0;
};

struct Program {
  static constexpr std::uint32_t no_join = 0xffffffffu;         // lanes meet only at the exit
  static constexpr std::uint32_t join_at_return = 0xfffffffeu;  // where the function returns to

  std::string target;         // "sm_90a"
  int architecture = 0;       // 90
  int version = 0;            // of the PTX ISA, times 10: 14 is 1.4
  bool maps_doubles = false;  // .target sm_10, map_f64_to_f32
  bool uses_alloca = false;
  std::vector<Op> ops;
  std::vector<OpSource> sources;  // one per op
  std::vector<Ref> lists;         // operands of vectors and tensors
  std::vector<std::uint32_t> jump_tables;
  std::vector<CallSite> calls;
  std::vector<std::byte> constants;  // what Refs with constant_bit point into; 64-byte aligned use
  std::vector<Routine> routines;
  std::vector<GlobalVariable> variables;
  std::vector<std::string> files;
  std::shared_ptr<const std::string> text;
  TextLines lines;  // of the text

  // What the address of a device function is: no memory lies there.
  static constexpr std::uint64_t function_tag = 0x7f00'0000'0000'0000u;
  static constexpr std::uint64_t function_address(std::uint32_t routine) {
    return function_tag + routine + 1;
  }
  // Index of the routine an address stands for, -1 when it is none.
  std::int64_t routine_at(std::uint64_t address) const {
    const std::uint64_t index = address - function_tag - 1;
    return index < routines.size() ? static_cast<std::int64_t>(index) : -1;
  }

  const Routine* kernel(std::string_view name) const;
  std::string_view line_text(int ptx_line) const;  // for reports
};

// Gives a .global or .const variable its memory and returns its address; writes the initial bytes.
struct VariablePlacement {
  std::string_view name;
  ptx::Space space{};
  std::uint64_t bytes = 0, align = 1;
  bool is_extern = false;
  bool is_managed = false;
};
using Placer = std::function<std::uint64_t(const VariablePlacement&)>;
using Writer = std::function<void(std::uint64_t address, const void* bytes, std::size_t size)>;

class OpcodeTable;

// Resolves names, binds every instruction to its handler, finds where divergent lanes meet, and
// allocates registers to slots by liveness. Throws ptx::Refused.
Program decode(const ptx::Module& module, const OpcodeTable& table, const Placer& place,
               const Writer& write);

}  // namespace aisp::sim
