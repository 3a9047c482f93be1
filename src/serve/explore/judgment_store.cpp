// SPDX-License-Identifier: Apache-2.0
// The one file that sees SQLite.
#include "serve/explore/judgment_store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <filesystem>
#include <initializer_list>
#include <mutex>
#include <string_view>
#include <variant>

#include "data/io/files/file.h"
#include "dorm/error.h"
#include "serve/exchange.h"

namespace dorm::explore {
namespace {

constexpr int kApplication = 0x646f726d;  // "dorm"
constexpr int kSchema = 1;
constexpr int kBusyMilliseconds = 3000;  // for writers of other processes; clients of the server wait no longer

constexpr const char* kTables = R"(
CREATE TABLE judgments(judge TEXT NOT NULL, query TEXT NOT NULL, document TEXT NOT NULL, label REAL NOT NULL,
  at TEXT NOT NULL, PRIMARY KEY(judge, query, document)) WITHOUT ROWID;
CREATE TABLE changes(number INTEGER PRIMARY KEY AUTOINCREMENT, judge TEXT NOT NULL, query TEXT NOT NULL,
  document TEXT NOT NULL, label REAL, before REAL, at TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0);
CREATE INDEX changes_of_judge ON changes(judge, undone, number);
CREATE TABLE trials(judge TEXT NOT NULL, query TEXT NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL,
  better TEXT NOT NULL CHECK(better IN ('first', 'second', 'same')), at TEXT NOT NULL,
  PRIMARY KEY(judge, query, first, second)) WITHOUT ROWID;
CREATE TABLE about(salt TEXT NOT NULL);
INSERT INTO about VALUES(lower(hex(randomblob(16))));
)";
constexpr const char* kNow = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

/// A value of a statement.
struct Value : std::variant<std::string_view, std::optional<float>, std::int64_t> {
  using variant::variant;
  Value(const std::string& text) : variant(std::string_view(text)) {}
};

/// One statement, bound and stepped.
class Statement {
 public:
  Statement(sqlite3* handle, const std::string& path, const std::string& sql, std::initializer_list<Value> values)
      : handle_(handle), path_(path) {
    check(sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement_, nullptr));
    int place = 0;
    for (const Value& value : values) bind(++place, value);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Whether there is a row.
  bool step() {
    const int result = sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) check(result);
    return result == SQLITE_ROW;
  }
  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))) : "";
  }
  std::optional<float> label(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
    return static_cast<float>(sqlite3_column_double(statement_, column));
  }
  std::int64_t whole(int column) const { return sqlite3_column_int64(statement_, column); }

 private:
  void check(int result) const {
    if (result == SQLITE_OK) return;
    if (result == SQLITE_BUSY)
      throw serve::Refusal(503, path_ + ": another process is writing to the judgments; try again");
    const bool other = result == SQLITE_NOTADB || result == SQLITE_CORRUPT;
    throw Error(other ? ErrorCode::bad_input : ErrorCode::io, {path_}, sqlite3_errmsg(handle_));
  }
  void bind(int place, const Value& value) {
    if (const auto* text = std::get_if<std::string_view>(&value))
      check(sqlite3_bind_text(statement_, place, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT));
    else if (const auto* number = std::get_if<std::int64_t>(&value))
      check(sqlite3_bind_int64(statement_, place, *number));
    else if (const auto& label = std::get<std::optional<float>>(value))
      check(sqlite3_bind_double(statement_, place, *label));
    else
      check(sqlite3_bind_null(statement_, place));
  }

  sqlite3* handle_;
  const std::string& path_;
  sqlite3_stmt* statement_ = nullptr;
};

/// Looks at the header before SQLite does, which would change a database of another program, or wait for its locks.
void require_own(const std::string& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  constexpr std::size_t kHeader = 100, kPlaceOfApplication = 68;
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_regular_file(status))
    throw Error(ErrorCode::bad_input, {path}, "no regular file; expected a database of dorm explore, or none");
  std::array<char, kHeader> header{};
  InputFile file(path);
  if (file.size() == 0) return;
  if (file.size() >= kHeader) file.read_at(0, header.data(), kHeader);
  std::uint32_t application = 0;
  for (std::size_t k = 0; k < 4; ++k)
    application = application << 8 | static_cast<unsigned char>(header[kPlaceOfApplication + k]);
  if (std::string_view(header.data(), kMagic.size()) != kMagic)
    throw Error(ErrorCode::bad_input, {path}, "no database; expected one of dorm explore, or none");
  if (application != kApplication)
    throw Error(ErrorCode::bad_input, {path}, "a database of something else; expected one of dorm explore, or none");
}

}  // namespace

