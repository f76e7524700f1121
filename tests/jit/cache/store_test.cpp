#include "jit/cache/store.hpp"

#include <sys/stat.h>

#include "tests/jit/cache/cache_test.hpp"

namespace aisp::jit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreTest : public CacheTest {
 protected:
  // The entry is not taken: it is put aside, said once, compiled again and kept again.
  void expect_put_aside(const std::string& why) {
    said.clear();
    compiles = 0;
    Store again = make_store();
    EXPECT_FALSE(again.find(some_key)) << why;
    EXPECT_TRUE(same(get(again), some_entry()));
    EXPECT_EQ(compiles, 1) << why;
    EXPECT_THAT(said, ElementsAre(testing::AllOf(HasSubstr(why), HasSubstr(".bad"))));
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::symlink_status(file(".bad"))));
    EXPECT_TRUE(same(get(again), some_entry()));
    EXPECT_EQ(compiles, 1) << "kept after " << why;
    EXPECT_EQ(said.size(), 1u);
  }
};

TEST_F(StoreTest, KeepsWhatWasCompiled) {
  Store first = make_store();
  EXPECT_FALSE(first.find(some_key));
  EXPECT_TRUE(same(get(first), some_entry()));
  Store second = make_store();
  EXPECT_TRUE(same(get(second), some_entry()));
  EXPECT_EQ(compiles, 1);
  EXPECT_THAT(said, IsEmpty());
  EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
}

TEST_F(StoreTest, AFailedCompileIsNotKept) {
  Store store = make_store();
  for (int attempt = 0; attempt < 2; ++attempt)
    EXPECT_THROW(store.get(some_key, []() -> Entry { throw std::runtime_error("bad text"); }),
                 std::runtime_error);
  EXPECT_FALSE(store.find(some_key));
}

TEST_F(StoreTest, TakesNoEntryWithAnyByteFlipped) {
  Entry small = some_entry();
  small.cubin.resize(40);
  const std::string good = bytes_of(some_key, small);
  EXPECT_EQ(problem_with(good, some_key), "");
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const int bit : {0, 3, 7}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1 << bit);
      ASSERT_NE(problem_with(bad, some_key), "") << "byte " << at << ", bit " << bit;
    }
  for (std::size_t length = 0; length < good.size(); ++length)
    ASSERT_NE(problem_with(good.substr(0, length), some_key), "") << length << " bytes";
  EXPECT_EQ(problem_with(good + "x", some_key), "has 1 bytes too many");
  EXPECT_EQ(problem_with(good, sha256_of("other")), "has another key in it");
}

TEST_F(StoreTest, PutsADamagedEntryAside) {
  Store store = make_store();
  get(store);
  std::string bytes = lab::text_of(file());
  bytes[bytes.size() / 2] ^= 1;
  lab::write_text(file(), bytes);
  expect_put_aside("section 0 is damaged");
}

TEST_F(StoreTest, PutsAnEntryOfAnotherFormatAside) {
  Store store = make_store();
  get(store);
  std::string bytes = lab::text_of(file());
  bytes[8] = 77;
  lab::write_text(file(), bytes);
  expect_put_aside("has format 77, this program 1");
}

TEST_F(StoreTest, FollowsNoSymbolicLink) {
  Store store = make_store();
  get(store);
  std::filesystem::rename(file(), files.path() / "elsewhere");
  std::filesystem::create_symlink(files.path() / "elsewhere", file());
  expect_put_aside("is a symbolic link");
}

TEST_F(StoreTest, TakesNoEntryThatOthersMayWrite) {
  Store store = make_store();
  get(store);
  chmod(file().c_str(), 0662);
  expect_put_aside("may be written by others (mode 0662)");
}

TEST_F(StoreTest, TakesNoEntryOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  Store store = make_store();
  get(store);
  ASSERT_EQ(chown(file().c_str(), 65534, 65534), 0);
  expect_put_aside("belongs to user 65534, not to 0");
}

TEST_F(StoreTest, TakesNoPipe) {
  Store store = make_store();
  get(store);
  std::filesystem::remove(file());
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  expect_put_aside("is no regular file");
}

TEST_F(StoreTest, TakesNoEntryThatIsTooLarge) {
  Store store = make_store();
  get(store);
  std::filesystem::resize_file(file(), CacheFolder::largest_file + 1);
  expect_put_aside("has 67108865 bytes, more than 67108864");
}

TEST_F(StoreTest, DoesNotUseAFolderThatOthersMayWrite) {
  Store first = make_store();
  get(first);
  for (const mode_t mode : {0777, 0770, 0702}) {
    chmod(folder.c_str(), mode);
    said.clear();
    compiles = 0;
    Store store = make_store();
    get(store);
    get(store);
    EXPECT_EQ(compiles, 2) << "nothing is read from it";
    EXPECT_THAT(said, ElementsAre(testing::AllOf(HasSubstr("may be written by others"),
                                                 HasSubstr("going on without"))));
  }
}

