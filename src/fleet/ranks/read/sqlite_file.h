// Opens a SQLite database that another tool wrote, read only. No view, trigger or virtual table in it is run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace lento::fleet::ranks {

// One row of a query's result. Columns count from 0.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* statement)
      : statement_(statement) {
  }
  bool null(int column) const;
  int64_t integer(int column, int64_t missing = 0) const;
  std::string_view text(int column) const;   // valid until the next row
  std::string_view bytes(int column) const;  // valid until the next row

 private:
  sqlite3_stmt* statement_;
};

class SqliteFile {
 public:
  // Throws base::Error when the file is no database.
  explicit SqliteFile(const std::string& path);

  // Returns whether a plain table of this name exists, not a view or virtual table.
  bool has(const std::string& table) const;
  bool has(const std::string& table, const std::string& column) const;

  // Reads rows of `columns` of a plain table, in the order of `by` (a column, "" for the stored order). A
  // column that the table lacks is NULL in every row. Throws base::Error when the file is damaged.
  void rows(
      const std::string& table,
      const std::vector<std::string>& columns,
      const std::string& by,
      const std::function<void(const SqliteRow&)>& each) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace lento::fleet::ranks
