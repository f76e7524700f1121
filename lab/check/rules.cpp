#include "lab/check/rules.hpp"

namespace lab {

const std::vector<RuleHelp>& rule_helps() {
  static const std::vector<RuleHelp> all{
      {"shared-race", "unordered accesses to shared memory",
       "Two threads of a block touch the same bytes, one of them writes, and no barrier, mbarrier "
       "or wait stands between: which value is seen depends on the schedule.",
       "Put __syncthreads(), __syncwarp() or the pipeline's own barrier between the two accesses, "
       "or give each thread bytes of its own."},
      {"cluster-race", "unordered accesses to another block's shared memory",
       "Blocks of a cluster run at their own pace: a remote access may come before the owner has "
       "written, or while it writes again.",
       "Order them with a cluster barrier (arrive.release and wait.acquire) or with an mbarrier in "
       "the block that owns the memory."},
      {"global-race", "unordered accesses to global memory",
       "Two threads touch the same bytes of global memory, one of them writes, and neither a "
       "barrier nor a release/acquire pair of sufficient scope orders them.",
       "Use atomics with release and acquire at gpu scope, a barrier when both are in one block, "
       "or a second kernel."},
      {"proxy-fence", "generic write read by the asynchronous proxy without fence.proxy.async",
       "The copy engine and wgmma reach memory by another path than st: a barrier alone does not "
       "make an ordinary write visible to them.",
       "Let the writing threads execute fence.proxy.async after their writes, then the barrier, "
       "and "
       "start the copy or the product after that."},
      {"tensormap-fence", "tensor map changed without a fence of the tensormap proxy",
       "A tensor map is read through a cache of its own: without the fence a copy may use the old "
       "descriptor, or half of the new one.",
       "Release with fence.proxy.tensormap::generic.release after the change, acquire with the "
       "128 bytes of the map before the copy."},
      {"mbarrier-init", "mbarrier used before its initialisation is visible",
       "An arrival, a wait or a copy that comes before mbarrier.init counts on whatever lay in "
       "shared memory, and hangs or passes at random.",
       "Initialise in one thread, then fence.mbarrier_init for other blocks or fence.proxy.async "
       "for the copy engine, then a block or cluster barrier."},
      {"mbarrier-reinit", "mbarrier initialised or overwritten while it is live",
       "Threads or copies still count on its phase; a new count makes them wait for ever or go on "
       "too early.",
       "Call mbarrier.inval after all have left it, with a barrier before the next "
       "initialisation; keep its eight bytes out of other buffers."},
      {"mbarrier-transactions", "expected and arriving transaction bytes differ",
       "A phase ends when the bytes announced by expect_tx have arrived: too few and it never "
       "ends, too many and the next phase starts wrong.",
       "Announce exactly what the copies of the phase bring, the bytes outside of a tensor "
       "included: they arrive as zeros and count."},
      {"mbarrier-arrivals", "more arrivals at an mbarrier than it expects",
       "The surplus arrival counts for the next phase, which then ends before its work is done.",
       "Make the count of mbarrier.init the number of arrivals per phase: of threads, of elected "
       "lanes, or of warps, whichever of them arrive."},
      {"mbarrier-phase", "a wait on an mbarrier may fall two phases behind",
       "A wait names a parity, not a phase: two phases on, the parity is the same again and the "
       "wait blocks or passes wrongly.",
       "Let whoever starts the next phase wait until all have seen this one: the empty barrier of "
       "a pipeline does that."},
      {"mbarrier-parity", "a first wait on an mbarrier has the wrong parity",
       "On a fresh mbarrier a wait for parity 1 passes at once and one for parity 0 blocks: the "
       "wrong one reads data that has not come, or hangs.",
       "Consumers start with parity 0, producers waiting for an empty slot with parity 1; flip it "
       "each time the ring comes round."},
      {"wgmma-registers", "registers of a wgmma touched while it is in flight",
       "wgmma.mma_async reads and writes registers after the instruction has been issued; what "
       "other instructions see or change there is undefined.",
       "Execute wgmma.commit_group and wgmma.wait_group before the accumulator is read or A is "
       "written again."},
      {"wgmma-fence", "wgmma without wgmma.fence after its registers were written",
       "The product may read the accumulator or A before ordinary writes to those registers have "
       "been done.",
       "Execute wgmma.fence.sync.aligned in all four warps before the first wgmma that uses them."},
      {"wgmma-operand", "shared operand of a wgmma overwritten before its wait",
       "The product reads shared memory until its group has been waited for: a buffer released "
       "earlier is overwritten under it.",
       "Release the buffer after wgmma.wait_group has covered the product that reads it."},
      {"copy-wait", "cp.async data read, or its buffer reused, before the wait",
       "cp.async returns at once; until its group is waited for, the bytes in shared memory are "
       "the old ones.",
       "Execute cp.async.wait_group (or wait_all) in the threads that copied, then a barrier for "
       "the others; a partial last iteration needs a smaller number of groups left over."},
      {"bulk-wait", "bulk load read, or its buffer reused, before its mbarrier's phase",
       "A bulk copy is done when its mbarrier's phase ends; before that the destination holds a "
       "mixture.",
       "Wait for the phase of the mbarrier that the copy was given in every thread that reads, and "
       "wait for all readers before the buffer is loaded again."},
      {"bulk-source", "source of a bulk store overwritten before wait_group.read",
       "The copy engine reads shared memory after the instruction has been issued; what is written "
       "there in the meantime goes out instead.",
       "Execute cp.async.bulk.commit_group and wait_group.read in the thread that started the "
       "store, then a barrier, before the buffer is written again."},
      {"early-exit", "a block exits while its shared memory is in use",
       "Shared memory of a block that has exited belongs to the next one: late copies and remote "
       "accesses of the cluster hit it.",
       "Wait for bulk stores before the end, and end blocks of a cluster that reach into each "
       "other with a cluster barrier."},
      {"register-budget", "setmaxnreg asks for more registers than the block has",
       "setmaxnreg.inc waits until registers are free; when the warps together ask for more than "
       "the block was given, it waits for ever.",
       "Let the sum over all warps of registers times 32 stay within what the launch reserved, and "
       "decrease in the producer before consumers increase."},
      {"barrier-mismatch", "threads at a barrier disagree about its count",
       "A named barrier opens when the given number of threads has come; different numbers, or a "
       "number that nobody reaches, open it early or never.",
       "Use one barrier number per group of threads, and the same multiple of 32 in all of them."},
      {"divergent-aligned", "an .aligned instruction reached by part of a warp",
       "Aligned instructions need all 32 lanes at the same place: with some of them elsewhere the "
       "behaviour is undefined.",
       "Take the instruction out of the branch, or bring the lanes together with __syncwarp() "
       "first."},
      {"deadlock", "nobody can go on",
       "Every warp waits for another, or for a copy or an arrival that will not come; on a GPU "
       "the kernel hangs.",
       "Follow the waits in the graph: the first that nobody answers misses an arrival, waits for "
       "the wrong parity, or stands in a branch that others skipped."},
      {"dependency-wait", "memory of the previous kernel touched before griddepcontrol.wait",
       "With programmatic launch a kernel starts while the one before it still runs; its results "
       "are visible only after griddepcontrol.wait.",
       "Call cudaGridDependencySynchronize() before the first access to memory that the kernel "
       "before it writes, or reads and this one writes."},
      {"stream-race", "two streams touch the same memory with no event between them",
       "Work of different streams may run in any order and at the same time.",
       "Record an event after the first and let the second stream wait for it, or use one stream."},
      {"host-race", "the host touches memory of a copy or kernel under way",
       "An asynchronous call has returned before its work is done: the host reads old bytes, or "
       "changes what is still being read.",
       "Synchronise the stream or an event before the host touches the buffer."},
      {"freed-in-stream", "memory used after cudaFreeAsync",
       "After the free, in stream order, the memory belongs to whoever allocates next.",
       "Free in the stream that used it last, or after an event recorded behind the last use."},
      {"uninitialised", "memory read that nobody has written",
       "What is read is whatever was left there, and differs from run to run.",
       "Write it first: cudaMemset, a fill of the tile's edge, or a predicate on the read."},
      {"memory-fault", "an access outside its allocation, or misaligned",
       "The kernel stops with an error, or damages another buffer.",
       "Compare the index with the extent that the message names, and the address with the "
       "alignment."},
      {"misuse", "an instruction used against its own rules",
       "The PTX manual leaves the behaviour undefined, or the instruction traps.",
       "Give the instruction what its rule asks for; the message names the rule."},
      {"bank-conflict", "lanes of a warp meet in a bank of shared memory",
       "Accesses of one instruction to different words of a bank are done one after the other.",
       "Swizzle or pad the layout so that the lanes of a warp spread over all 32 banks.", true},
      {"uncoalesced", "lanes of a warp spread over more sectors than they need",
       "Global memory moves in sectors of 32 bytes: what is fetched and not used is lost "
       "bandwidth.",
       "Let neighbouring lanes access neighbouring addresses, in 16 bytes each where possible.",
       true},
  };
  return all;
}

const RuleHelp* rule_help(const std::string& name) {
  for (const auto& rule : rule_helps())
    if (rule.name == name) return &rule;
  return nullptr;
}

std::string rules_page() {
  std::string page;
  for (const auto& rule : rule_helps()) {
    page += std::string(rule.name) + (rule.advice ? " (advice)" : "") + ": " + rule.title + "\n";
    page += std::string("  why: ") + rule.why + "\n  fix: " + rule.fix + "\n\n";
  }
  page.pop_back();
  return page;
}

}  // namespace lab
