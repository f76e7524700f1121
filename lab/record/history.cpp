#include "lab/record/history.hpp"

#include <map>

#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

constexpr const char* tables = R"(
CREATE TABLE runs(
  id TEXT PRIMARY KEY, started TEXT NOT NULL, version TEXT NOT NULL, revision TEXT NOT NULL,
  hardware TEXT NOT NULL, device TEXT NOT NULL, driver TEXT NOT NULL, runtime TEXT NOT NULL,
  simulated INTEGER NOT NULL, timer TEXT NOT NULL, l2 TEXT NOT NULL,
  status TEXT NOT NULL, verdict TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE rows(
  run TEXT NOT NULL REFERENCES runs(id), place INTEGER NOT NULL,
  chapter TEXT NOT NULL, target TEXT NOT NULL, entry TEXT NOT NULL, rung TEXT NOT NULL,
  peer INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, samples INTEGER NOT NULL,
  median_ms REAL, low_ms REAL, high_ms REAL, speedup REAL, roof_share REAL,
  PRIMARY KEY(run, place)) WITHOUT ROWID;
CREATE INDEX rows_by_target ON rows(target);
CREATE INDEX rows_by_chapter ON rows(chapter);
)";

constexpr const char* select_rows = R"(
SELECT runs.id, started, version, revision, hardware, device, simulated, target, entry, rung, peer,
       rows.status, reason, samples, median_ms, low_ms, high_ms, speedup, roof_share,
       timer, l2
FROM rows JOIN runs ON runs.id = rows.run
WHERE ?1 = '' OR target = ?1 OR chapter = ?1
ORDER BY started DESC, runs.id DESC, place LIMIT ?2)";

std::string before(const std::string& text, char separator) {
  return text.substr(0, text.find(separator));
}

RowStatus status_of(const std::string& text) {
  if (const auto status = value_named<RowStatus>(text)) return *status;
  base::refuse(base::Exit::environment, "the history has a row whose status is '", text,
               "', which this aisp does not know; use the aisp that wrote it");
}

HistoryRow row_at(const Statement& row) {
  return {.run = row.text(0),
          .started = row.text(1),
          .version = row.text(2),
          .commit = row.text(3),
          .hardware = row.text(4),
          .device = row.text(5),
          .simulated = row.integer(6) != 0,
          .target = row.text(7),
          .entry = row.text(8),
          .rung = row.text(9),
          .peer = row.integer(10) != 0,
          .status = status_of(row.text(11)),
          .reason = row.text(12),
          .samples = static_cast<int>(row.integer(13)),
          .median_ms = row.real(14),
          .low_ms = row.real(15),
          .high_ms = row.real(16),
          .speedup = row.real(17),
          .roof_share = row.maybe_real(18),
          .timer = row.text(19),
          .l2 = row.text(20)};
}

void insert_run(Database& database, const RunFile& run) {
  const auto device = run.device.value_or(DeviceRecord{});
  Statement insert(database, "INSERT INTO runs VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)");
  insert << run.header.id << run.header.started << run.header.version << run.header.commit
         << device.hardware << device.name << device.driver << device.runtime
         << int{device.simulated} << name_of(run.header.timer) << name_of(run.header.l2)
         << (run.end ? name_of(run.end->status) : "") << (run.end ? run.end->verdict : "");
  insert.run();
}

void insert_rows(Database& database, const RunFile& run) {
  std::map<std::string, std::string> target_of;
  for (const auto& plan : run.header.plan) target_of[plan.entry] = plan.target;
  Statement insert(database, "INSERT INTO rows VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  int place = 0;
  for (const auto& row : latest_rows(run)) {
    const auto planned = target_of.find(row.entry);
    const std::string target =
        planned != target_of.end() ? planned->second : before(row.entry, '/');
    insert << run.header.id << place++ << before(target, ':') << target << row.entry << row.rung
           << int{row.peer} << name_of(row.status) << row.reason << row.samples << row.median_ms
           << row.low_ms << row.high_ms << row.speedup << row.roof_share;
    insert.run();
  }
}

}  // namespace

History::History(const std::filesystem::path& path) : database_(path.string()) {
  check_version();
  database_.use_write_ahead_log();
  // A power cut may cost the last rows of the history, which the run files still have.
  database_.execute("PRAGMA synchronous = NORMAL");
  create_tables();
}

void History::check_version() {
  // One view for both questions: another process may be creating the tables right now.
  const Transaction view(database_, Transaction::Intent::read);
  const auto version = database_.number("PRAGMA user_version");
  if (version > history_schema)
    base::refuse(base::Exit::environment, "history ", database_.path(),
                 " was written by a newer aisp (schema ", version, ", this one knows ",
                 history_schema, "); use that aisp or choose another folder with --out DIR");
  if (version == 0 && database_.number("SELECT count(*) FROM sqlite_master") != 0)
    base::refuse(base::Exit::environment, "history ", database_.path(),
                 " is another program's database; choose another folder with --out DIR");
}

void History::create_tables() {
  if (database_.number("PRAGMA user_version") == history_schema) return;
  Transaction transaction(database_, Transaction::Intent::write);
  // Another process may have been first.
  if (database_.number("PRAGMA user_version") == history_schema) return;
  database_.execute(tables);
  database_.execute(base::say("PRAGMA user_version = ", history_schema).c_str());
  transaction.commit();
}

void History::record(const RunFile& run) {
  const std::lock_guard lock(guard_);
  Transaction transaction(database_, Transaction::Intent::write);
  for (const char* sql : {"DELETE FROM rows WHERE run = ?", "DELETE FROM runs WHERE id = ?"}) {
    Statement clear(database_, sql);
    clear << run.header.id;
    clear.run();
  }
  insert_run(database_, run);
  insert_rows(database_, run);
  transaction.commit();
}

std::vector<HistoryRow> History::rows(const std::optional<std::string>& target, int limit) {
  const std::lock_guard lock(guard_);
  Statement select(database_, select_rows);
  select << target.value_or("") << limit;
  std::vector<HistoryRow> found;
  while (select.step()) found.push_back(row_at(select));
  return found;
}

std::optional<std::string> History::latest_run(const std::optional<std::string>& chapter) {
  const std::lock_guard lock(guard_);
  Statement select(database_,
                   "SELECT runs.id FROM runs WHERE EXISTS(SELECT 1 FROM rows WHERE run = runs.id "
                   "AND (?1 = '' OR chapter = ?1)) ORDER BY started DESC, runs.id DESC LIMIT 1");
  select << chapter.value_or("");
  if (!select.step()) return std::nullopt;
  return select.text(0);
}

}  // namespace aisp::lab
