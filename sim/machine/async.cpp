#include "sim/machine/async.hpp"

#include <algorithm>

namespace aisp::sim {
namespace {

AsyncQueue& made(std::shared_ptr<AsyncQueue>& queue, bool ordered) {
  if (!queue) {
    queue = std::make_shared<AsyncQueue>();
    queue->ordered = ordered;
  }
  return *queue;
}

void finish(AsyncQueue& queue, std::uint64_t sequence) {
  std::erase_if(queue.items, [&](const auto& item) { return item.sequence == sequence; });
  for (std::size_t i = 0; i < queue.watchers.size();) {
    auto& waited = queue.watchers[i].sequences;
    std::erase(waited, sequence);
    if (!waited.empty()) {
      ++i;
      continue;
    }
    const auto done = std::move(queue.watchers[i].done);
    queue.watchers.erase(queue.watchers.begin() + static_cast<std::ptrdiff_t>(i));
    done();
  }
}

// One of the two steps of an operation. After a fault `acting` says whose it was.
void perform(Cluster& cluster, const std::function<void()>& step, std::uint64_t watched) {
  const std::uint64_t before = cluster.acting;
  cluster.acting = watched;
  step();
  cluster.acting = before;
}

void run_at(Cluster& cluster, std::size_t index) {
  AsyncOp op = std::move(cluster.pending[index]);
  cluster.pending.erase(cluster.pending.begin() + static_cast<std::ptrdiff_t>(index));
  Observer* const observer = cluster.grid->observer;
  try {
    if (op.read) perform(cluster, op.read, op.watched);
    perform(cluster, op.run, op.watched);
    if (observer != nullptr) observer->run_done(cluster, op.watched);
  } catch (const Fault&) {
    cluster.issuer = op.warp;
    cluster.issuer_lane = op.lane;
    cluster.issuer_pc = op.pc;
    throw;
  }
  if (op.queue != nullptr) finish(*op.queue, op.sequence);
  cluster.moved();
}

std::size_t find(const Cluster& cluster, std::uint64_t sequence) {
  // Pending operations are in order of issue.
  const auto at = std::lower_bound(
      cluster.pending.begin(), cluster.pending.end(), sequence,
      [](const AsyncOp& op, std::uint64_t wanted) { return op.sequence < wanted; });
  return at != cluster.pending.end() && at->sequence == sequence
             ? static_cast<std::size_t>(at - cluster.pending.begin())
             : cluster.pending.size();
}

// That operation, after those it must follow.
void run_sequence(Cluster& cluster, std::uint64_t sequence) {
  std::size_t index = find(cluster, sequence);
  if (index == cluster.pending.size()) return;
  if (const std::uint64_t after = cluster.pending[index].after; after != 0) {
    run_sequence(cluster, after);
    index = find(cluster, sequence);
  }
  run_at(cluster, index);
}

void read_sequence(Cluster& cluster, AsyncQueue::Item& item) {
  const std::size_t index = find(cluster, item.sequence);
  item.read_done = true;
  if (index == cluster.pending.size()) return;
  // Taken out first: reading must not happen twice, whatever it runs into.
  if (const auto read = std::move(cluster.pending[index].read))
    perform(cluster, read, cluster.pending[index].watched);
  cluster.pending[index].read = nullptr;
}

void enter(Warp& warp, AsyncKind kind, Mask mask, AsyncOp op) {
  Cluster& cluster = *warp.block->cluster;
  op.sequence = ++cluster.sequence;
  op.warp = &warp;
  op.lane = std::has_single_bit(mask) ? std::countr_zero(mask) : -1;
  if (cluster.running_group != nullptr) op.pc = cluster.running_group->pc;
  if (warp.observer != nullptr) op.watched = warp.observer->issued(warp, mask, kind);
  cluster.pending.push_back(std::move(op));
  if (cluster.grid->settings.order == Order::earliest) run_at(cluster, cluster.pending.size() - 1);
}

// What the tensor cores of the block and of its pair have been asked for last: copies of one thread
// are done before the products of another that was told of them.
std::uint64_t last_of_tensor_core(const Block& block) {
  std::uint64_t last = 0;
  for (const auto& other : block.cluster->blocks)
    if (other->rank / 2 == block.rank / 2)
      for (const auto& warp : other->warps)
        if (warp->tensor && !warp->tensor->items.empty())
          last = std::max(last, warp->tensor->items.back().sequence);
  return last;
}

}  // namespace

AsyncQueue& copies_of(Warp& warp) { return made(warp.copies, false); }
AsyncQueue& bulk_of(Warp& warp) { return made(warp.bulk, false); }
AsyncQueue& products_of(Warp& warp) { return made(warp.products, true); }
AsyncQueue& tensor_of(Warp& warp) { return made(warp.tensor, true); }
AsyncQueue& tensor_loads_of(Warp& warp) { return made(warp.tensor_loads, false); }
AsyncQueue& tensor_stores_of(Warp& warp) { return made(warp.tensor_stores, true); }

void issue(Warp& warp, AsyncKind kind, int lane, std::function<void()> run) {
  enter(warp, kind, Mask{1} << lane, {.read = {}, .run = std::move(run)});
}

void issue(Warp& warp, AsyncKind kind, AsyncQueue& queue, Mask mask, std::function<void()> run,
           std::function<void()> read) {
  AsyncQueue::Item item{.mask = mask, .sequence = warp.block->cluster->sequence + 1};
  std::copy(std::begin(queue.open), std::end(queue.open), item.group);
  std::uint64_t after = queue.ordered && !queue.items.empty() ? queue.items.back().sequence : 0;
  if (&queue == warp.tensor.get()) after = last_of_tensor_core(*warp.block);
  queue.items.push_back(item);
  enter(warp, kind, mask,
        {.read = std::move(read), .run = std::move(run), .after = after, .queue = &queue});
}

void complete_groups(Cluster& cluster, AsyncQueue& queue, Mask mask, std::uint32_t newest,
                     bool read_only) {
  const auto due = [&](const AsyncQueue::Item& item) {
    if (read_only && item.read_done) return false;
    for (Mask left = item.mask & mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      // Groups 0 .. open - 1 are committed.
      if (std::uint64_t{item.group[lane]} + newest < queue.open[lane]) return true;
    }
    return false;
  };
  while (true) {
    const auto item = std::find_if(queue.items.begin(), queue.items.end(), due);
    if (item == queue.items.end()) return;
    if (read_only)
      read_sequence(cluster, *item);
    else
      run_sequence(cluster, item->sequence);
  }
}

void complete_all(Cluster& cluster, AsyncQueue& queue, Mask mask) {
  while (true) {
    const auto item =
        std::find_if(queue.items.begin(), queue.items.end(),
                     [&](const auto& candidate) { return (candidate.mask & mask) != 0; });
    if (item == queue.items.end()) return;
    run_sequence(cluster, item->sequence);
  }
}

void settle_loads(Warp& warp, const Op& op) {
  Cluster& cluster = *warp.block->cluster;
  const auto names = [&](Ref ref) {
    const Ref* const list = warp.list(op);
    const Ref single[] = {op.dst, op.dst2, op.a, op.b, op.c, op.d};
    return std::find(std::begin(single), std::end(single), ref) != std::end(single) ||
           std::find(list, list + op.list_size, ref) != list + op.list_size;
  };
  const auto due = [&](const AsyncQueue::Item& item) {
    const Op& load = warp.program->ops[cluster.pending[find(cluster, item.sequence)].pc];
    const Ref* const list = warp.list(load);
    return std::any_of(list + load.target, list + load.list_size, names);
  };
  auto& items = warp.tensor_loads->items;
  while (true) {
    const auto item = std::find_if(items.begin(), items.end(), due);
    if (item == items.end()) return;
    run_sequence(cluster, item->sequence);
  }
}

void when_complete(Cluster&, AsyncQueue& queue, Mask mask, std::function<void()> done) {
  std::vector<std::uint64_t> sequences;
  for (const auto& item : queue.items)
    if ((item.mask & mask) != 0) sequences.push_back(item.sequence);
  if (sequences.empty())
    done();
  else
    queue.watchers.push_back({std::move(sequences), std::move(done)});
}

bool run_one_pending(Cluster& cluster) {
  if (cluster.pending.empty()) return false;
  const std::size_t last = cluster.pending.size() - 1;
  // Latest: the newest first, so that what was asked for first comes as late as it may.
  const std::size_t index = cluster.grid->settings.order == Order::random
                                ? next_random(cluster.random) % (last + 1)
                                : last;
  run_sequence(cluster, cluster.pending[index].sequence);
  return true;
}

std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace aisp::sim
