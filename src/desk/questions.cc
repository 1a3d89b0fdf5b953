// Lists the commands that the roles of several files allow (recognise.h).
#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "desk/recognise.h"
#include "fleet/ranks/read/collective_files.h"
#include "fleet/read/column_names.h"

namespace lento::desk {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
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

// Adds the questions that records of a chip can answer. Probe records beside one chip and one mapping are
// runs of these. A sketch is judged alone.
void ask_chips(const Asked& asked, std::vector<Question>& out) {
  const auto recorded = asked.of(Role::ChipRecords);
  const auto is_run = [](const RecognisedFile* records) {
    return records->kind.noun == "probe record file";
  };
  const auto first = std::ranges::find_if(recorded, is_run);
  for (auto at = recorded.begin(); at != recorded.end(); ++at) {
    if (at > first && is_run(*at))
      continue;
    Question q = ask("Which core, link, router or port has gone slow?", {"chip", "diagnose"}, **at);
    for (auto further = at + 1; at == first && further != recorded.end(); ++further)
      if (is_run(*further))
        add_file(q, (*further)->path);
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

// Returns whether each table of this layout names one machine, and each another one.
bool is_one_of_machines(const std::vector<const RecognisedFile*>& tables, const Words& layout) {
  std::set<std::string> machines;
  size_t count = 0;
  for (const RecognisedFile* table : tables) {
    if (table->words != layout)
      continue;
    ++count;
    if (!table->machine.empty())
      machines.insert(table->machine);
  }
  return machines.size() == count;
}

// Lists the questions on tables of metrics. Tables of the same layout without a machine column, or with one
// machine each, are machines of one job. Another table with such a column is a job of its own, because
// judging two jobs as one would hide the faults of either.
void ask_metrics(const Asked& asked, std::vector<Question>& out) {
  std::vector<Words> ways;
  const auto tables = asked.of(Role::Metrics);
  for (const RecognisedFile* table : tables) {
    const bool names_machines = names_its_machines(*table);
    const bool whole = names_machines && !is_one_of_machines(tables, table->words);
    const auto at = whole ? ways.end() : std::ranges::find(ways, table->words);
    const size_t behind = size_t(ways.end() - at);  // questions that were added after the one for this layout
    if (behind == 0) {
      ways.push_back(table->words);
      Question& q = out.emplace_back(judging(kFleet, {"fleet", "diagnose"}));
      append(q.command, table->words);
    }
    Question& q = out[out.size() - std::max<size_t>(behind, 1)];
    if (behind > 0 && !names_machines)  // each file is a host, so that machines in one file are devices
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

// Adds the questions about programs on tiles. A program that is to run on a recording is also verified there.
void ask_tiles(const Asked& asked, std::vector<Question>& out) {
  const auto waveforms = asked.of(Role::Waveform);
  const auto images = asked.of(Role::TileImage);
  for (const RecognisedFile* source : asked.of(Role::TileSource)) {
    Question q = ask_to_see("What becomes of this program on a tile?", {"tile", "build"}, *source);
    const fs::path image = fs::path(source->path).replace_extension(".ypu");
    append(q.command, {"-o", image.string()});
    out.push_back(std::move(q));
  }
  for (const RecognisedFile* image : images) {
    out.push_back(ask("What can this program never do?", {"tile", "verify"}, *image));
    out.back().verdict = waveforms.empty();
  }
  for (const RecognisedFile* waveform : waveforms) {
    Question q = judging("What does a program on a tile see in these signals?", {"tile", "run"});
    if (images.empty()) {
      q.command.emplace_back("IMAGE");
      q.missing.emplace_back("a program for a tile (lento tile build)");
    } else {
      add_file(q, images[0]->path);
    }
    if (images.size() > 1)
      q.doubtful.push_back(images[0]->path + " and " + images[1]->path + " could both be the program");
    append(
        q.command,
        {"--unsigned", "--block", (waveform->kind.format == "FST" ? "fst:" : "vcd:") + waveform->path});
    q.uses.push_back(waveform->path);
    asked.add_one(q, Role::SignalMap, "--map", "a map of its signals (lento.tile-map/1)");
    if (asked.of(Role::SignalMap).empty())
      append(q.command, {"--map", "MAP"});
    out.push_back(std::move(q));
  }
}

}  // namespace

std::vector<Question> questions_of(const std::vector<RecognisedFile>& files) {
  const Asked asked(files);
  std::vector<Question> out;
  ask_fleet(asked, out);
  ask_chips(asked, out);
  ask_memory(asked, out);
  ask_tiles(asked, out);
  ask_predictions(asked, out);
  for (const RecognisedFile* stored : asked.of(Role::Diagnosis))
    out.push_back(ask_to_see("What was concluded?", {"report"}, *stored));
  return out;
}

}  // namespace lento::desk
