// Reads every file with the formats that its content fits, names what the lines leave unnamed after the
// files, and has the rows judged as one incident.
#include "desk/diagnose.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "desk/formats.h"
#include "desk/read/log_file.h"
#include "desk/read/tar.h"

namespace lento::desk {
namespace {

namespace fs = std::filesystem;

const LogReader& log_reader() {
  static const LogReader reader(all_formats());
  return reader;
}

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
    constexpr size_t kEnough = 1'000'000;  // a folder of more is cut, so that looking comes to an end
    if (left_out == kEnough)
      break;
  }
  std::ranges::sort(found);
  files.insert(files.end(), found.begin(), found.end());
}

std::string stem_of(const std::string& path) {
  fs::path name = fs::path(path).filename();
  for (const char* ending : {".gz", ".xz", ".zst"})
    if (name.extension() == ending)
      name = name.stem();
  return name.stem().string();
}

// "rank3", "rank_3" and "3" name a rank, every other name with a letter may name a host.
Subject named_by(const std::string& name) {
  std::string digits;
  for (const std::string_view prefix : {"rank", "rank_", "rank-", "rank.", "global_rank_"})
    if (name.starts_with(prefix) && name.size() > prefix.size())
      digits = name.substr(prefix.size());
  const auto is_digit = [](char c) {
    return c >= '0' && c <= '9';
  };
  if (!digits.empty() && std::ranges::all_of(digits, is_digit))
    return {"", "", digits};
  return {name, "", ""};
}

// A single file is named after a machine only when its name looks like one: letters and a number behind.
bool looks_like_host(const std::string& name) {
  return name.size() > 1 && name.back() >= '0' && name.back() <= '9' &&
         std::ranges::none_of(name, [](char c) {
           return c == ' ';
         });
}

// Files of one set of formats are one kind of file: where their names differ, the names tell hosts or ranks
// apart.
std::map<int32_t, Subject> names_of(const Records& records) {
  std::map<std::vector<std::string>, std::map<std::string, std::vector<int32_t>>> kinds;
  for (size_t i = 0; i < records.files.size(); ++i)
    if (records.files[i].recognised())
      kinds[records.files[i].formats][stem_of(records.files[i].path)].push_back(int32_t(i));
  std::map<int32_t, Subject> names;
  for (const auto& [formats, stems] : kinds)
    for (const auto& [stem, files] : stems)
      if (files.size() == 1 && (stems.size() > 1 || looks_like_host(stem)))
        names[files[0]] = named_by(stem);
  return names;
}

// A file, or each file in an archive.
void read_file(const std::string& path, Records& records, const base::Progress& progress) {
  base::InputStream in(path);
  const auto read = [&in](std::span<char> out) {
    return in.read(out);
  };
  if (!TarReader::begins(in.peek(kHead))) {
    LineSource lines(read);
    log_reader().read(lines, path, records, progress);
    return;
  }
  TarReader archive(read, path);
  for (size_t members = 0; archive.next() && members < kMostFiles; ++members) {
    LineSource lines([&archive](std::span<char> out) {
      return archive.read(out);
    });
    log_reader().read(lines, path + "/" + archive.name(), records, progress);
  }
}

// A file that cannot be read does not keep the others from being judged. The rows that were read before the
// damage stay.
void note_broken(const std::string& path, const std::string& what, Records& records) {
  const bool is_begun = !records.files.empty() && records.files.back().path == path;
  SourceFile& file = is_begun ? records.files.back() : records.files.emplace_back();
  file.path = path;
  file.formats.clear();
  file.reason = what.substr(0, what.find('\n'));
}

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

}  // namespace

bool reads(const std::string& path) {
  std::error_code code;
  if (!fs::is_regular_file(path, code))
    return false;
  try {
    base::InputStream in(path);
    const std::string_view head = in.peek(kHead);
    return TarReader::begins(head) || log_reader().recognise(head).format != nullptr;
  } catch (const base::Error&) {
    return false;
  }
}

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
  const bool any = std::ranges::any_of(records.files, &SourceFile::recognised);
  if (!any)
    throw base::Error(
        {files[0]},
        records.files[0].reason +
            (files.size() > 1 ? ", nor are " + std::to_string(files.size() - 1) + " others" : ""),
        "docs/formats lists what is read and the commands that write it");
  finding::Diagnosis out = judge_incident(records, options.judge);
  add_files(records, out);
  if (left_out > 0)
    out.notes.push_back(
        std::to_string(left_out) + " files beyond the first " + std::to_string(kMostFiles) +
        " were not read");
  return out;
}

}  // namespace lento::desk