struct JudgmentStore::Database {
  explicit Database(const std::string& file) : path(file) {
    require_own(file);
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    if (const int result = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr); result != SQLITE_OK) {
      const std::string message = handle ? sqlite3_errmsg(handle) : "out of memory";
      sqlite3_close(handle);
      throw Error(ErrorCode::io, {path}, message);
    }
    try {
      prepare();
    } catch (...) {
      sqlite3_close(handle);
      throw;
    }
  }
  ~Database() { sqlite3_close(handle); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void prepare() {
    sqlite3_busy_timeout(handle, kBusyMilliseconds);
    run("PRAGMA synchronous = FULL");
    begin();
    const std::int64_t application = number("PRAGMA application_id"), schema = number("PRAGMA user_version");
    const bool fresh = number("SELECT count(*) FROM sqlite_master") == 0;
    if (!fresh && application != kApplication)
      throw Error(ErrorCode::bad_input, {path}, "a database of something else; expected one of dorm explore, or none");
    if (!fresh && schema != kSchema)
      throw Error(ErrorCode::bad_input, {path},
                  fmt::format("judgments of version {}; expected version {}, which this dorm knows", schema, kSchema));
    if (fresh) {
      execute(kTables);
      execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kSchema).c_str());
    }
    run("COMMIT");
    run("PRAGMA journal_mode = WAL");  // after the header says whose it is
  }

  void run(const std::string& sql, std::initializer_list<Value> values = {}) {
    Statement statement(handle, path, sql, values);
    while (statement.step()) {
    }
  }
  std::int64_t number(const std::string& sql, std::initializer_list<Value> values = {}) {
    Statement statement(handle, path, sql, values);
    return statement.step() ? statement.whole(0) : 0;
  }
  void execute(const char* sql) {
    if (sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
      throw Error(ErrorCode::io, {path}, sqlite3_errmsg(handle));
  }
  void begin() { run("BEGIN IMMEDIATE"); }

  /// body() in a transaction that is on the disk when this returns.
  template <class Body>
  auto transact(const Body& body) {
    const std::lock_guard lock(mutex);
    begin();
    try {
      auto result = body();
      run("COMMIT");
      return result;
    } catch (...) {
      sqlite3_exec(handle, "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  }

  void write(const std::string& judge, const std::string& query, const std::string& document,
             std::optional<float> label) {
    if (label)
      run(fmt::format("INSERT INTO judgments VALUES(?, ?, ?, ?, {}) ON CONFLICT DO UPDATE SET label = excluded.label, "
                      "at = excluded.at",
                      kNow),
          {judge, query, document, label});
    else
      run("DELETE FROM judgments WHERE judge = ? AND query = ? AND document = ?", {judge, query, document});
  }

  std::size_t count(const std::string& judge) {
    return static_cast<std::size_t>(number("SELECT count(*) FROM judgments WHERE judge = ?", {judge}));
  }

  std::string path;
  sqlite3* handle = nullptr;
  std::mutex mutex;  // one statement at a time: transactions belong to the connection
};

bool JudgmentStore::available() { return true; }

JudgmentStore::JudgmentStore(const std::string& path) : database_(std::make_unique<Database>(path)) {}
JudgmentStore::~JudgmentStore() = default;

LabelChange JudgmentStore::give(const std::string& judge, const std::string& query, const std::string& document,
                                std::optional<float> label) {
  Database& db = *database_;
  return db.transact([&] {
    LabelChange change{query, document, label, std::nullopt, 0};
    {
      Statement now(db.handle, db.path, "SELECT label FROM judgments WHERE judge = ? AND query = ? AND document = ?",
                    {judge, query, document});
      if (now.step()) change.before = now.label(0);
    }
    db.write(judge, query, document, label);
    db.run(
        fmt::format("INSERT INTO changes(judge, query, document, label, before, at) VALUES(?, ?, ?, ?, ?, {})", kNow),
        {judge, query, document, label, change.before});
    change.judgments = db.count(judge);
    return change;
  });
}

LabelChange JudgmentStore::undo(const std::string& judge) {
  Database& db = *database_;
  return db.transact([&] {
    LabelChange change;
    std::int64_t last = 0;
    {
      Statement found(db.handle, db.path,
                      "SELECT number, query, document, before, label FROM changes WHERE judge = ? AND undone = 0 "
                      "ORDER BY number DESC LIMIT 1",
                      {judge});
      if (found.step()) {
        last = found.whole(0);
        change = {found.text(1), found.text(2), found.label(3), found.label(4), 0};
      }
    }
    if (last > 0) {
      db.run("UPDATE changes SET undone = 1 WHERE number = ?", {last});
      db.write(judge, change.query, change.document, change.label);
    }
    change.judgments = db.count(judge);
    return change;
  });
}

std::vector<GivenLabel> JudgmentStore::all(const std::string& judge) const {
  const std::lock_guard lock(database_->mutex);
  Statement rows(database_->handle, database_->path,
                 "SELECT judge, query, document, label, at FROM judgments WHERE ?1 = '' OR judge = ?1 "
                 "ORDER BY judge, query, document",
                 {judge});
  std::vector<GivenLabel> out;
  while (rows.step()) out.push_back({rows.text(0), rows.text(1), rows.text(2), *rows.label(3), rows.text(4)});
  return out;
}

std::unordered_map<std::string, float> JudgmentStore::labels(const std::string& judge, const std::string& query) const {
  const std::lock_guard lock(database_->mutex);
  Statement rows(database_->handle, database_->path,
                 "SELECT document, label FROM judgments WHERE judge = ? AND query = ?", {judge, query});
  std::unordered_map<std::string, float> out;
  while (rows.step()) out.emplace(rows.text(0), *rows.label(1));
  return out;
}

std::unordered_map<std::string, std::size_t> JudgmentStore::counts(const std::string& judge) const {
  const std::lock_guard lock(database_->mutex);
  Statement rows(database_->handle, database_->path,
                 "SELECT query, count(*) FROM judgments WHERE judge = ? GROUP BY query", {judge});
  std::unordered_map<std::string, std::size_t> out;
  while (rows.step()) out.emplace(rows.text(0), static_cast<std::size_t>(rows.whole(1)));
  return out;
}

std::string JudgmentStore::salt() const {
  const std::lock_guard lock(database_->mutex);
  Statement row(database_->handle, database_->path, "SELECT salt FROM about", {});
  return row.step() ? row.text(0) : "";
}

std::unordered_set<std::string> JudgmentStore::answered(const std::string& judge, const TrialPair& pair) const {
  const std::lock_guard lock(database_->mutex);
  Statement rows(database_->handle, database_->path,
                 "SELECT query FROM trials WHERE judge = ? AND first = ? AND second = ?",
                 {judge, pair.first, pair.second});
  std::unordered_set<std::string> out;
  while (rows.step()) out.insert(rows.text(0));
  return out;
}

bool JudgmentStore::answer(const std::string& judge, const std::string& query, const TrialPair& pair,
                           const std::string& better) {
  Database& db = *database_;
  return db.transact([&] {
    db.run(fmt::format("INSERT OR IGNORE INTO trials VALUES(?, ?, ?, ?, ?, {})", kNow),
           {judge, query, pair.first, pair.second, better});
    return sqlite3_changes(db.handle) > 0;
  });
}

TrialCounts JudgmentStore::trials(const TrialPair& pair) const {
  const std::lock_guard lock(database_->mutex);
  Statement rows(database_->handle, database_->path,
                 "SELECT better, count(*) FROM trials WHERE first = ? AND second = ? GROUP BY better",
                 {pair.first, pair.second});
  TrialCounts counts;
  while (rows.step()) {
    const std::string better = rows.text(0);
    (better == "first"    ? counts.first
     : better == "second" ? counts.second
                          : counts.same) = static_cast<std::size_t>(rows.whole(1));
  }
  return counts;
}

}  // namespace dorm::explore
