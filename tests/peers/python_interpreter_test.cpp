// The interpreter inside the process, with this machine's Python and modules of the test's own.
#include "peers/python/interpreter.hpp"

#include <gmock/gmock.h>

#include "base/refuse.hpp"
#include "tests/peers/python_support.hpp"

namespace aisp::peers {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* sample = R"py(
import inspect, os, sys
from aisp_peers.bridge import Refused

def add(a, b):
    return {"sum": a + b, "text": "grün"}

def fails(lines):
    raise ValueError(lines)

def refuses():
    raise Refused("no kernel for this shape")

def leaves():
    sys.exit(3)

def unspeakable():
    return object()

def source():
    return inspect.getsource(add)

def surroundings():
    import neighbour
    return {"executable": sys.executable, "argv": sys.argv, "first": sys.path[0],
            "home": os.environ.get("PYTHONHOME"), "neighbour": neighbour.name, "prefix": sys.prefix}
)py";

class InProcess : public PythonTest {
 protected:
  void SetUp() override {
    if (!python3().missing.empty()) GTEST_SKIP() << python3().missing;
  }

  std::string call(const std::string& function, const json& arguments = json::object(),
                   const std::string& text = sample) const {
    return in_child([&] {
      Interpreter python(with_folder(), {{"sample", text}});
      return python.call(function, arguments).dump();
    });
  }
};

TEST_F(InProcess, ArgumentsGoInAndResultsComeOut) {
  EXPECT_EQ(call("sample.add", {{"a", 40}, {"b", 2}}), R"({"sum":42,"text":"grün"})");
  EXPECT_EQ(call("sample.add", {{"a", "ä"}, {"b", "ß"}}), R"({"sum":"äß","text":"grün"})");
  EXPECT_EQ(call("sample.add", {{"a", std::uint64_t{1} << 63}, {"b", 0}}),
            R"({"sum":9223372036854775808,"text":"grün"})")
      << "addresses need all 64 bits";
}

TEST_F(InProcess, AnExceptionIsOneLine) {
  EXPECT_EQ(call("sample.fails", {{"lines", "first\nsecond"}}), "threw: ValueError: first");
  EXPECT_EQ(call("sample.fails", {{"lines", ""}}), "threw: ValueError");
  EXPECT_EQ(call("sample.refuses"), "threw: no kernel for this shape");
  EXPECT_EQ(call("sample.leaves"), "threw: SystemExit: 3");
  EXPECT_THAT(call("sample.unspeakable"), HasSubstr("threw: TypeError: "));
}

TEST_F(InProcess, WhatIsNotThereIsNamed) {
  EXPECT_THAT(call("sample.nothing"), HasSubstr("threw: AttributeError: "));
  EXPECT_THAT(call("other.add"), HasSubstr("threw: ModuleNotFoundError: No module named"));
  EXPECT_THAT(call("sample.add", {{"a", 1}}), HasSubstr("missing 1 required"));
  EXPECT_THAT(call("sample.add", {{"a", 1}, {"b", 2}}, "import no_such_package\n"),
              HasSubstr("threw: ModuleNotFoundError: No module named 'no_such_package'"));
  EXPECT_THAT(call("sample.add", {{"a", 1}, {"b", 2}}, "def add(a, b:\n"),
              HasSubstr("threw: SyntaxError: "));
}

TEST_F(InProcess, GoesOnAfterAnException) {
  EXPECT_EQ(in_child([&] {
              Interpreter python(with_folder(), {{"sample", sample}});
              try {
                python.call("sample.fails", {{"lines", "x"}});
              } catch (const PythonError&) {
              }
              return python.call("sample.add", {{"a", 1}, {"b", 2}}).at("sum").dump();
            }),
            "3");
}

TEST_F(InProcess, SourcesThatTheProgramCarriesCanBeRead) {
  EXPECT_THAT(call("sample.source"), HasSubstr(R"(def add(a, b):\n    return {)"));
}

TEST_F(InProcess, LooksLikeTheInterpreterThatWasAsked) {
  write({{"neighbour.py", "name = 'next door'\n"}});
  const auto around = json::parse(call("sample.surroundings"));
  const auto& asked = python3();
  EXPECT_EQ(around.at("executable"), asked.executable);
  EXPECT_EQ(around.at("argv"), json::array({asked.executable}));
  EXPECT_EQ(around.at("first"), folder().string());
  EXPECT_EQ(around.at("neighbour"), "next door");
  EXPECT_EQ(around.at("prefix"), asked.prefix);
  EXPECT_TRUE(around.at("home").is_null()) << "a child would take another Python's modules";
}

TEST_F(InProcess, StartsOnce) {
  EXPECT_EQ(in_child([&] {
              Interpreter first(with_folder(), {});
              Interpreter second(with_folder(), {});
              return std::string("two of them");
            }),
            "threw: Python runs in this process already");
}

TEST(Interpreter, AnotherLibraryIsNotTakenForPython) {
  const auto with_library = [](const std::string& library) {
    return in_child([&] {
      Python python;
      python.library = library;
      Interpreter started(python, {});
      return std::string("started");
    });
  };
  EXPECT_EQ(with_library("libm.so.6"),
            "threw: libm.so.6 is no library of Python 3: it has no Py_IsInitialized");
  EXPECT_THAT(with_library("/nowhere/libpython3.so"), HasSubstr("threw: Python is not usable: "));
}

TEST(Interpreter, EndsTheProcessWithItsExitCodeAndWhatWasPrinted) {
  const auto leave = [] {
    std::atexit([] { std::abort(); });
    end_before_others();
    std::fputs("written before the end", stderr);
    std::exit(7);
  };
  EXPECT_EXIT(leave(), testing::ExitedWithCode(7), "written before the end");
}

}  // namespace
}  // namespace aisp::peers
