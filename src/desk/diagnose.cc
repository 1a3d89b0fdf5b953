// Reads every file with the formats that match its content, names hosts and ranks after the files when the
// lines do not name them, and judges all rows as one incident.
#include "desk/diagnose.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/zip.h"
#include "desk/file_names.h"
#include "desk/formats/formats.h"
#include "desk/general/general.h"
#include "desk/read/journal.h"
#include "desk/read/log_file.h"
#include "desk/read/tar.h"
#include "desk/read/utf16.h"
#include "desk/unread.h"
#include "memory/diagnose.h"

namespace lento::desk {
namespace {

namespace fs = std::filesystem;

const LogReader& log_reader() {
  static const LogReader reader(all_formats());
  return reader;
}

// Adds the files below a folder. `left_out` counts files beyond the limit.
void add_folder(const std::string& folder, std::vector<std::string>& files, size_t& left_out) {
  std::error_code code;
  std::vector<std::string> found;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, code);
  for (const fs::recursive_directory_iterator end; !code && it != end; it.increment(code)) {
    std::error_code own;
    const std::string name = it->path().filename().string();
    if (name.starts_with(".")) {
      if (it->is_directory(own))
        it.disable_recursion_pending();
      continue;
    }
    if (!it->is_regular_file(own))
      continue;
    if (found.size() + files.size() == kMostFiles)
      ++left_out;
    else
      found.push_back((folder == "." ? it->path().lexically_relative(".") : it->path()).string());
    constexpr size_t kEnough = 1'000'000;  // files of a folder beyond this number are ignored
    if (left_out == kEnough)
      break;
  }
  std::ranges::sort(found);
  files.insert(files.end(), found.begin(), found.end());
}

LineSource::Read as_text(LineSource::Read read) {
  return as_log_lines(as_utf8(std::move(read)));
}
std::string head_as_text(std::string_view head) {
  return head_as_log_lines(head_as_utf8(head));
}

// Reads each member of an archive as a file of its own.
template <class Archive>
void read_members(
    Archive archive,
    const std::string& path,
    Records& records,
    const base::Progress& progress) {
  size_t members = 0;
  for (; archive.next() && members < kMostFiles; ++members) {
    LineSource lines(as_text([&archive](std::span<char> out) {
      return archive.read(out);
    }));
    log_reader().read(lines, path + "/" + archive.name(), records, progress);
  }
  if (members > 0)
    return;
  SourceFile& empty = records.files.emplace_back();
  empty.path = path;
  empty.reason = "an archive without files";
}

// Reads a file, or each file in an archive.
void read_file(const std::string& path, Records& records, const base::Progress& progress) {
  base::InputStream in(path);
  const auto read = [&in](std::span<char> out) {
    return in.read(out);
  };
  const std::string_view head = in.peek(kHead);
  if (TarReader::begins(head)) {
    read_members(TarReader(read, path), path, records, progress);
  } else if (base::ZipReader::begins(head)) {
    read_members(base::ZipReader(read, path), path, records, progress);
  } else {
    LineSource lines(as_text(read));
    log_reader().read(lines, path, records, progress);
  }
}

// Returns whether a zip archive holds logs. Other zip files are traces of DynamoRIO, documents and programs,
// so one of the first members must be of a known format.
bool is_zip_of_logs(base::InputStream& in, const std::string& path) {
  base::ZipReader archive(
      [&in](std::span<char> out) {
        return in.read(out);
      },
      path);
  constexpr int kLooked = 8;
  std::string head(kHead, '\0');
  for (int i = 0; i < kLooked && archive.next(); ++i) {
    const size_t size = archive.read(head);
    if (log_reader().recognise(head_as_text(std::string_view(head).substr(0, size))).format)
      return true;
  }
  return false;
}

// Records that a file is damaged. The other files are still judged, and so are the rows read before the
// damage.
void note_broken(const std::string& path, const std::string& what, Records& records) {
  const bool is_begun = !records.files.empty() && records.files.back().path == path;
  SourceFile& file = is_begun ? records.files.back() : records.files.emplace_back();
  file.path = path;
  file.is_broken = true;
  file.formats.clear();
  file.reason = what.substr(0, what.find('\n'));
}

bool is_report(const SourceFile& file) {
  return file.formats.size() == 1 && file.formats[0] == kReport.name;
}

// Returns the files with a quantity that at least three subjects have. A subject of two files counts twice.
std::set<int32_t> compared_files(const Records& records) {
  constexpr size_t kFewestPeers = 3;
  std::map<uint32_t, std::set<std::pair<uint32_t, int32_t>>> parts;  // of each quantity
  for (const Series& series : records.series())
    parts[series.quantity].insert({series.subject, series.file});
  std::set<int32_t> compared;
  for (const Series& series : records.series())
    if (parts[series.quantity].size() >= kFewestPeers)
      compared.insert(series.file);
  return compared;
}

// Marks a report of labelled numbers as not recognised when no quantity of it has three subjects in all
// files, because its numbers cannot be compared then.
void drop_lone_reports(Records& records) {
  const std::set<int32_t> compared = compared_files(records);
  for (size_t i = 0; i < records.files.size(); ++i) {
    SourceFile& file = records.files[i];
    if (!is_report(file) || !file.covers.empty() || compared.contains(int32_t(i)))
      continue;
    file.formats.clear();
    file.reason = tried(log_reader());
  }
}

// Adds which files were read in which format, and which were not understood.
void add_files(const Records& records, finding::Diagnosis& out) {
  std::vector<std::string> unknown;
  for (const SourceFile& file : records.files) {
    out.records_taken += file.known_lines;
    if (file.recognised()) {
      std::string formats;
      for (const std::string& format : file.formats)
        formats += (formats.empty() ? "" : ", ") + format;
      out.inputs.push_back({formats, file.path, ""});
      if (file.secrets > 0)
        out.notes.push_back(
            file.path + ": " + std::to_string(file.secrets) + " secrets are masked in what is quoted");
    } else {
      unknown.push_back(file.path + " (" + file.reason + ")");
    }
  }
  if (!unknown.empty())
    out.notes.push_back("Not used: " + list_text(unknown, 2));
  if (records.dropped() > 0)
    out.notes.push_back(
        std::to_string(records.dropped()) + " rows beyond the limits of memory were left out");
}

// Returns whether the subject of the last row of a file lacks a quantity that every other subject of the file
// has.
bool is_last_part_short(const Records& records, int32_t index) {
  std::map<uint32_t, std::set<uint32_t>> quantities;  // of each subject
  std::map<uint32_t, size_t> parts;                   // that have a quantity
  uint32_t last = 0;
  int64_t last_line = -1;
  for (const Series& series : records.series()) {
    if (series.file != index || series.rows.empty())
      continue;
    quantities[series.subject].insert(series.quantity);
    for (const Observation& row : series.rows)
      if (row.where.line > last_line) {
        last_line = row.where.line;
        last = series.subject;
      }
  }
  for (const auto& [subject, own] : quantities)
    for (const uint32_t quantity : own)
      ++parts[quantity];
  return std::ranges::any_of(parts, [&](const auto& part) {
    return part.second + 1 == quantities.size() && !quantities[last].contains(part.first);
  });
}

// Adds an open question about a file without its end or its beginning, because the missing part may hold a
// fault that the rest does not show.
void judge_broken(const Records& records, finding::Diagnosis& out) {
  const auto broken = std::ranges::find_if(records.files, [&](const SourceFile& file) {
    const auto index = int32_t(&file - records.files.data());
    return file.is_broken || file.is_cut() || file.is_first_partial ||
           (file.torn_line > 0 && is_last_part_short(records, index));
  });
  if (broken == records.files.end() || !out.findings.empty())
    return;
  const std::string reason =
      broken->path + (broken->is_broken          ? " could not be read to its end: " + broken->reason
                      : broken->is_first_partial ? " begins within a line: what stood before is not seen"
                                                 : " ends within a line: what stood behind is not seen");
  const bool is_first = out.outcome != finding::Outcome::CannotJudge || out.covered.empty();
  finding::cannot_judge(
      out,
      is_first ? reason : out.reason + "; " + reason,
      is_first ? "the whole of it" : out.remedy,
      out.covered);
}

}  // namespace

