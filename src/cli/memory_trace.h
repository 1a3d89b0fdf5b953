// Access traces of any kind, for the commands of `lento memory`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/read_report.h"
#include "trace/access_record.h"

namespace lento::cli {

// Refuses what cannot be read a second time, such as a pipe: a diagnosis makes several passes, and `auto`
// looks at the beginning first.
void require_files(const std::vector<std::string>& paths, const std::string& why);

// `format`: "auto" (by content), "text" or a foreign format; `columns`: of paper text, empty for the default.
// Several traces are merged by time.
std::unique_ptr<trace::AccessSource> open_access_traces(const std::string& format,
                                                        const std::vector<std::string>& paths,
                                                        const std::string& columns, base::ReadReport& report);

}  // namespace lento::cli
