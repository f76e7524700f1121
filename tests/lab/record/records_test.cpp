#include "lab/record/records.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/record/record_fields.hpp"
#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

// How many members an aggregate has: the most values it can be initialised with.
struct Anything {
  template <class T>
  operator T() const;
};

template <class T, class... Values>
constexpr std::size_t members() {
  if constexpr (requires { T{Values{}..., Anything{}}; })
    return members<T, Values..., Anything>();
  else
    return sizeof...(Values);
}

struct FieldCounter {
  std::size_t count = 0;
  void operator()(const char*, const auto&) { ++count; }
  void maybe(const char*, const auto&) { ++count; }
};

template <class... R>
void expect_all_listed() {
  const auto expect_listed = []<class T>(T record) {
    FieldCounter counter;
    fields(counter, record);
    EXPECT_EQ(counter.count, members<T>()) << "lab/record/record_fields.hpp, kind " << kind_of<T>;
  };
  (expect_listed(R{}), ...);
}

TEST(Records, EveryMemberIsListedAsAField) {
  expect_all_listed<EntryPlan, RunHeader, DeviceRecord, AttemptRecord, CheckRecord, SampleRecord,
                    RoofRecord, CounterRecord, ShareRecord, LineRecord, KernelRecord, ProfileRecord,
                    GapRecord, TraceRecord, RowRecord, EndRecord>();
}

TEST(Records, EveryKindComesBackAsItWas) {
  RecordMaker maker(1);
  for (int round = 0; round < 200; ++round)
    for (std::size_t kind = 0; kind < RecordMaker::kinds; ++kind) {
      const Record record = maker.make(kind);
      ASSERT_EQ(record.index(), kind);
      EXPECT_EQ(record_from_json(to_json(record)), record) << to_json(record);
      const std::string line = to_line(record);
      EXPECT_EQ(line.find('\n'), line.size() - 1);
      EXPECT_EQ(record_from_line(line), record) << line;
    }
}

TEST(Records, NotANumberSurvives) {
  CheckRecord check{.entry = "e", .rung = "r", .when = CheckTime::before, .report = {}};
  check.worst_ulp = std::nan("");
  const auto back = std::get<CheckRecord>(record_from_line(to_line(check)));
  EXPECT_TRUE(std::isnan(back.worst_ulp));
}

TEST(Records, EmptyOptionalFieldsAreLeftOut) {
  const json sample = to_json(sample_of("e", "r", 1, 0, 2.5));
  for (const char* name : {"sm_mhz", "watts", "celsius", "throttle"})
    EXPECT_FALSE(sample.contains(name)) << name;
  EXPECT_TRUE(sample.contains("ms"));
}

TEST(Records, BytesThatAreNotUtf8DoNotStopTheJournal) {
  const RowRecord row = row_of("e", "r", 1, RowStatus::failed, "bad \xff\xfe byte");
  const auto back = std::get<RowRecord>(record_from_line(to_line(row)));
  EXPECT_EQ(back.reason, "bad \xEF\xBF\xBD\xEF\xBF\xBD byte");
}

// Dropping any required field, or giving any field a wrong type, is refused by that field's name.
TEST(Records, MissingAndMistypedFieldsAreNamed) {
  RecordMaker maker(2);
  for (std::size_t kind = 0; kind < RecordMaker::kinds; ++kind) {
    const json good = to_json(maker.make(kind));
    for (const auto& [name, value] : good.items()) {
      json mistyped = good;
      mistyped[name] = json::object({{"odd", 1}});
      const auto wrong = refusal_of([&] { record_from_json(mistyped); });
      EXPECT_EQ(wrong.exit(), base::Exit::environment) << good["kind"] << name;
      EXPECT_NE(std::string(wrong.what()).find("\"" + name + "\""), std::string::npos)
          << wrong.what();
    }
  }
}

TEST(Records, RequiredFieldsAreRequired) {
  const json good = to_json(sample_of("e", "r", 1, 0, 2.5));
  for (const char* name : {"entry", "rung", "attempt", "index", "ms"}) {
    json missing = good;
    missing.erase(name);
    const auto refusal = refusal_of([&] { record_from_json(missing); });
    EXPECT_EQ(std::string(refusal.what()),
              base::say("not a sample record of schema 1: field \"", name, "\" is missing"));
  }
}

TEST(Records, NestedFieldsAreNamedWithTheirPath) {
  json header = to_json(small_run("r").header);
  header["plan"][0]["dims"][0] = "many";
  const auto refusal = refusal_of([&] { record_from_json(header); });
  EXPECT_NE(std::string(refusal.what()).find("\"plan[0].dims[0]\" must be a whole number"),
            std::string::npos)
      << refusal.what();
}

TEST(Records, WordsThatNobodyKnowsAreRefusedWithThoseThatAre) {
  json row = to_json(row_of("e", "r", 1, RowStatus::skipped));
  row["status"] = "splendid";
  EXPECT_STREQ(refusal_of([&] { record_from_json(row); }).what(),
               "not a row record of schema 1: field \"status\" must be one of measured, checked, "
               "wrong, failed, skipped, refused, got \"splendid\"");
}

TEST(Records, NumbersThatDoNotFitAreRefused) {
  const json good = to_json(sample_of("e", "r", 1, 0, 2.5));
  for (const json& value : {json(std::int64_t{1} << 40), json(1.5), json(true), json("3")}) {
    json bad = good;
    bad["index"] = value;
    EXPECT_EQ(refusal_of([&] { record_from_json(bad); }).exit(), base::Exit::environment) << value;
  }
  json negative = to_json(small_run("r").header);
  negative["seed"] = -1;
  EXPECT_EQ(refusal_of([&] { record_from_json(negative); }).exit(), base::Exit::environment);
}

TEST(Records, UnknownKindNoKindAndNoObjectAreRefused) {
  const auto unknown = refusal_of([] { record_from_json({{"kind", "frob"}}); });
  EXPECT_NE(std::string(unknown.what()).find("\"frob\"; known are run, device"), std::string::npos);
  for (const json& bad : {json::object(), json{{"kind", 3}}, json::array(), json(), json("row")})
    EXPECT_EQ(refusal_of([&] { record_from_json(bad); }).exit(), base::Exit::environment) << bad;
  EXPECT_EQ(refusal_of([] { record_from_line("{\"kind\":"); }).exit(), base::Exit::environment);
}

TEST(Records, AnotherSchemaVersionIsRefusedAsSuch) {
  json header = to_json(small_run("r").header);
  header["schema"] = 2;
  header.erase("timer");  // a field that version may not have
  const auto refusal = refusal_of([&] { record_from_json(header); });
  EXPECT_EQ(std::string(refusal.what()),
            "written with run schema 2, this aisp reads schema 1; use the aisp that wrote it");
}

TEST(Records, UnknownFieldsOfALaterAdditionAreIgnored) {
  const RowRecord row = row_of("e", "r", 1, RowStatus::checked);
  json object = to_json(row);
  object["colour"] = "blue";
  EXPECT_EQ(std::get<RowRecord>(record_from_json(object)), row);
}

}  // namespace
}  // namespace aisp::lab
