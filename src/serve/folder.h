// Lists and opens the diagnoses of a folder. Names from the network cannot reach files outside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.h"
#include "finding/finding.h"

namespace lento::serve {

class Folder {
 public:
  explicit Folder(const std::string& path);  // throws base::Error when it is no folder

  // Returns a JSON array of {name, modified, scale, title, verdict, outcome, severity, findings, much} or
  // {name, modified, error}, newest first, at most 2,000. `findings` is their number, and `much` the factor
  // of the first as text. Files are read again only when they changed.
  std::string list();

  // Returns a text that changes when the file changes. Throws as open() does.
  std::string stamp(const std::string& name) const;

  // Throws base::Error when `name` is not a diagnosis in the folder.
  finding::Diagnosis open(const std::string& name) const;

 private:
  struct Listed {
    std::string name;
    std::filesystem::file_time_type written;
    uintmax_t size = 0;
    base::Json entry;
  };
  std::vector<Listed> list_newest() const;
  // Returns the entry of a file, or null for a file of another kind, which is not listed.
  base::Json describe(const std::string& name, int64_t modified) const;
  std::filesystem::path resolve(const std::string& name) const;

  std::filesystem::path root_;
  std::mutex mutex_;  // guards listed_
  std::map<std::string, Listed> listed_;
  std::mutex text_mutex_;  // guards text_
  std::string text_;       // the last list
};

}  // namespace lento::serve
