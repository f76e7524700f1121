// A thin skin over SQLite's C interface: statements that end by themselves, and every error as one
// line that names the file and the way out. The database is never repaired or replaced here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace aisp::lab {

class Database {
 public:
  // Opens or creates. Waits up to 30 s for other writers before it gives up.
  explicit Database(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const char* sql);
  std::int64_t number(const char* sql);  // the first column of the first row
  // Keeps readers and writers of other processes out of each other's way.
  void use_write_ahead_log();

  [[noreturn]] void refuse_error(int code) const;
  sqlite3* get() const { return handle_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

class Statement {
 public:
  Statement(Database& database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Binds in order of the question marks, starting again after each run.
  Statement& operator<<(std::string_view value);
  Statement& operator<<(std::int64_t value);
  Statement& operator<<(int value) { return *this << static_cast<std::int64_t>(value); }
  Statement& operator<<(double value);
  Statement& operator<<(const std::optional<double>& value);

  bool step();  // true: a row is ready
  void run();   // to the end, ready to be bound again

  std::string text(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::optional<double> maybe_real(int column) const;

 private:
  void check(int code) const;

  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
  int next_ = 1;
};

// Rolls back unless commit() was reached. A writer takes its lock at once: a lock taken late could
// not wait for another writer without a deadlock.
class Transaction {
 public:
  enum class Intent { read, write };
  Transaction(Database& database, Intent intent);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace aisp::lab
