#include "sim/machine/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace aisp::sim {
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

std::uint64_t at(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

TEST(Memory, AllocationsAreAlignedZeroAndApart) {
  Memory memory(gib);
  std::vector<char*> all;
  for (const std::size_t bytes : {1, 16, 512, 4096, 100000, 1 << 20}) {
    auto* const block = static_cast<char*>(memory.allocate(bytes, MemoryKind::device));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(at(block) % 512, 0u);
    EXPECT_TRUE(std::all_of(block, block + bytes, [](char c) { return c == 0; }));
    std::memset(block, 0x5a, bytes);
    const auto found = memory.find(at(block) + bytes - 1);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->bytes, bytes);
    for (std::size_t i = 0; i < 512; ++i) {
      EXPECT_FALSE(memory.find(at(block) + bytes + i)) << bytes << " + " << i;
      EXPECT_FALSE(memory.find(at(block) - 1 - i));
    }
    all.push_back(block);
  }
  for (char* block : all) EXPECT_EQ(*block, 0x5a);
}

TEST(Memory, CapacityIsThatOfTheDevice) {
  Memory memory(1 << 20);
  void* first = memory.allocate(1 << 19, MemoryKind::device);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(memory.used(), 1 << 19);
  EXPECT_EQ(memory.allocate((1 << 19) + 1, MemoryKind::device), nullptr);
  EXPECT_NE(memory.allocate(1 << 21, MemoryKind::pinned), nullptr) << "host memory is not counted";
  ASSERT_TRUE(memory.release(first));
  EXPECT_EQ(memory.used(), 0);
  EXPECT_NE(memory.allocate(1 << 20, MemoryKind::device), nullptr);
}

TEST(Memory, DevicesCountForThemselvesAndOpenTheirMemory) {
  Memory memory(1 << 20, 3);
  void* block = memory.allocate_on(1, 1 << 20, MemoryKind::device);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(memory.allocate_on(1, 512, MemoryKind::device), nullptr);
  EXPECT_NE(memory.allocate_on(2, 512, MemoryKind::device), nullptr);
  EXPECT_EQ(memory.used(0), 0);
  EXPECT_EQ(memory.used(1), 1 << 20);
  const auto reachable = [&](int device) {
    return memory.reachable(*memory.find(reinterpret_cast<std::uint64_t>(block)), device);
  };
  EXPECT_TRUE(reachable(1));
  EXPECT_FALSE(reachable(0));
  memory.let_reach(0, 1, true);
  EXPECT_TRUE(reachable(0));
  EXPECT_FALSE(reachable(2)) << "each device asks for itself";
  memory.put_into_pool(block, 1u << 2);  // from here on the pool decides
  EXPECT_FALSE(reachable(0));
  EXPECT_TRUE(reachable(2));
  EXPECT_TRUE(reachable(1));
  ASSERT_TRUE(memory.release(block));
  EXPECT_EQ(memory.used(1), 0);
  const auto host = reinterpret_cast<std::uint64_t>(memory.allocate(64, MemoryKind::pinned));
  EXPECT_TRUE(memory.reachable(*memory.find(host), 2)) << "host memory is everybody's";
}

TEST(Memory, OnlyTheStartOfALiveAllocationIsReleased) {
  Memory memory(gib);
  auto* block = static_cast<char*>(memory.allocate(64, MemoryKind::device));
  EXPECT_FALSE(memory.release(block + 8));
  EXPECT_FALSE(memory.release(&memory));
  EXPECT_TRUE(memory.release(block));
  EXPECT_FALSE(memory.release(block));
}

TEST(Memory, FreedAddressesStayWrong) {
  Memory memory(gib);
  auto* block = static_cast<char*>(memory.allocate(256, MemoryKind::device));
  memory.release(block);
  for (int i = 0; i < 100; ++i) {
    void* other = memory.allocate(256, MemoryKind::device);
    EXPECT_NE(other, block);
    memory.release(other);
  }
  EXPECT_FALSE(memory.find(at(block)));
  EXPECT_TRUE(memory.was_freed(at(block) + 100));
  EXPECT_FALSE(memory.was_freed(at(block) + 256));
}

