// The search for an interpreter: whatever is wrong with it becomes one line.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <chrono>

#include "peers/python/briefly.hpp"
#include "tests/peers/python_support.hpp"

namespace aisp::peers {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class PythonSearch : public PythonTest {};

TEST_F(PythonSearch, AProgramThatIsNotThereIsNamed) {
  EXPECT_EQ(ask_python("/nowhere/python3", 10).missing,
            "/nowhere/python3 cannot be run (No such file or directory)");
}

TEST_F(PythonSearch, AProgramThatFailsIsQuoted) {
  const auto program = script("echo first >&2; echo 'no such option' >&2; exit 3");
  EXPECT_EQ(ask_python(program, 10).missing, program + " ended with exit code 3: no such option");
}

TEST_F(PythonSearch, AProgramThatIsKilledSaysSo) {
  EXPECT_THAT(ask_python(script("kill -9 $$"), 10).missing, HasSubstr("was killed by signal 9"));
}

TEST_F(PythonSearch, AProgramThatHangsIsStopped) {
  const auto before = std::chrono::steady_clock::now();
  EXPECT_THAT(ask_python(script("exec sleep 60"), 0.3).missing,
              HasSubstr("did not answer within 0.3 s"));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(30));
}

TEST_F(PythonSearch, AnotherProgramIsNotTakenForPython) {
  const auto program = script("echo hello");
  EXPECT_EQ(ask_python(program, 10).missing, program + " is no Python 3: it answered 'hello'");
  EXPECT_THAT(ask_python(script("echo 'probe: {\"version\": 3}'"), 10).missing,
              HasSubstr("is no Python 3"));
  EXPECT_THAT(ask_python(script("true"), 10).missing, HasSubstr("it answered ''"));
}

TEST_F(PythonSearch, AnInterpreterWithoutASharedLibrarySaysWhatWasTried) {
  const auto python = ask_python(
      script("echo 'probe: {\"executable\": \"/opt/python3\", \"version\": \"3.12.3\","
             "\"home\": \"/opt\", \"prefix\": \"/opt\", \"exec_prefix\": \"/opt\", \"path\": [],"
             "\"libraries\": [\"/opt/libpython3.12.so.1.0\", \"libpython_none.so\"],"
             "\"torch\": \"2.11.0\", \"triton\": \"\"}'"),
      10);
  EXPECT_EQ(python.missing,
            "Python 3.12.3 at /opt/python3 has no shared library: tried "
            "/opt/libpython3.12.so.1.0, libpython_none.so");
  EXPECT_EQ(python.torch, "2.11.0");
}

class RealPython : public PythonTest {
 protected:
  void SetUp() override {
    if (!python3().missing.empty()) GTEST_SKIP() << python3().missing;
  }
};

TEST_F(RealPython, SaysWhatItIs) {
  const auto& python = python3();
  EXPECT_THAT(python.version, StartsWith("3."));
  EXPECT_THAT(python.executable, StartsWith("/"));
  EXPECT_FALSE(python.path.empty());
  void* library = dlopen(python.library.c_str(), RTLD_LAZY);
  ASSERT_NE(library, nullptr) << python.library;
  EXPECT_NE(dlsym(library, "Py_InitializeEx"), nullptr) << python.library;
}

TEST_F(RealPython, MayPrintSomethingOfItsOwnFirst) {
  const auto python = ask_python(script("echo welcome; exec python3 \"$@\""), 60);
  EXPECT_EQ(python.missing, "");
  EXPECT_THAT(python.version, StartsWith("3."));
}

TEST_F(RealPython, FindsModulesWithoutImportingThem) {
  write({{"torch/__init__.py", "raise ImportError('must not be imported')\n"},
         {"triton/__init__.py", ""},
         {"triton-9.8.7.dist-info/METADATA",
          "Metadata-Version: 2.1\nName: triton\nVersion: 9.8.7\n"}});
  const auto python =
      ask_python(script("PYTHONPATH=" + folder().string() + " exec python3 \"$@\""), 60);
  EXPECT_EQ(python.missing, "");
  EXPECT_EQ(python.torch, "of unknown version");
  EXPECT_EQ(python.triton, "9.8.7");
  EXPECT_THAT(python.path, testing::Contains(folder().string()));
}

TEST(RunBriefly, KeepsBothStreamsApartWhateverTheirLength) {
  const auto answer = run_briefly(
      {"sh", "-c", "i=0; while [ $i -lt 20000 ]; do echo out$i; echo err$i >&2; i=$((i+1)); done"},
      60);
  EXPECT_EQ(answer.failure, "");
  EXPECT_EQ(last_line(answer.out), "out19999");
  EXPECT_EQ(last_line(answer.err), "err19999");
  EXPECT_EQ(answer.out.size(), answer.err.size());
}

TEST(RunBriefly, GivesItNothingToRead) {
  EXPECT_EQ(run_briefly({"sh", "-c", "cat; echo end"}, 30).out, "end\n");
}

TEST(LastLine, PassesOverEmptyOnes) {
  EXPECT_EQ(last_line("a\nb\n\n  \n"), "b");
  EXPECT_EQ(last_line(""), "");
}

}  // namespace
}  // namespace aisp::peers
