// Opens access traces of any format and merges several by time. `auto` recognises a format by content, so
// every input must be a file that can be opened twice.
#include "memory/access_traces.h"

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "memory/read/access_file.h"
#include "memory/read/access_merge.h"
#include "memory/read/access_text.h"
#include "memory/read/foreign.h"

namespace lento::memory {
namespace {

using base::ReadReport;

// Keeps the open file alive as long as its source is read.
class OwnedFileSource : public AccessSource {
 public:
  OwnedFileSource(const std::string& path, ReadReport& report, program::TraceFacts* facts)
      : file_(path, report),
        source_(file_, report) {
    if (facts)
      file_.read_facts(*facts);
  }
  std::span<const AccessRecord> next() override {
    return source_.next();
  }

 private:
  AccessFile file_;
  AccessFileSource source_;
};

// Opens one trace of memory accesses. With the format "auto" the first bytes of the file decide its format.
std::unique_ptr<AccessSource> open_one(
    const AccessTraces& traces,
    const std::string& path,
    ReadReport& report,
    program::TraceFacts* facts) {
  const bool guess = traces.format == "auto";
  if (guess)
    require_files({path}, "its format is found by a look at its beginning; name it with --format");
  if (guess && AccessFile::recognises(path))
    return std::make_unique<OwnedFileSource>(path, report, facts);
  const std::string kind = guess ? recognise_foreign(path) : traces.format;
  if (kind == "text")
    return std::make_unique<AccessTextSource>(path, report, facts);
  return open_foreign(kind, path, traces.columns, report, facts);
}

}  // namespace

void require_files(const std::vector<std::string>& paths, const std::string& why) {
  for (const std::string& path : paths) {
    std::error_code error;
    const bool there =
        path == "-" || std::filesystem::exists(path, error);  // else opening it reports the error
    if (there && !std::filesystem::is_regular_file(path, error))
      throw base::Error({path}, "not a regular file", why);
  }
}

// Opens all traces as one source, merged by time. `facts` (may be null) receives names and mappings of the
// programs.
std::unique_ptr<AccessSource>
open_access_traces(const AccessTraces& traces, ReadReport& report, program::TraceFacts* facts) {
  std::vector<std::unique_ptr<AccessSource>> sources;
  for (const std::string& path : traces.paths)
    sources.push_back(open_one(traces, path, report, facts));
  if (sources.size() == 1)
    return std::move(sources.front());
  return std::make_unique<MergedAccessSource>(std::move(sources));
}

void require_records(const AccessTraces& traces, const ReadReport& report) {
  if (report.taken > 0 || report.skipped == 0)
    return;
  const std::string most = report.reasons.empty() ? "" : report.reasons.begin()->first;
  throw base::Error(
      report.first_skip.file.empty() ? base::Location{traces.paths.front()} : report.first_skip,
      "no access could be read: " + std::to_string(report.skipped) + " records skipped (" + most + ")",
      "name the format with --format: text, " + foreign_formats());
}

}  // namespace lento::memory
