#include "cli/memory_trace.h"

#include <filesystem>

#include "trace/access_file.h"
#include "trace/access_merge.h"
#include "trace/access_text.h"
#include "trace/foreign.h"

namespace lento::cli {
namespace {

// Keeps the open file alive for as long as its source is read.
class OwnedFileSource : public trace::AccessSource {
 public:
  OwnedFileSource(const std::string& path, base::ReadReport& report)
      : file_(path, report), source_(file_, report) {}
  std::span<const trace::AccessRecord> next() override { return source_.next(); }

 private:
  trace::AccessFile file_;
  trace::AccessFileSource source_;
};

std::unique_ptr<trace::AccessSource> open_one(const std::string& format, const std::string& path,
                                              const std::string& columns, base::ReadReport& report) {
  if (format == "auto")
    require_files({path}, "its format is found by a look at its beginning; name it with --format");
  if (format == "auto" && trace::AccessFile::recognises(path)) {
    return std::make_unique<OwnedFileSource>(path, report);
  }
  const std::string kind = format == "auto" ? trace::recognise_foreign(path) : format;
  if (kind == "text") return std::make_unique<trace::AccessTextSource>(path, report);
  return trace::open_foreign(kind, path, columns, report);
}

}  // namespace

void require_files(const std::vector<std::string>& paths, const std::string& why) {
  for (const std::string& path : paths) {
    std::error_code error;
    const bool there = path == "-" || std::filesystem::exists(path, error);  // else opening it tells
    if (there && !std::filesystem::is_regular_file(path, error))
      throw base::Error({path}, "not a regular file", why);
  }
}

std::unique_ptr<trace::AccessSource> open_access_traces(const std::string& format,
                                                        const std::vector<std::string>& paths,
                                                        const std::string& columns,
                                                        base::ReadReport& report) {
  std::vector<std::unique_ptr<trace::AccessSource>> sources;
  for (const std::string& path : paths) sources.push_back(open_one(format, path, columns, report));
  if (sources.size() == 1) return std::move(sources.front());
  return std::make_unique<trace::MergedAccessSource>(std::move(sources));
}

}  // namespace lento::cli
