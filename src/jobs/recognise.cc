#include "jobs/recognise.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/csv.h"
#include "base/error.h"
#include "predict/time/question.h"
#include "trace/access_file.h"
#include "trace/collective_files.h"
#include "trace/foreign.h"

namespace lento::jobs {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 2000;

// What a kind of file is good for, by what base/sniff.h calls it.
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
  for (const Use& use : kUses)
    if (use.noun == kind.noun)
      return use.role;
  return Role::None;
}

std::optional<std::string> first_of(
    const std::vector<std::string>& columns,
    std::initializer_list<std::string_view> wanted) {
  for (const std::string_view name : wanted)
    for (const std::string& column : columns)
      if (column == name)
        return column;
  return std::nullopt;
}

// Seconds, milliseconds or microseconds: by the column's name, else by how large a time of today would be.
std::string unit_of(const std::string& column, const std::string& first_value) {
  for (const std::string_view unit : {"ms", "us"}) {
    const std::string suffix = std::string(unit);
    if (column.ends_with("_" + suffix) || column.ends_with("(" + suffix + ")"))
      return suffix;
  }
  double value = 0;
  const char* end = first_value.data() + first_value.size();
  if (std::from_chars(first_value.data(), end, value).ec != std::errc())
    return "s";
  if (value > 1e14)
    return "us";
  return value > 1e11 ? "ms" : "s";
}

// A table with a time and numbers: metrics of machines. Columns that tell groups of peers apart are labels.
bool take_metrics(RecognisedFile& file, base::CsvReader& table) {
  const std::vector<std::string>& columns = table.columns();
  const auto time =
      first_of(columns, {"time", "time_s", "time_ms", "time_us", "timestamp", "ts", "t", "Time"});
  const auto machine = first_of(
      columns,
      {"machine", "node", "host", "hostname", "Hostname", "instance", "machine_id", "node_id"});
  if (!time || columns.size() < 3 || !table.next())
    return false;
  file.kind = {"table of metrics", "CSV"};
  file.role = Role::Metrics;
  if (machine)
    file.words = {"--machine-column", *machine};
  file.words.insert(
      file.words.end(),
      {"--time-column", *time, "--time-unit", unit_of(*time, table.text(table.find(*time)))});
  for (const char* label : {"stage", "pp_rank", "hardware"})
    if (table.find(label) >= 0)
      file.words.insert(file.words.end(), {"--label", label});
  return true;
}

bool take_questions(RecognisedFile& file, base::CsvReader& table) {
  try {
    const predict::Dialect dialect = predict::dialect_of(table);
    const bool measured = table.next() && predict::measured_s(dialect, table).has_value();
    file.role = measured ? Role::Measurements : Role::Questions;
    file.kind = {measured ? "table of measured times" : "table of questions", "CSV"};
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

bool take_table(RecognisedFile& file) {
  try {
    base::ReadReport report;
    base::CsvReader table(file.path, report);
    if (table.find("component") >= 0 && table.find("peer") >= 0) {
      file.kind = {"record of data movement", "CSV"};
      file.role = Role::Transfers;
      return true;
    }
    return take_metrics(file, table) || take_questions(file, table);
  } catch (const base::Error&) {
    return false;
  }
}

// Access traces of other tools. The reader takes any name or first word that may mean one, because somebody
// said that the file is a trace; here nobody did.
bool take_accesses(RecognisedFile& file) {
  const std::string name = fs::path(file.path).filename().string();
  try {
    if (trace::AccessFile::recognises(file.path)) {
      file.kind = {"access trace", "LENTOACC"};
    } else {
      const std::string format = trace::recognise_foreign(file.path);
      const bool by_chance = format == "paper" ||
                             (format == "drmemtrace" && name.find("trace") == name.npos) ||
                             (format == "champsim" && file.kind.noun == "text file");
      if (by_chance)
        return false;
      file.kind = {"access trace", format == "text" ? "lento.access" : format};
    }
  } catch (const base::Error&) {
    return false;
  }
  file.role = Role::Accesses;
  return true;
}

bool take_collectives(RecognisedFile& file) {
  const trace::CollectiveLayout layout = trace::recognise_collectives(file.path);
  if (layout == trace::CollectiveLayout::None || layout == trace::CollectiveLayout::InspectorProm)
    return false;
  file.kind = {"telemetry of collectives", trace::name(layout)};
  file.role = Role::Collectives;
  return true;
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
    question.command.insert(question.command.end(), {option, found[0]->path});
    question.uses.push_back(found[0]->path);
    if (found.size() > 1)
      question.doubtful.push_back(found[0]->path + " and " + found[1]->path + " could both be " + what);
  }

 private:
  const std::vector<RecognisedFile>& files_;
};

Question
ask(const char* text, std::vector<std::string> command, const RecognisedFile& file, bool verdict = true) {
  command.push_back(file.path);
  return {text, std::move(command), {}, {}, {file.path}, verdict};
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
      q.command.insert(q.command.end(), {"--chip", chip->path});
      q.uses.push_back(chip->path);
      break;
    }
    out.push_back(std::move(q));
  }
}