TEST_F(StoreTest, GoesOnWhereTheFolderCannotBe) {
  lab::write_text(folder, "a file in its place");
  Store store = make_store();
  EXPECT_TRUE(same(get(store), some_entry()));
  EXPECT_TRUE(same(get(store), some_entry()));
  EXPECT_EQ(compiles, 2);
  EXPECT_THAT(said, ElementsAre(HasSubstr("Not a directory; going on without it")));
}

TEST_F(StoreTest, RemovesTheLeastRecentlyUsed) {
  const auto bytes = bytes_of(some_key, some_entry()).size();
  Store store = make_store(3 * bytes + 100);
  const auto key = [](int number) { return sha256_of(base::say("key ", number)); };
  for (int number = 0; number < 3; ++number) {
    get(store, key(number));
    usleep(10000);
  }
  EXPECT_TRUE(store.find(key(0)));  // used again: now 1 is the oldest
  usleep(10000);
  get(store, key(3));
  EXPECT_TRUE(store.find(key(0)));
  EXPECT_FALSE(store.find(key(1)));
  EXPECT_TRUE(store.find(key(2)));
  EXPECT_TRUE(store.find(key(3)));
}

TEST_F(StoreTest, KeepsTheNewestHoweverLarge) {
  Store store = make_store(10);
  get(store);
  EXPECT_TRUE(store.find(some_key));
}

TEST_F(StoreTest, ClearsWhatIsItsOwn) {
  Store store = make_store();
  get(store);
  lab::write_text(file(".bad"), "bad");
  lab::write_text(file(".host.1.0.tmp"), "temporary");
  lab::write_text(folder / "notes.txt", "a user's");
  EXPECT_EQ(kept_entries(folder).size(), 2u);
  const Cleared cleared = clear_cache(folder);
  EXPECT_EQ(cleared.files, 3);
  std::vector<std::string> left;
  for (const auto& one : std::filesystem::directory_iterator(folder))
    left.push_back(one.path().filename());
  EXPECT_THAT(left, ElementsAre("notes.txt"));
  EXPECT_TRUE(kept_entries(folder).empty());
}

TEST_F(StoreTest, ListsWhatIsThereAndWhetherItIsSound) {
  EXPECT_TRUE(kept_entries(folder).empty());
  EXPECT_FALSE(std::filesystem::exists(folder)) << "looking makes nothing";
  Store store = make_store();
  get(store);
  auto entries = kept_entries(folder);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].key, hex_of(some_key));
  EXPECT_THAT(entries[0].kernels, ElementsAre("scale"));
  EXPECT_EQ(entries[0].problem, "");
  lab::write_text(file(), "short");
  chmod(file().c_str(), 0600);
  EXPECT_THAT(kept_entries(folder)[0].problem, HasSubstr("has 5 bytes"));
  chmod(folder.c_str(), 0777);
  EXPECT_EQ(lab::refusal_of([&] { kept_entries(folder); }).exit(), base::Exit::environment);
}

TEST(Entries, HoldACompileUnchanged) {
  const Compiled compiled{.cubin = std::string("\x7f"
                                               "ELF\0\1",
                                               6),
                          .ptx = "ptx",
                          .log = "a: warning\n",
                          .resources = {{"scale", 32, 8, 4, 12, 1024}},
                          .seconds = 1.25};
  const auto back = compiled_of(entry_in(bytes_of(some_key, entry_of({"name", "text"}, compiled))));
  EXPECT_EQ(back.cubin, compiled.cubin);
  EXPECT_EQ(back.ptx, compiled.ptx);
  EXPECT_EQ(back.log, compiled.log);
  EXPECT_EQ(back.seconds, 1.25);
  ASSERT_EQ(back.resources.size(), 1u);
  EXPECT_EQ(back.resources[0].kernel, "scale");
  EXPECT_EQ(back.resources[0].registers, 32);
  EXPECT_EQ(back.resources[0].stack, 8);
  EXPECT_EQ(back.resources[0].spill_stores, 4);
  EXPECT_EQ(back.resources[0].spill_loads, 12);
  EXPECT_EQ(back.resources[0].shared, 1024);
}

TEST(Keys, ChangeWithAllThatACompileDependsOn) {
  const KernelText text{"a.cu", "text"};
  std::set<std::string> keys{hex_of(key_of(text, {}))};
  keys.insert(hex_of(key_of({"b.cu", "text"}, {})));
  keys.insert(hex_of(key_of({"a.cu", "text "}, {})));
  keys.insert(hex_of(key_of({"a.cut", "ext"}, {})));
  keys.insert(hex_of(key_of(text, {.architecture = "sm_80"})));
  keys.insert(hex_of(key_of(text, {.architecture = "compute_90a"})));
  keys.insert(hex_of(key_of(text, {.further = {"-DA"}})));
  keys.insert(hex_of(key_of(text, {.further = {"-D", "A"}})));
  EXPECT_EQ(keys.size(), 8u);
  EXPECT_EQ(key_of(text, {}), key_of(text, {.timed = true})) << "the result is the same";
  EXPECT_EQ(hex_of(sha256_of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace aisp::jit