TEST(Memory, DescribesWhereAnAddressLies) {
  Memory memory(gib);
  auto* block = static_cast<char*>(memory.allocate(1024, MemoryKind::device));
  auto* named = static_cast<char*>(memory.allocate(16, MemoryKind::module_global, "counter"));
  EXPECT_NE(memory.describe(at(block) + 1028, 4).find("4 bytes past the end of allocation #1"),
            std::string::npos);
  EXPECT_NE(memory.describe(at(block) - 8, 4).find("8 bytes before the start of allocation #1"),
            std::string::npos);
  EXPECT_NE(memory.describe(at(block) + 1022, 4).find("the last 2 of 4 bytes"), std::string::npos);
  EXPECT_NE(memory.describe(at(named) + 16, 4).find("'counter'"), std::string::npos);
  memory.release(block);
  EXPECT_NE(memory.describe(at(block) + 4, 4).find("4 bytes into allocation #1"),
            std::string::npos);
  EXPECT_NE(memory.describe(at(block) + 4, 4).find("freed"), std::string::npos);
  int local = 0;
  EXPECT_NE(memory.describe(at(&local), 4).find("host memory"), std::string::npos);
  EXPECT_EQ(memory.describe(0, 4), "a null pointer");
}

TEST(Memory, HostMemoryIsAdopted) {
  Memory memory(gib);
  std::vector<char> host(4096);
  EXPECT_TRUE(memory.is_host(at(host.data())));
  EXPECT_FALSE(memory.find(at(host.data())));
  ASSERT_TRUE(memory.adopt(host.data(), host.size()));
  EXPECT_EQ(memory.find(at(host.data()) + 4095)->kind, MemoryKind::pinned);
  EXPECT_FALSE(memory.adopt(host.data() + 1, 10)) << "overlaps";
  EXPECT_FALSE(memory.release(host.data())) << "not ours to free";
  EXPECT_TRUE(memory.disown(host.data()));
  EXPECT_FALSE(memory.disown(host.data()));
}

TEST(Memory, TheTableIsSortedAndFollowsChanges) {
  Memory memory(gib);
  const auto generation = memory.generation();
  std::vector<void*> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back(memory.allocate(100, MemoryKind::device));
  const auto before = memory.table();
  ASSERT_EQ(before->size(), 10u);
  EXPECT_TRUE(std::is_sorted(before->begin(), before->end(),
                             [](const auto& a, const auto& b) { return a.base < b.base; }));
  memory.release(blocks[3]);
  EXPECT_EQ(memory.table()->size(), 9u);
  EXPECT_EQ(before->size(), 10u) << "readers keep what they had";
  EXPECT_GT(memory.generation(), generation);
}

TEST(Memory, ConstantsAndParametersAreReadOnlyForKernels) {
  Memory memory(gib);
  const auto read_only = [&](MemoryKind kind) {
    return memory.find(at(memory.allocate(16, kind)))->read_only;
  };
  EXPECT_TRUE(read_only(MemoryKind::module_const));
  EXPECT_TRUE(read_only(MemoryKind::params));
  EXPECT_FALSE(read_only(MemoryKind::module_global));
  EXPECT_FALSE(read_only(MemoryKind::managed));
}

TEST(Memory, LargeAlignmentIsKept) {
  Memory memory(gib);
  for (const std::uint64_t align : {256u, 1024u, 4096u, 65536u})
    EXPECT_EQ(at(memory.allocate(8, MemoryKind::module_global, "v", align)) % align, 0u);
}

TEST(Memory, ManyThreadsMayAllocate) {
  Memory memory(gib);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        auto* block = static_cast<char*>(memory.allocate(1000, MemoryKind::device));
        std::memset(block, 1, 1000);
        memory.table();
        EXPECT_TRUE(memory.release(block));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(memory.used(), 0);
  EXPECT_TRUE(memory.table()->empty());
}

TEST(Windows, AreFourGibibytesAndApart) {
  EXPECT_NE(Windows::shared(), Windows::local());
  EXPECT_EQ(Windows::shared() % (std::uint64_t{1} << 32), 0u);
  EXPECT_TRUE(Windows::in(Windows::shared(), Windows::shared() + 0xffffffffu));
  EXPECT_FALSE(Windows::in(Windows::shared(), Windows::local()));
  Memory memory(gib);
  EXPECT_FALSE(memory.is_host(Windows::shared() + 5));
  EXPECT_FALSE(memory.is_host(Windows::local() + 5));
}

}  // namespace
}  // namespace aisp::sim
