// For tests: foreign traces from text or bytes, as records.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "memory/read/foreign.h"

namespace lento::memory::test {

inline std::string write_trace(const std::string& name, const std::string& bytes) {
  const std::string path = testing::TempDir() + "/lento_" + name;
  base::write_file(path, bytes);
  return path;
}

inline std::vector<AccessRecord> drain(AccessSource& source) {
  std::vector<AccessRecord> all;
  for (auto batch = source.next(); !batch.empty(); batch = source.next())
    all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

inline std::vector<AccessRecord> read_trace(
    const std::string& format,
    const std::string& bytes,
    base::ReadReport& report,
    program::TraceFacts* facts = nullptr,
    const std::string& columns = "") {
  const std::string path = write_trace("foreign_trace", bytes);
  return drain(*open_foreign(format, path, columns, report, facts));
}

// The reason of the first kind of skip by name; "" when all was taken.
inline std::string
skip_of(const std::string& format, const std::string& bytes, const std::string& columns = "") {
  base::ReadReport report;
  read_trace(format, bytes, report, nullptr, columns);
  return report.reasons.empty() ? "" : report.reasons.begin()->first;
}

}  // namespace lento::memory::test