bool reads(const std::string& path) {
  std::error_code code;
  if (!fs::is_regular_file(path, code))
    return false;
  try {
    base::InputStream in(path);
    const std::string_view head = in.peek(kHead);
    if (base::ZipReader::begins(head))
      return is_zip_of_logs(in, path);
    if (TarReader::begins(head))
      return true;
    const Format* format = log_reader().recognise(head_as_text(head)).format;
    // The memory module judges profiles with counters of memory. It does not judge a list of kernels.
    return format && (format->family != "bench" || !memory::is_gpu_memory(path));
  } catch (const base::Error&) {
    return false;
  }
}

Labels labels_in(const std::string& path) {
  std::error_code code;
  if (!fs::is_regular_file(path, code))
    return Labels::None;
  try {
    base::InputStream in(path);
    Records records;
    const std::string head = head_as_text(in.peek(kHead));
    if (is_json_document(head)) {  // only a whole document can be parsed
      LineSource lines(as_text([&in](std::span<char> out) {
        return in.read(out);
      }));
      log_reader().read(lines, path, records);
    } else {  // the first of a long log may be about its start only
      constexpr size_t kLooked = size_t{1} << 22;
      size_t left = kLooked;
      LineSource lines(as_text([&](std::span<char> out) {
        const size_t size = in.read(out.first(std::min(out.size(), left)));
        left -= size;
        return size;
      }));
      log_reader().read(lines, path, records);
    }
    const SourceFile& file = records.files[0];
    if (!file.recognised())
      return Labels::None;
    const bool is_lone = is_report(file) && file.covers.empty() && compared_files(records).empty();
    return is_lone ? Labels::Numbers : Labels::Known;
  } catch (const base::Error&) {
    return Labels::None;
  }
}

