// The last step of a routine: labels become pcs, branches learn where their lanes meet, registers
// get their slots.
#include <algorithm>

#include "base/refuse.hpp"
#include "sim/program/function_decoder.hpp"
#include "sim/program/slots.hpp"

namespace aisp::sim {

void FunctionDecoder::branch_to(const Binding& binding, std::string_view label) {
  const Symbol* symbol = scopes_.find(label);
  if (symbol == nullptr || symbol->kind != Symbol::Kind::label)
    binding.refuse(base::say("'", label, "' is not a label of this scope"));
  jumps_.push_back({next_op() - 1, false, false, {symbol->index}});
}

void FunctionDecoder::branch_table(const Binding& binding, std::string_view list, Op& op) {
  const Symbol* symbol = scopes_.find(list);
  if (symbol == nullptr || symbol->kind != Symbol::Kind::targets || symbol->targets->is_calls)
    binding.refuse(base::say("'", list, "' is not a .branchtargets list of this scope"));
  Jump jump{next_op() - 1, true, false, {}};
  for (const std::string_view name : symbol->targets->labels) {
    const Symbol* label = scopes_.find(name);
    if (label == nullptr || label->kind != Symbol::Kind::label)
      binding.refuse(base::say("'", name, "' is not a label of this scope"));
    jump.labels.push_back(label->index);
  }
  op.imm = jump.labels.size();
  jumps_.push_back(std::move(jump));
}

void FunctionDecoder::link() {
  Program& program = module_.program;
  const auto base = static_cast<std::uint32_t>(program.ops.size());
  routine_.entry = base;
  routine_.end = base + next_op();
  routine_.frame_bytes = static_cast<std::uint32_t>(frame_bytes_);
  routine_.uses_functions = uses_functions_;
  if (function_.is_entry) {
    const std::uint64_t align = own_shared_.dynamic_align;
    const std::uint64_t rounded = (own_shared_.end + align - 1) / align * align;
    if (rounded > most_on_chip)
      module_.refuse(
          function_.position.line,
          base::say(rounded, " bytes of shared memory, at most ", most_on_chip, " are possible"));
    routine_.static_shared = static_cast<std::uint32_t>(rounded);
    routine_.shared_variables = own_shared_.variables;
    routine_.static_shared_used = static_cast<std::uint32_t>(own_shared_.end);
  }
  const FlowGraph graph = link_jumps(base);
  mark_products();  // while Refs still name registers
  mark_loads();
  drop_unread();
  allocate(graph);
  program.ops.insert(program.ops.end(), ops_.begin(), ops_.end());
  program.sources.insert(program.sources.end(), sources_.begin(), sources_.end());
}

FlowGraph FunctionDecoder::link_jumps(std::uint32_t base) {
  std::vector<std::uint32_t>& tables = module_.program.jump_tables;
  std::vector<Transfer> transfers;
  for (const Jump& jump : jumps_) {
    Op& op = ops_[jump.op];
    Transfer transfer{jump.op, op.guard != no_ref, jump.leaves, {}};
    for (const std::uint32_t label : jump.labels) transfer.targets.push_back(labels_[label].op);
    if (jump.is_table) {
      op.target = static_cast<std::uint32_t>(tables.size());
      for (const std::uint32_t target : transfer.targets) tables.push_back(base + target);
    } else if (!jump.leaves) {
      op.target = base + transfer.targets[0];
    }
    transfers.push_back(std::move(transfer));
  }
  FlowGraph graph = make_flow_graph(next_op(), transfers);
  set_joins(graph, transfers, base);
  return graph;
}

// A guarded call sends some lanes away; the others wait behind it.
void FunctionDecoder::set_joins(const FlowGraph& graph, const std::vector<Transfer>& transfers,
                                std::uint32_t base) {
  for (const std::uint32_t call : calls_) ops_[call].join = base + call + 1;
  const std::vector<std::uint32_t> meets = post_dominators(graph);
  for (const Transfer& transfer : transfers) {
    const std::uint32_t meet = meets[graph.block_of(transfer.op)];
    if (meet != graph.exit())
      ops_[transfer.op].join = base + graph.blocks[meet].first;
    else
      ops_[transfer.op].join = function_.is_entry ? Program::no_join : Program::join_at_return;
  }
}

void FunctionDecoder::allocate(const FlowGraph& graph) {
  std::vector<std::uint8_t> words(registers_.size());
  for (std::size_t reg = 0; reg < registers_.size(); ++reg) {
    const Register& known = registers_[reg];
    const std::uint32_t bytes = lane_bytes(slot_class(known.type));
    words[reg] = known.special == Special::count ? static_cast<std::uint8_t>(bytes / 4) : 0;
  }
  const Liveness liveness = find_liveness(graph, touches_, words);
  routine_.registers_32 = static_cast<int>(liveness.most_words);

  std::vector<SlotRequest> requests(registers_.size());
  for (std::size_t reg = 0; reg < registers_.size(); ++reg) {
    const Register& known = registers_[reg];
    requests[reg] = {slot_class(known.type), known.kept || known.special != Special::count,
                     liveness.intervals[reg]};
  }
  const SlotPlan plan = plan_slots(requests);
  const bool stands_alone = function_.is_entry && !uses_functions_;
  const std::uint32_t first = stands_alone ? 0 : module_.functions_registers;
  if (!function_.is_entry) {
    module_.functions_registers += plan.bytes;
    routine_.registers = plan.classes;
    for (RegisterClass& registers : routine_.registers) registers.first += first;
  }
  routine_.register_bytes = first + plan.bytes;
  if (routine_.register_bytes >= virtual_bit)
    module_.refuse(function_.position.line, "the registers of one warp do not fit into 1 GiB");
  for (std::size_t reg = 0; reg < registers_.size(); ++reg)
    if (registers_[reg].special != Special::count)
      routine_.specials.push_back(
          {registers_[reg].special, first + plan.place[reg], registers_[reg].wide});

  auto settle = [&](Ref& ref) {
    if (is_virtual(ref)) ref = first + plan.place[ref & ~virtual_bit];
  };
  for (Op& op : ops_)
    for (Ref* ref : {&op.dst, &op.dst2, &op.a, &op.b, &op.c, &op.d, &op.guard}) settle(*ref);
  std::vector<Ref>& lists = module_.program.lists;
  std::for_each(lists.begin() + lists_begin_, lists.end(), settle);
}

void FunctionDecoder::mark_products() {
  if (products_.empty()) return;
  std::vector<bool> held(registers_.size());  // accumulators and A: a wgmma lists them
  for (const std::uint32_t product : products_) {
    const auto first = module_.program.lists.begin() + ops_[product].list;
    std::for_each(first, first + ops_[product].list_size, [&](Ref ref) {
      if (is_virtual(ref)) held[ref & ~virtual_bit] = true;
    });
  }
  for (std::uint32_t op = 0; op < next_op(); ++op)
    for (std::uint32_t at = touches_.begin(op); at < touches_.end(op); ++at)
      ops_[op].touches_products |= held[touches_.list[at].reg];
  for (const std::uint32_t product : products_) ops_[product].touches_products = false;
  for (const std::uint32_t move : moves_) {
    ops_[move].touches_products = false;
    for (std::uint32_t at = touches_.begin(move); at < touches_.end(move); ++at)
      ops_[move].drains_products |= registers_[touches_.list[at].reg].kept;
  }
}

void FunctionDecoder::mark_loads() {
  if (loads_.empty()) return;
  std::vector<bool> held(registers_.size());
  for (const std::uint32_t load : loads_)
    for (std::uint32_t at = touches_.begin(load); at < touches_.end(load); ++at)
      if (touches_.list[at].kind != Touch::Kind::read) held[touches_.list[at].reg] = true;
  // The assembler removes a mov: whoever reads its result reads the load's. Copies of copies are
  // found in as many rounds as their chain is long. Each has a place of its own, as an observer
  // tells registers apart by their places.
  for (bool found = true; found;) {
    found = false;
    for (const std::uint32_t move : moves_) {
      bool reads = false;
      for (std::uint32_t at = touches_.begin(move); at < touches_.end(move); ++at)
        reads |= touches_.list[at].kind == Touch::Kind::read && held[touches_.list[at].reg];
      if (!reads) continue;
      ops_[move].copies_load = true;
      for (std::uint32_t at = touches_.begin(move); at < touches_.end(move); ++at) {
        const std::uint32_t reg = touches_.list[at].reg;
        if (touches_.list[at].kind == Touch::Kind::read || held[reg]) continue;
        held[reg] = registers_[reg].kept = found = true;
      }
    }
  }
  for (std::uint32_t op = 0; op < next_op(); ++op)
    for (std::uint32_t at = touches_.begin(op); at < touches_.end(op); ++at)
      ops_[op].touches_loads |= held[touches_.list[at].reg];
}

// Compilers widen loads to a vector whose other elements nobody wanted: a result that no
// instruction reads goes nowhere, as one named `_` does. A load of which nothing is read stays: it
// was written for what it does.
void FunctionDecoder::drop_unread() {
  if (vector_loads_.empty()) return;
  std::vector<bool> read(registers_.size());
  for (const Touch& touch : touches_.list)
    if (touch.kind == Touch::Kind::read) read[touch.reg] = true;
  const auto unread = [&](Ref ref) { return is_virtual(ref) && !read[ref & ~virtual_bit]; };
  for (const std::uint32_t load : vector_loads_) {
    const auto first = module_.program.lists.begin() + ops_[load].list;
    const auto end = first + ops_[load].list_size;
    const bool wanted =
        std::any_of(first, end, [&](Ref ref) { return is_virtual(ref) && !unread(ref); });
    if (wanted) std::replace_if(first, end, unread, no_ref);
  }
}

}  // namespace aisp::sim
