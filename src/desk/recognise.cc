// Recognises a file by its bytes, maps its kind to a role by one table, and lists the questions that the
// roles of several files allow. Tables and telemetry of collectives are recognised by their readers, from the
// names of columns and the first row. Cost: at most the first 64 KiB of a file.
#include "desk/recognise.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/moment.h"
#include "base/number.h"
#include "base/scan/csv.h"
#include "fleet/ranks/read/collective_files.h"
#include "fleet/read/column_names.h"
#include "fleet/read/unit_text.h"
#include "memory/read/access_file.h"
#include "memory/read/foreign.h"
#include "predict/time/question.h"

namespace lento::desk {
namespace {

using base::CsvReader;
using fleet::ranks::CollectiveLayout;

namespace fs = std::filesystem;

constexpr size_t kMostNames = 2000;

// The role of a kind of file, by the noun that base/sniff.h gives it.
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

// Seconds, milliseconds or microseconds: by the column's name, else by how large a time of today would be.
std::string unit_of(const std::string& column, const std::string& first_value) {
  for (const std::string_view unit : {"ms", "us"}) {
    const std::string suffix = std::string(unit);
    const bool behind = column.ends_with("_" + suffix);
    const bool bracketed = column.ends_with("(" + suffix + ")");
    if (behind || bracketed)
      return suffix;
  }
  double value = 0;
  const char* end = first_value.data() + first_value.size();
  if (std::from_chars(first_value.data(), end, value).ec != std::errc())
    return "s";
  if (value > 1e14)
    return "us";
  if (value > 1e11)
    return "ms";
  return "s";
}

bool holds_a_number(const CsvReader& table, const std::string& time) {
  return std::ranges::any_of(table.columns(), [&](const std::string& column) {
    const std::string& text = table.text(table.find(column));
    return column != time && (base::try_double(text) || fleet::unit_text(text));
  });
}

// Returns the options that distinguish machines: a column, the header (each column a machine), or the file's
// name.
Words machine_words(const RecognisedFile& file, CsvReader& table, const std::string& time) {
  const auto machine = first_of(table.columns(), fleet::names_machine);
  if (machine)
    return {"--machine-column", *machine};
  std::vector<std::string> others = table.columns();
  std::erase(others, time);
  if (!fleet::are_machines(others))
    return {};
  const fs::path metric = fs::path(file.path).stem().stem();
  return {"--wide", metric.string()};
}

const char* form_of(const CsvReader& table) {
  return table.is_json_lines() ? "JSON Lines" : "CSV";
}

// A table with a time and numbers: metrics of machines. Columns that tell groups of peers apart are labels.
bool take_metrics(RecognisedFile& file, CsvReader& table) {
  const std::vector<std::string>& columns = table.columns();
  const auto time = first_of(columns, fleet::names_time);
  if (!time || columns.size() < 3 || !table.next() || !holds_a_number(table, *time))
    return false;
  file.kind = {"table of metrics", form_of(table)};
  file.role = Role::Metrics;
  file.words = machine_words(file, table, *time);
  const bool wide = !file.words.empty() && file.words[0] == "--wide";
  const auto device = first_of(columns, fleet::names_device);
  if (device && !wide)
    append(file.words, {"--device-column", *device});
  append(file.words, {"--time-column", *time});
  const std::string moment = table.text(table.find(*time));
  if (!base::try_moment_ms(moment))
    append(file.words, {"--time-unit", unit_of(*time, moment)});
  for (const char* label : {"stage", "pp_rank", "hardware"}) {
    if (table.find(label) >= 0)
      append(file.words, {"--label", label});
  }
  return true;
}

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

bool take_table(RecognisedFile& file) {
  try {
    base::ReadReport report;
    CsvReader table(file.path, report);
    if (table.find("component") >= 0 && table.find("peer") >= 0) {
      file.kind = {"record of data movement", "CSV"};
      file.role = Role::Transfers;
      return true;
    }
    return take_questions(file, table) || take_metrics(file, table);
  } catch (const base::Error&) {
    return false;
  }
}

// Access traces of other tools. The reader takes any name or first word that may mean one, because somebody
// said that the file is a trace; here nobody did.
bool means_something_else(const RecognisedFile& file, const std::string& format) {
  const std::string name = fs::path(file.path).filename().string();
  if (format == "drmemtrace")
    return name.find("trace") == name.npos;
  if (format == "champsim")
    return file.kind.noun == "text file";
  return format == "paper";
}

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

  // The one file of the role, as an option of the question.
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

// A question that judges.
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

// One that predicts, shows or converts.
Question ask_to_see(const char* text, const Words& command, const RecognisedFile& file) {
  Question q = ask(text, command, file);
  q.verdict = false;
  return q;
}

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
  // Two files may as well be two chips of one run: shown, never chosen.
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

void ask_memory(const Asked& asked, std::vector<Question>& out) {
  const size_t first = out.size();
  std::vector<std::string> formats;  // of the questions from `first` on: recordings of one tool are one run
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

// Tables without a column that names the machine, and read alike, are the machines of one job. One with such
// a column is a job of its own: those of two jobs, judged as one, would hide what is wrong in either.
void ask_metrics(const Asked& asked, std::vector<Question>& out) {
  std::vector<Words> ways;
  for (const RecognisedFile* table : asked.of(Role::Metrics)) {
    const bool whole = std::ranges::find(table->words, "--machine-column") != table->words.end();
    const auto at = whole ? ways.end() : std::ranges::find(ways, table->words);
    const size_t behind = size_t(ways.end() - at);  // questions that were asked after the one of this way
    if (behind == 0) {
      ways.push_back(table->words);
      Question& q = out.emplace_back(judging(kFleet, {"fleet", "diagnose"}));
      append(q.command, table->words);
    }
    Question& q = out[out.size() - std::max<size_t>(behind, 1)];
    use(q, "--csv", table->path);
  }
}

void ask_fleet(const Asked& asked, std::vector<Question>& out) {
  ask_metrics(asked, out);
  for (const RecognisedFile* page : asked.of(Role::MetricsPage))
    out.push_back(ask(kFleet, {"fleet", "diagnose", "--openmetrics"}, *page));
  const auto telemetry = asked.of(Role::Collectives);
  if (telemetry.empty())
    return;
  Question q = judging("Which rank, host or link holds the others up?", {"fleet", "ranks"});
  for (const RecognisedFile* file : telemetry)
    add_file(q, file->path);
  out.push_back(std::move(q));
}

constexpr const char* kSystem = "a system data sheet (lento.system/1, or a shipped one: --system h100)";

void ask_predictions(const Asked& asked, std::vector<Question>& out) {
  const auto with_system = [&](Question q) {
    asked.add_one(q, Role::System, "--system", kSystem);
    out.push_back(std::move(q));
  };
  constexpr const char* kSlower = "What is slower than it should be?";
  for (const RecognisedFile* table : asked.of(Role::Measurements))
    with_system(ask(kSlower, {"predict", "--measured"}, *table));
  // A profiler's trace, beside what it should be held against.
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
  if (file.kind.noun.empty() || file.role != Role::None)
    return file;
  const std::string noun = file.kind.noun;
  constexpr std::array kUnreadable{"empty file", "blank file", "source text", "object file"};
  if (std::ranges::find(kUnreadable, noun) != kUnreadable.end())
    return file;
  if (noun == "table" && take_table(file))
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
