// Recognises a file by its bytes, maps its kind to a role by a table, and lists the commands that the roles
// of several files allow. Tables and telemetry of collectives are recognised by their readers, from column
// names and the first row. Cost: at most the first 64 KiB of a file.
#include "desk/recognise.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/moment.h"
#include "base/number.h"
#include "base/scan/csv.h"
#include "desk/read/log_date.h"
#include "fleet/ranks/read/collective_files.h"
#include "fleet/read/column_names.h"
#include "fleet/read/table_file.h"
#include "fleet/read/table_layout.h"
#include "memory/diagnose.h"
#include "memory/read/access_file.h"
#include "memory/read/foreign.h"
#include "predict/time/question.h"

namespace lento::desk {
namespace {

using base::CsvReader;
using fleet::ranks::CollectiveLayout;

namespace fs = std::filesystem;

constexpr size_t kMostNames = 2000;

// The role of a kind of file. The kind is identified by the noun that base/sniff.h uses for it.
struct Use {
  std::string_view noun;
  Role role;
};
constexpr std::array kUses = {
    Use{"probe record file", Role::ChipRecords},
    Use{"sketch", Role::ChipRecords},
    Use{"chip", Role::Chip},
    Use{"mapping", Role::Mapping},
    Use{"record of data movement", Role::Transfers},
    Use{"access trace", Role::Accesses},
    Use{"recording of perf", Role::Accesses},
    Use{"program", Role::Program},
    Use{"page of metrics", Role::MetricsPage},
    Use{"workload", Role::Workload},
    Use{"network", Role::Network},
    Use{"description of a language model", Role::Network},
    Use{"system data sheet", Role::System},
    Use{"search space", Role::SearchSpace},
    Use{"diagnosis", Role::Diagnosis},
    Use{"tile image", Role::TileImage},
    Use{"recording of signals", Role::Waveform},
    Use{"tile signal map", Role::SignalMap},
};

// Returns the role of a kind of file, None when it has none.
Role role_of(const base::FileKind& kind) {
  if (kind.format == "C, for a tile")
    return Role::TileSource;
  for (const Use& use : kUses)
    if (use.noun == kind.noun)
      return use.role;
  return Role::None;
}

const char* form_of(const CsvReader& table) {
  return table.is_json_lines() ? "JSON Lines" : "CSV";
}

// Returns whether a file is UTF-16 with a byte order mark, as spreadsheets save "Unicode text".
bool is_utf16(const std::string& path) {
  std::error_code code;
  if (!fs::is_regular_file(path, code))
    return false;
  try {
    base::InputStream in(path);
    const std::string_view head = in.peek(2);
    return head == "\xff\xfe" || head == "\xfe\xff";
  } catch (const base::Error&) {
    return false;
  }
}

// Returns whether a column is one of several durations ("kernel_time(us)", "idle_time(us)") and no clock.
bool is_duration_among(const std::vector<std::string>& header, const std::string& column) {
  const std::vector<std::string> words = fleet::words_of(column);
  return !fleet::names_time(column) && std::ranges::count_if(header, [&](const std::string& name) {
                                         const std::vector<std::string> other = fleet::words_of(name);
                                         return other.size() > 1 && other.back() == words.back() &&
                                                fleet::may_name_time(name);
                                       }) > 1;
}

// Returns the machine that all rows name, or "".
std::string machine_of(const fleet::TableRows& rows, int column) {
  std::string machine;
  for (const auto& row : rows) {
    if (column < 0 || size_t(column) >= row.size() || (!machine.empty() && row[size_t(column)] != machine))
      return "";
    machine = row[size_t(column)];
  }
  return machine;
}

// Recognises a table with a time and numbers as metrics of machines, with the reader that the fleet's
// commands use.
bool take_metrics(RecognisedFile& file) {
  try {
    base::ReadReport report;
    fleet::TableFile table(file.path, file.path);
    const auto& rows = table.sample(report);
    const auto& header = table.header();
    if (header.size() < 3 || rows.empty() || std::ranges::none_of(header, fleet::may_name_time))
      return false;
    if (iso_date_size(header[0]) > 0)  // a log whose fields are separated
      return false;
    fleet::CsvOptions options;
    options.paths = {file.path};
    const std::string name = fs::path(file.path).stem().stem().string();
    const fleet::TableLayout layout = fleet::guess_layout(header, rows, options, name, {file.path});
    // "0:05:12" is a span and no time of day, so that a log in JSON lines may have it as a member only.
    const auto has_time = [&](const std::vector<std::string>& row) {
      const size_t column = size_t(layout.time);
      return column < row.size() && (base::try_moment_ms(row[column]) || base::try_double(row[column]));
    };
    if (table.is_json_lines() && layout.time >= 0 && std::ranges::none_of(rows, has_time))
      return false;
    if (layout.time >= 0 && is_duration_among(header, header[size_t(layout.time)]))
      return false;
    file.kind = {"table of metrics", table.is_json_lines() ? "JSON Lines" : "CSV"};
    file.role = Role::Metrics;
    file.machine = machine_of(rows, layout.machine);
    file.words = fleet::options_of(layout, header);
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

// Returns whether the file is a table whose rows describe runs for `lento predict`
// (docs/formats/questions.md). Its role is Measurements when the first row has a measured time, else
// Questions.
bool take_questions(RecognisedFile& file, CsvReader& table) {
  try {
    const predict::Dialect dialect = predict::dialect_of(table);
    const bool measured = table.next() && predict::measured_s(dialect, table).has_value();
    file.role = Role::Questions;
    file.kind = {"table of questions", form_of(table)};
    if (measured) {
      file.role = Role::Measurements;
      file.kind.noun = "table of measured times";
    }
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

// Returns whether the file is a table with known columns.
bool take_table(RecognisedFile& file) {
  try {
    base::ReadReport report;
    CsvReader table(file.path, report);
    if (table.find("component") >= 0 && table.find("peer") >= 0) {
      file.kind = {"record of data movement", "CSV"};
      file.role = Role::Transfers;
      return true;
    }
    if (take_questions(file, table))
      return true;
  } catch (const base::Error&) {
    // UTF-16 text and rows of unequal length may still be a table of metrics.
  }
  return take_metrics(file);
}

// Rejects files that the reader of foreign access traces would accept only by a file name or first word.
// That reader assumes that the user declared the file to be a trace, which is not so here.
bool means_something_else(const RecognisedFile& file, const std::string& format) {
  const std::string name = fs::path(file.path).filename().string();
  if (format == "drmemtrace")
    return name.find("trace") == name.npos;
  if (format == "champsim")
    return file.kind.noun == "text file";
  if (format == "memaxes") {  // its samples have a time
    base::ReadReport report;
    return CsvReader(file.path, report).find("time") < 0;
  }
  return format == "paper";
}

bool take_gpu_memory(RecognisedFile& file) {
  if (!memory::is_gpu_memory(file.path))
    return false;
  file.kind = {"memory profile of GPU kernels", "text"};
  file.role = Role::Accesses;
  return true;
}

// Returns whether the file is an answer of Prometheus with the samples of a period.
bool take_range_answer(RecognisedFile& file) {
  constexpr size_t kHead = 1 << 16;
  base::InputStream in(file.path);
  if (!fleet::is_range_answer(in.peek(kHead)))
    return false;
  file.kind = {"answer of Prometheus", "JSON"};
  file.role = Role::MetricsAnswer;
  return true;
}

// Returns whether the file is a trace of memory accesses.
bool take_accesses(RecognisedFile& file) {
  try {
    if (memory::AccessFile::recognises(file.path)) {
      file.kind = {"access trace", "LENTOACC"};
    } else {
      const std::string format = memory::recognise_foreign(file.path);
      if (means_something_else(file, format))
        return false;
      file.kind = {"access trace", format};
      if (format == "text")
        file.kind.format = "lento.access";
    }
  } catch (const base::Error&) {
    return false;
  }
  file.role = Role::Accesses;
  return true;
}

// Returns whether the file is a record of collectives.
bool take_collectives(RecognisedFile& file) {
  const fleet::ranks::CollectiveLayout layout = fleet::ranks::recognise_collectives(file.path);
  if (layout == fleet::ranks::CollectiveLayout::None ||
      layout == fleet::ranks::CollectiveLayout::InspectorProm)
    return false;
  file.kind = {"telemetry of collectives", name(layout)};
  file.role = Role::Collectives;
  return true;
}

}  // namespace

RecognisedFile recognise(const std::string& path) {
  RecognisedFile file{path, Role::None, base::kind_of_file(path), {}};
  file.role = role_of(file.kind);
  if (file.role == Role::None && is_utf16(path) && take_metrics(file))
    return file;
  if (file.kind.noun.empty() || file.role != Role::None)
    return file;
  const std::string noun = file.kind.noun;
  constexpr std::array kUnreadable{"empty file", "blank file", "source text", "object file"};
  if (std::ranges::find(kUnreadable, noun) != kUnreadable.end())
    return file;
  if (take_gpu_memory(file) || take_range_answer(file) || (noun == "table" && take_table(file)))
    return file;
  if (!take_collectives(file))
    take_accesses(file);
  return file;
}

std::vector<RecognisedFile> recognise_folder(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end && names.size() < kMostNames;
       it.increment(code)) {
    const std::string name = it->path().filename().string();
    std::error_code own;
    if (!name.starts_with(".") && it->is_regular_file(own))
      names.push_back(name);
  }
  std::ranges::sort(names);
  std::vector<RecognisedFile> files;
  for (const std::string& name : names)
    files.push_back(recognise(folder == "." ? name : folder + "/" + name));
  return files;
}

}  // namespace lento::desk
