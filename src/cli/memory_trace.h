// Access traces of any kind, for the commands of `lento memory`.
#pragma once

#include <memory>
#include <string>

#include "base/read_report.h"
#include "trace/access_record.h"

namespace lento::cli {

// `format`: "auto" (by content), "text" or a foreign format; `columns`: of paper text, empty for the default.
std::unique_ptr<trace::AccessSource> open_access_trace(const std::string& format, const std::string& path,
                                                       const std::string& columns, base::ReadReport& report);

}  // namespace lento::cli
