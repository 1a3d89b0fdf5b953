// For tests: made-up files are judged as the command judges them.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "desk/formats/formats.h"
#include "desk/incident/incident.h"
#include "desk/read/log_file.h"

namespace lento::desk::test {

inline finding::Diagnosis judge(const std::vector<std::string>& files) {
  static const LogReader reader(all_formats());
  Records records;
  for (size_t i = 0; i < files.size(); ++i)
    reader.read_text(files[i], "file" + std::to_string(i), records);
  records.date_by_newest();
  records.place_in_zone();
  return judge_incident(records);
}

template <class... T>
std::string format(const char* text, T... values) {
  char buffer[1024];
  std::snprintf(buffer, sizeof buffer, text, values...);
  return buffer;
}

}  // namespace lento::desk::test
