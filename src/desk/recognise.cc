// Recognises a file by its bytes, maps its kind to a role by a table, and lists the commands that the roles
// of several files allow. Tables and telemetry of collectives are recognised by their readers, from column
// names and the first row. Cost: at most the first 64 KiB of a file.
#include "desk/recognise.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/moment.h"
#include "base/number.h"
#include "base/scan/csv.h"
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

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

template <class Test>
std::optional<std::string> first_of(const std::vector<std::string>& columns, Test test) {
  const auto at = std::ranges::find_if(columns, test);
  if (at == columns.end())
    return std::nullopt;
  return std::optional(*at);
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

void use(Question& question, const char* option, const std::string& path) {
  append(question.command, {option, path});
  question.uses.push_back(path);
}

class Asked {
 public:
  explicit Asked(const std::vector<RecognisedFile>& files)
      : files_(files) {
  }

  std::vector<const RecognisedFile*> of(Role role) const {
    std::vector<const RecognisedFile*> found;
    for (const RecognisedFile& file : files_)
      if (file.role == role)
        found.push_back(&file);
    return found;
  }

  // Adds the only file of a role as an option of the question.
  void add_one(Question& question, Role role, const char* option, const char* what) const {
    const auto found = of(role);
    if (found.empty()) {
      question.missing.push_back(what);
      return;
    }
    const std::string& path = found[0]->path;
    use(question, option, path);
    if (found.size() > 1)
      question.doubtful.push_back(path + " and " + found[1]->path + " could both be " + what);
  }

 private:
  const std::vector<RecognisedFile>& files_;
};

// Makes a question whose command reaches a verdict.
Question judging(const char* text, const Words& command) {
  Question q;
  q.text = text;
  q.command = command;
  q.verdict = true;
  return q;
}

void add_file(Question& q, const std::string& path) {
  q.command.push_back(path);
  q.uses.push_back(path);
}

Question ask(const char* text, const Words& command, const RecognisedFile& file) {
  Question q = judging(text, command);
  add_file(q, file.path);
  return q;
}

// Makes a question whose command predicts, shows or converts.
Question ask_to_see(const char* text, const Words& command, const RecognisedFile& file) {
  Question q = ask(text, command, file);
  q.verdict = false;
  return q;
}

// Adds the questions that records of a chip can answer.
void ask_chips(const Asked& asked, std::vector<Question>& out) {
  for (const RecognisedFile* records : asked.of(Role::ChipRecords)) {
    Question q = ask("Which core, link, router or port has gone slow?", {"chip", "diagnose"}, *records);
    asked.add_one(q, Role::Chip, "--chip", "the chip (lento.chip/1)");
    asked.add_one(q, Role::Mapping, "--mapping", "the mapping that ran (lento.map/1)");
    out.push_back(std::move(q));
  }
  for (const RecognisedFile* records : asked.of(Role::Transfers)) {
    Question q = ask("Which part of the chip's network is slow?", {"chip", "examine"}, *records);
    for (const RecognisedFile* chip : asked.of(Role::Chip)) {
      if (chip->kind.format != "lento.chip/2")  // a fabric; a mesh of cores has other records
        continue;
      use(q, "--chip", chip->path);
      break;
    }
    out.push_back(std::move(q));
  }
  // Two files may also be two chips of one run, so this question is shown but never chosen automatically.
  const auto transfers = asked.of(Role::Transfers);
  if (transfers.size() != 2)
    return;
  Question q;
  q.text = "If these are two runs of one program: what became slower?";
  q.command = {"chip", "compare"};
  for (const RecognisedFile* run : transfers)
    add_file(q, run->path);
  out.push_back(std::move(q));
}

constexpr const char* kMemory = "Which code on which cores fights over memory?";
constexpr const char* kNoTrace =
    "a trace of what the program did (perf mem record, or see 'lento memory record --help')";

// Adds the questions that memory traces can answer.
void ask_memory(const Asked& asked, std::vector<Question>& out) {
  const size_t first = out.size();
  // The format of the traces of each question that is added here: formats[i] belongs to out[first + i].
  // Traces that one tool recorded belong to one run, so they are one question.
  std::vector<std::string> formats;
  for (const RecognisedFile* trace : asked.of(Role::Accesses)) {
    const auto at = std::ranges::find(formats, trace->kind.format);
    const size_t which = size_t(at - formats.begin());
    if (at == formats.end()) {
      formats.push_back(trace->kind.format);
      out.push_back(judging(kMemory, {"memory", "diagnose"}));
    }
    add_file(out[first + which], trace->path);
  }
  const auto programs = asked.of(Role::Program);
  if (formats.empty() && !programs.empty()) {
    Question q = judging(kMemory, {"memory", "diagnose", "TRACE"});
    q.missing.push_back(kNoTrace);
    out.push_back(std::move(q));
  }
  for (size_t i = first; i < out.size(); ++i) {
    for (const RecognisedFile* program : programs)
      use(out[i], "--elf", program->path);
  }
}

constexpr const char* kFleet = "Which machine of the job is faulty?";

// Returns whether a table has a column that names machines. A column whose name may be one for devices
// ("gpu") does not count.
bool names_its_machines(const RecognisedFile& table) {
  const auto at = std::ranges::find(table.words, "--machine-column");
  return at != table.words.end() && !fleet::may_name_device(at[1]);
}

// Lists the questions on tables of metrics. Tables without a machine column that have the same layout are
// machines of one job. A table with such a column is a job of its own, because judging two jobs as one would
// hide the faults of either.
void ask_metrics(const Asked& asked, std::vector<Question>& out) {
  std::vector<Words> ways;
  for (const RecognisedFile* table : asked.of(Role::Metrics)) {
    const bool whole = names_its_machines(*table);
    const auto at = whole ? ways.end() : std::ranges::find(ways, table->words);
    const size_t behind = size_t(ways.end() - at);  // questions that were added after the one for this layout
    if (behind == 0) {
      ways.push_back(table->words);
      Question& q = out.emplace_back(judging(kFleet, {"fleet", "diagnose"}));
      append(q.command, table->words);
    }
    Question& q = out[out.size() - std::max<size_t>(behind, 1)];
    if (behind > 0)  // each file is a host, so that machines in one file are devices
      std::ranges::replace(q.command, "--machine-column", "--device-column");
    use(q, "--csv", table->path);
  }
}

// Adds the questions that telemetry of a fleet can answer.
void ask_fleet(const Asked& asked, std::vector<Question>& out) {
  ask_metrics(asked, out);
  for (const RecognisedFile* page : asked.of(Role::MetricsPage))
    out.push_back(ask(kFleet, {"fleet", "diagnose", "--openmetrics"}, *page));
  const auto answers = asked.of(Role::MetricsAnswer);
  if (!answers.empty()) {  // each holds a metric of the same machines
    Question& q = out.emplace_back(judging(kFleet, {"fleet", "diagnose"}));
    for (const RecognisedFile* answer : answers)
      use(q, "--answers", answer->path);
  }
  const auto telemetry = asked.of(Role::Collectives);
  if (telemetry.empty())
    return;
  Question q = judging("Which rank, host or link holds the others up?", {"fleet", "ranks"});
  for (const RecognisedFile* file : telemetry)
    add_file(q, file->path);
  out.push_back(std::move(q));
}

// Adds the questions that measured times can answer.
void ask_predictions(const Asked& asked, std::vector<Question>& out) {
  const auto with_system = [&](Question q) {
    asked.add_one(q, Role::System, "--system", kSystemSheet);
    out.push_back(std::move(q));
  };
  constexpr const char* kSlower = "What is slower than it should be?";
  for (const RecognisedFile* table : asked.of(Role::Measurements))
    with_system(ask(kSlower, {"predict", "--measured"}, *table));
  // The kernels of a profiler's trace can be compared with their predicted times when the system is among the
  // files.
  const bool system_known = !asked.of(Role::System).empty();
  for (const RecognisedFile* trace : asked.of(Role::Collectives)) {
    const bool profiler = trace->kind.format == name(fleet::ranks::CollectiveLayout::Kineto);
    if (system_known && profiler)
      with_system(ask(kSlower, {"predict", "--measured"}, *trace));
  }
  for (const RecognisedFile* table : asked.of(Role::Questions))
    out.push_back(ask_to_see("How fast should each row be?", {"predict", "--table"}, *table));
  for (const Role role : {Role::Workload, Role::Network}) {
    for (const RecognisedFile* workload : asked.of(role))
      with_system(ask_to_see("How fast should it be?", {"predict"}, *workload));
  }
  for (const RecognisedFile* space : asked.of(Role::SearchSpace))
    out.push_back(ask_to_see("What should be built?", {"search"}, *space));
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

std::vector<Question> questions_of(const std::vector<RecognisedFile>& files) {
  const Asked asked(files);
  std::vector<Question> out;
  ask_fleet(asked, out);
  ask_chips(asked, out);
  ask_memory(asked, out);
  for (const RecognisedFile* source : asked.of(Role::TileSource)) {
    Question q = ask_to_see("What becomes of this program on a tile?", {"tile", "build"}, *source);
    const fs::path image = fs::path(source->path).replace_extension(".ypu");
    append(q.command, {"-o", image.string()});
    out.push_back(std::move(q));
  }
  for (const RecognisedFile* image : asked.of(Role::TileImage))
    out.push_back(ask("What can this program never do?", {"tile", "verify"}, *image));
  ask_predictions(asked, out);
  for (const RecognisedFile* stored : asked.of(Role::Diagnosis))
    out.push_back(ask_to_see("What was concluded?", {"report"}, *stored));
  return out;
}

}  // namespace lento::desk
