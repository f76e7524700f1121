#include "lab/record/sqlite.hpp"

#include <sqlite3.h>

#include <chrono>
#include <thread>

#include "base/file.hpp"
#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

constexpr int patience_ms = 30'000;

const char* way_out_of(int code) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return "move the file away and the next run starts a new history";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process holds it; try again when that has ended";
    case SQLITE_FULL:
      return "free some space or choose another folder with --out DIR";
    default:
      return "check the folder's permissions or choose another one with --out DIR";
  }
}

}  // namespace

Database::Database(const std::string& path) : path_(path) {
  // SQLite would wait for somebody to write into a FIFO.
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0 && !S_ISDIR(facts.st_mode))
    if (const auto kind = base::problem_with_kind(facts.st_mode); !kind.empty())
      base::refuse(base::Exit::environment, "history ", path, ": ", kind,
                   "; move it away and the next run starts a new history");
  const int code =
      sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  if (code != SQLITE_OK) {
    const std::string reason = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
    sqlite3_close(handle_);
    base::refuse(base::Exit::environment, "history ", path, ": ", reason, "; ", way_out_of(code));
  }
  sqlite3_busy_timeout(handle_, patience_ms);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::refuse_error(int code) const {
  base::refuse(base::Exit::environment, "history ", path_, ": ", sqlite3_errmsg(handle_), "; ",
               way_out_of(code));
}

void Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) refuse_error(code);
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

void Database::use_write_ahead_log() {
  // SQLite does not wait for the busy time-out when two processes switch at the same moment.
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(patience_ms);
  while (true) {
    const int code = sqlite3_exec(handle_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    if ((code & 0xff) != SQLITE_BUSY || Clock::now() > deadline) refuse_error(code);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Statement::Statement(Database& database, const char* sql) : database_(database) {
  check(sqlite3_prepare_v2(database.get(), sql, -1, &handle_, nullptr));
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.refuse_error(code);
}

Statement& Statement::operator<<(std::string_view value) {
  check(sqlite3_bind_text64(handle_, next_++, value.data(), value.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
  return *this;
}

Statement& Statement::operator<<(std::int64_t value) {
  check(sqlite3_bind_int64(handle_, next_++, value));
  return *this;
}

Statement& Statement::operator<<(double value) {
  check(sqlite3_bind_double(handle_, next_++, value));
  return *this;
}

Statement& Statement::operator<<(const std::optional<double>& value) {
  if (value) return *this << *value;
  check(sqlite3_bind_null(handle_, next_++));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.refuse_error(code);
  return code == SQLITE_ROW;
}

void Statement::run() {
  while (step()) continue;
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  next_ = 1;
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  const auto count = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return bytes ? std::string(bytes, count) : std::string();
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

double Statement::real(int column) const { return sqlite3_column_double(handle_, column); }

std::optional<double> Statement::maybe_real(int column) const {
  if (sqlite3_column_type(handle_, column) == SQLITE_NULL) return std::nullopt;
  return real(column);
}

Transaction::Transaction(Database& database, Intent intent) : database_(database) {
  database_.execute(intent == Intent::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace aisp::lab
