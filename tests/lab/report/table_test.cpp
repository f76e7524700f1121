#include "lab/report/table.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace aisp::lab {
namespace {

Table sample() {
  return {.columns = {{"name"}, {"time", true}, {"note"}},
          .rows = {{"a", "1.5 us", ""}, {"longer name", "12.25 us", "±2 %"}}};
}

TEST(Table, TextIsAlignedAndHasNoTrailingSpaces) {
  EXPECT_EQ(as_text(sample()),
            "name             time  note\n"
            "a              1.5 us\n"
            "longer name  12.25 us  ±2 %\n");
}

TEST(Table, TextCountsCharactersNotBytes) {
  const Table table{.columns = {{"a"}, {"b"}}, .rows = {{"±", "x"}, {"yy", "z"}}};
  EXPECT_EQ(as_text(table), "a   b\n±   x\nyy  z\n");
}

TEST(Table, WithoutRowsIsItsHeader) {
  const Table table{.columns = {{"a"}, {"b", true}}, .rows = {}};
  EXPECT_EQ(as_text(table), "a  b\n");
  EXPECT_EQ(as_csv(table), "a,b\r\n");
  EXPECT_EQ(as_markdown(table), "| a | b |\n|---|---:|\n");
  EXPECT_EQ(as_json(table), "[]\n");
}

TEST(Table, MarkdownEscapesItsSeparator) {
  Table table = sample();
  table.rows[0][2] = "a|b";
  EXPECT_EQ(as_markdown(table),
            "| name | time | note |\n"
            "|---|---:|---|\n"
            "| a | 1.5 us | a\\|b |\n"
            "| longer name | 12.25 us | ±2 % |\n");
}

// RFC 4180, read back by its rules.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      rows.back().back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\r') {
      ++i;  // the line feed
      rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  rows.pop_back();
  return rows;
}

TEST(Table, CsvQuotesWhatNeedsIt) {
  Table table = sample();
  table.rows = {{"a,b", "say \"hi\"", "two\r\nlines"}, {"plain", "", ","}};
  EXPECT_EQ(as_csv(table),
            "name,time,note\r\n\"a,b\",\"say \"\"hi\"\"\",\"two\r\nlines\"\r\nplain,,\",\"\r\n");
  const auto back = parse_csv(as_csv(table));
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(back[1], table.rows[0]);
  EXPECT_EQ(back[2], table.rows[1]);
}

TEST(Table, JsonIsOneObjectPerRow) {
  const auto list = nlohmann::json::parse(as_json(sample()));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["time"], "1.5 us");
  EXPECT_EQ(list[1]["name"], "longer name");
  EXPECT_EQ(list[1]["note"], "±2 %");
}

}  // namespace
}  // namespace aisp::lab