void ask_memory(const Asked& asked, std::vector<Question>& out) {
  const auto traces = asked.of(Role::Accesses);
  if (traces.empty())
    return;
  Question q{"Which code on which cores fights over memory?", {"memory", "diagnose"}, {}, {}, {}, true};
  for (const RecognisedFile* trace : traces) {
    q.command.push_back(trace->path);
    q.uses.push_back(trace->path);
  }
  for (const RecognisedFile* program : asked.of(Role::Program)) {
    q.command.insert(q.command.end(), {"--elf", program->path});
    q.uses.push_back(program->path);
  }
  out.push_back(std::move(q));
}

// Tables without a column that names the machine, and read alike, are the machines of one job. One with such
// a column is a job of its own: those of two jobs, judged as one, would hide what is wrong in either.
void ask_metrics(const Asked& asked, std::vector<Question>& out) {
  std::vector<std::vector<std::string>> ways;
  for (const RecognisedFile* table : asked.of(Role::Metrics)) {
    const bool whole = std::ranges::find(table->words, "--machine-column") != table->words.end();
    const auto at = whole ? ways.end() : std::ranges::find(ways, table->words);
    Question* q = at == ways.end() ? nullptr : &out[out.size() - size_t(ways.end() - at)];
    if (!q) {
      ways.push_back(table->words);
      q = &out.emplace_back();
      q->text = "Which machine of the job is faulty?";
      q->command = {"fleet", "diagnose"};
      q->command.insert(q->command.end(), table->words.begin(), table->words.end());
      q->verdict = true;
    }
    q->command.insert(q->command.end(), {"--csv", table->path});
    q->uses.push_back(table->path);
  }
}

void ask_fleet(const Asked& asked, std::vector<Question>& out) {
  ask_metrics(asked, out);
  for (const RecognisedFile* page : asked.of(Role::MetricsPage))
    out.push_back(ask("Which machine of the job is faulty?", {"fleet", "diagnose", "--openmetrics"}, *page));
  const auto telemetry = asked.of(Role::Collectives);
  if (telemetry.empty())
    return;
  Question q{"Which rank, host or link holds the others up?", {"fleet", "ranks"}, {}, {}, {}, true};
  for (const RecognisedFile* file : telemetry) {
    q.command.push_back(file->path);
    q.uses.push_back(file->path);
  }
  out.push_back(std::move(q));
}

constexpr const char* kSystem = "a system data sheet (lento.system/1, or a shipped one: --system h100)";

void ask_predictions(const Asked& asked, std::vector<Question>& out) {
  const auto with_system = [&](Question q) {
    asked.add_one(q, Role::System, "--system", kSystem);
    out.push_back(std::move(q));
  };
  for (const RecognisedFile* table : asked.of(Role::Measurements))
    with_system(ask("What is slower than it should be?", {"predict", "--measured"}, *table));
  if (!asked.of(Role::System).empty())  // a profiler's trace, beside what it should be held against
    for (const RecognisedFile* trace : asked.of(Role::Collectives))
      if (trace->kind.format == trace::name(trace::CollectiveLayout::Kineto))
        with_system(ask("What is slower than it should be?", {"predict", "--measured"}, *trace));
  for (const RecognisedFile* table : asked.of(Role::Questions))
    out.push_back(ask("How fast should each row be?", {"predict", "--table"}, *table, false));
  for (const Role role : {Role::Workload, Role::Network})
    for (const RecognisedFile* workload : asked.of(role))
      with_system(ask("How fast should it be?", {"predict"}, *workload, false));
  for (const RecognisedFile* space : asked.of(Role::SearchSpace))
    out.push_back(ask("What should be built?", {"search"}, *space, false));
}

}  // namespace

RecognisedFile recognise(const std::string& path) {
  RecognisedFile file{path, Role::None, base::kind_of_file(path), {}};
  file.role = role_of(file.kind);
  if (file.kind.noun.empty() || file.role != Role::None)
    return file;
  const std::string noun = file.kind.noun;
  const bool readable = noun != "empty file" && noun != "blank file";
  if (readable && !(noun == "table" && take_table(file)) && !take_collectives(file))
    take_accesses(file);
  return file;
}

std::vector<RecognisedFile> recognise_folder(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end && names.size() < kMostFiles;
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
  for (const RecognisedFile* image : asked.of(Role::TileImage))
    out.push_back(ask("What can this program never do?", {"tile", "verify"}, *image));
  ask_predictions(asked, out);
  for (const RecognisedFile* stored : asked.of(Role::Diagnosis))
    out.push_back(ask("What was concluded?", {"report"}, *stored, false));
  return out;
}

}  // namespace lento::jobs
