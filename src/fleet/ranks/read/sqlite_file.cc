// Opens SQLite databases of untrusted origin: read only, immutable, with limits on the length of values. Only
// plain tables are queried, and names are checked against the schema before they enter a query.
#include "fleet/ranks/read/sqlite_file.h"

#include <sqlite3.h>

#include <filesystem>

#include "base/error.h"
#include "base/http/http.h"

namespace lento::fleet::ranks {
namespace {

struct Finish {
  void operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
  }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finish>;

Statement prepare(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, sql.c_str(), int(sql.size()), &statement, nullptr);
  return Statement(statement);
}

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) {
    out += c;
    if (c == '"')
      out += c;
  }
  return out + "\"";
}

}  // namespace

bool SqliteRow::null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

int64_t SqliteRow::integer(int column, int64_t missing) const {
  if (null(column))
    return missing;
  return sqlite3_column_int64(statement_, column);
}

std::string_view SqliteRow::text(int column) const {
  const auto* at = sqlite3_column_text(statement_, column);
  if (!at)
    return {};
  return {reinterpret_cast<const char*>(at), size_t(sqlite3_column_bytes(statement_, column))};
}

std::string_view SqliteRow::bytes(int column) const {
  const void* at = sqlite3_column_blob(statement_, column);
  if (!at)
    return {};
  return {static_cast<const char*>(at), size_t(sqlite3_column_bytes(statement_, column))};
}

void SqliteFile::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

SqliteFile::SqliteFile(const std::string& path)
    : path_(path) {
  // Immutable: SQLite takes no lock, looks for no journal and writes no other file.
  const std::string absolute = std::filesystem::absolute(path).string();
  std::string name = "file:";
  for (const char c : absolute)
    name += c == '/' ? std::string(1, c) : base::percent_encoded(std::string(1, c));
  name += "?immutable=1";
  sqlite3* database = nullptr;
  const int opened =
      sqlite3_open_v2(name.c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  database_.reset(database);
  if (opened != SQLITE_OK)
    throw base::Error({path}, "cannot be opened as a SQLite database");
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  constexpr int kLongest = 16 << 20;  // bytes of a text or a blob
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongest);
  const Statement look = prepare(database, "SELECT count(*) FROM sqlite_master");
  if (!look || sqlite3_step(look.get()) != SQLITE_ROW)
    throw base::Error({path}, std::string("a damaged SQLite database: ") + sqlite3_errmsg(database));
}

bool SqliteFile::has(const std::string& table) const {
  const Statement found = prepare(
      database_.get(),
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1 AND sql NOT LIKE 'CREATE VIRTUAL%'");
  if (!found)
    return false;
  sqlite3_bind_text(found.get(), 1, table.c_str(), int(table.size()), SQLITE_STATIC);
  return sqlite3_step(found.get()) == SQLITE_ROW;
}

bool SqliteFile::has(const std::string& table, const std::string& column) const {
  if (!has(table))
    return false;
  return sqlite3_table_column_metadata(
             database_.get(),
             "main",
             table.c_str(),
             column.c_str(),
             nullptr,
             nullptr,
             nullptr,
             nullptr,
             nullptr) == SQLITE_OK;
}

void SqliteFile::rows(
    const std::string& table,
    const std::vector<std::string>& columns,
    const std::string& by,
    const std::function<void(const SqliteRow&)>& each) const {
  if (!has(table))
    return;
  std::string sql = "SELECT ";
  for (size_t i = 0; i < columns.size(); ++i) {
    sql += i > 0 ? ", " : "";
    sql += has(table, columns[i]) ? quoted(columns[i]) : "NULL";
  }
  sql += " FROM main." + quoted(table);
  if (!by.empty() && has(table, by))
    sql += " ORDER BY " + quoted(by);
  const Statement statement = prepare(database_.get(), sql);
  const SqliteRow row(statement.get());
  int got = statement ? sqlite3_step(statement.get()) : SQLITE_ERROR;
  for (; got == SQLITE_ROW; got = sqlite3_step(statement.get()))
    each(row);
  if (got != SQLITE_DONE)
    throw base::Error({path_}, "table " + table + " cannot be read: " + sqlite3_errmsg(database_.get()));
}

}  // namespace lento::fleet::ranks