// Returns the files of paths and folders.
std::vector<std::string> files_of(const std::vector<std::string>& paths, size_t& left_out) {
  std::vector<std::string> files;
  left_out = 0;
  for (const std::string& path : paths) {
    std::error_code code;
    if (fs::is_directory(path, code))
      add_folder(path, files, left_out);
    else
      files.push_back(path);
  }
  return files;
}

Records read_all_files(const std::vector<std::string>& files, const base::Progress& progress) {
  Records records;
  for (const std::string& path : files) {
    try {
      read_file(path, records, progress);
    } catch (const base::Error& error) {
      if (progress.stopped())
        throw;
      note_broken(path, error.what(), records);
    }
  }
  records.name_by_files(names_of(records));
  records.date_by_newest();
  records.place_in_zone();
  drop_lone_reports(records);
  return records;
}

finding::Diagnosis diagnose(const DeskOptions& options, const base::Progress& progress) {
  size_t left_out = 0;
  const std::vector<std::string> files = files_of(options.paths, left_out);
  if (files.empty())
    throw base::Error(
        {options.paths.empty() ? "" : options.paths[0]},
        "there is no file",
        "name logs, counters or a folder of them");
  const Records records = read_all_files(files, progress);
  const bool any = std::ranges::any_of(records.files, [](const SourceFile& file) {
    return file.recognised() || file.is_broken;
  });
  if (!any) {
    constexpr const char* kFormats = "docs/formats lists what is read and the commands that write it";
    if (auto unread = verdict_on_numbers(files, kFormats))
      return std::move(*unread);
    throw base::Error(
        {files[0]},
        records.files[0].reason +
            (files.size() > 1 ? ", nor are " + std::to_string(files.size() - 1) + " others" : ""),
        kFormats);
  }
  finding::Diagnosis out = judge_incident(records, options.judge);
  add_files(records, out);
  judge_broken(records, out);
  if (left_out > 0)
    out.notes.push_back(
        std::to_string(left_out) + " files beyond the first " + std::to_string(kMostFiles) +
        " were not read");
  return out;
}

}  // namespace lento::desk
