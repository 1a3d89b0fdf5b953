// lento diagnose FILE...: recognises files by content and runs the detector that fits them. lento, alone:
// lists the files of a folder and the questions that they answer.
#include "desk/diagnose.h"

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/commands/first_look.h"
#include "desk/expected.h"
#include "desk/houses.h"
#include "desk/recognise.h"
#include "desk/unread.h"
#include "predict/measured.h"

namespace lento::cli {
namespace {

using base::Error;
using desk::Question;
using desk::RecognisedFile;
using desk::Role;

constexpr size_t kMostShown = 12;

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

std::string described(const RecognisedFile& file) {
  const std::string what = base::describe(file.kind);
  return file.path + (what.empty() ? " cannot be read as a file" : " is " + what);
}

// Returns what can be done with files that allow no judgement.
std::string hint_on(const std::vector<RecognisedFile>& files, const std::vector<Question>& questions) {
  std::string hint = "docs/formats/desk.md lists what is read";
  const std::string& path = files[0].path;
  if (files[0].kind.noun == "table")
    hint =
        "say what its columns are: lento fleet diagnose --csv " + path +
        " --machine-column M --time-column T for metrics, lento chip examine " + path +
        " --component C --start T for times of cores or transfers; docs/formats/questions.md for predictions";
  if (files[0].kind.noun == "recording of a logic analyser")
    hint =
        "write it as VCD (write_hw_ila_data -vcd_file), with the clock among its signals, then: "
        "lento tile run IMAGE --block vcd:FILE --map MAP";
  if (!questions.empty()) {
    hint = "it can be asked: " + command_line("lento", questions[0].command);
    if (!questions[0].missing.empty())
      hint += ", with " + joined(questions[0].missing, " and ");
  }
  return hint;
}

// Returns the error for files that allow no judgement, with what they are.
Error nothing_to_judge(const std::vector<RecognisedFile>& files, const std::vector<Question>& questions) {
  std::vector<std::string> lines;
  for (const RecognisedFile& file : files)
    lines.push_back(described(file));
  return Error(
      {files[0].path},
      "no verdict is possible from these files: " + joined(lines, "; "),
      hint_on(files, questions));
}

// Adds `--system NAME` to a question that lacks only a data sheet. The name is `given`, the value of
// --system, or the device that the question's table or trace names.
void add_system(Question& question, const std::string& given) {
  if (question.missing != std::vector<std::string>{desk::kSystemSheet} || !question.verdict)
    return;
  const std::string named = given.empty() ? predict::device_of_run(question.uses[0]) : given;
  if (named.empty())
    return;
  question.missing.clear();
  question.command.insert(question.command.end(), {"--system", named});
}

// Chooses the one question that the files allow. Throws Error when there are none or several.
Question chosen(const std::vector<RecognisedFile>& files, const std::string& system) {
  std::vector<Question> questions = desk::questions_of(files);
  for (Question& q : questions)
    add_system(q, system);
  std::vector<const Question*> whole;
  const Question* incomplete = nullptr;
  for (const Question& q : questions) {
    if (!q.verdict)
      continue;
    if (q.missing.empty())
      whole.push_back(&q);
    else if (!incomplete)
      incomplete = &q;
  }
  if (whole.empty() && incomplete)
    throw Error(
        {incomplete->uses[0]},
        "needs beside it: " + joined(incomplete->missing, ", "),
        "give it too: " + command_line("lento diagnose", incomplete->uses) +
            " FILE, or ask with it: " + command_line("lento", incomplete->command));
  if (whole.empty())
    throw nothing_to_judge(files, questions);
  if (!whole[0]->doubtful.empty())
    throw Error({whole[0]->uses[0]}, joined(whole[0]->doubtful, "; "), "name only the one that is meant");
  if (whole.size() > 1) {
    // A question that takes several of the files, such as a comparison, is never asked unnamed.
    const auto joint = std::ranges::find_if(questions, [](const Question& q) {
      return !q.verdict && q.missing.empty() && q.uses.size() > 1;
    });
    throw Error(
        {files[0].path},
        "these files answer " + std::to_string(whole.size()) + " questions: " + whole[0]->text + " " +
            whole[1]->text,
        "ask them one by one: " + command_line("lento diagnose", whole[0]->uses) +
            (joint == questions.end() ? ""
                                      : "; " + joint->text + " " + command_line("lento", joint->command)));
  }
  return *whole[0];
}

// Judges logs, counters and recorded states of parts together as one incident. Verdicts on metric tables and
// collective dumps among `others` are shown beside it. The remaining files of `others` are reported as not
// used.
void judge_logs(
    Context& context,
    const std::vector<std::string>& logs,
    const std::vector<RecognisedFile>& others,
    const desk::ExpectedOptions& expected) {
  desk::FleetVerdicts beside = desk::verdicts_beside(others, context.progress());
  for (size_t i = 0; i < others.size() && i < kMostShown; ++i)
    if (std::ranges::find(beside.used, others[i].path) == beside.used.end())
      context.warn(described(others[i]) + "; it is not used");
  for (const std::string& failure : beside.failures)
    context.warn(failure);
  desk::DeskOptions options;
  options.judge.beside = std::move(beside.verdicts);
  options.paths = logs;
  options.judge.compare = desk::comparison(expected);
  context.show(desk::diagnose(options, context.progress()));
}

// Adds files of numbers without times or machines to `logs`, where they are compared with each other, or to
// `files`. They are compared when there are at least three, and logs were given too or no other file has a
// role.
void add_reports(
    std::vector<RecognisedFile> reports,
    std::vector<RecognisedFile>& files,
    std::vector<std::string>& logs) {
  constexpr size_t kFewestPeers = 3;
  const bool is_asked = std::ranges::any_of(files, [](const RecognisedFile& file) {
    return file.role != Role::None;
  });
  const bool is_compared = reports.size() >= kFewestPeers && (!logs.empty() || !is_asked);
  for (RecognisedFile& report : reports) {
    if (is_compared)
      logs.push_back(report.path);
    else
      files.push_back(std::move(report));
  }
}

// Runs `lento diagnose`: recognises the files and judges what they allow.
void run(Context& context, const std::vector<std::string>& paths, const desk::ExpectedOptions& expected) {
  std::vector<RecognisedFile> files;
  std::vector<RecognisedFile> numbers;  // of unknown reports
  std::vector<std::string> logs;
  size_t left_out = 0;
  for (const std::string& path : desk::files_of(paths, left_out)) {
    if (path == "-" || desk::reads(path)) {
      logs.push_back(path);
      continue;
    }
    RecognisedFile file = desk::recognise(path);
    // A table of questions holds no verdict. The same table of several hosts may compare them.
    const bool is_of_runs = file.role == Role::Questions;
    const bool is_maybe_trace = file.kind.format == "perf";  // by the form of its first lines
    const desk::Labels labels =
        file.role == Role::None || is_of_runs || is_maybe_trace ? desk::labels_in(path) : desk::Labels::None;
    if (labels == desk::Labels::Known && !is_of_runs)
      logs.push_back(path);
    else
      (labels != desk::Labels::None ? numbers : files).push_back(std::move(file));
  }
  add_reports(std::move(numbers), files, logs);
  if (left_out > 0)
    context.warn(
        std::to_string(left_out) + " files beyond the first " + std::to_string(desk::kMostFiles) +
        " are not read");
  if (!logs.empty()) {
    judge_logs(context, logs, files, expected);
    return;
  }
  if (files.empty())
    throw Error({paths[0]}, "there is no file in it", "name logs, counters, tables or a folder of them");
  if (auto unread =
          expected.system.empty() ? desk::verdict_on_unread(files, hint_on(files, {})) : std::nullopt) {
    context.show(std::move(*unread));
    return;
  }
  Question question = chosen(files, expected.system);
  if (!expected.system.empty() && std::ranges::find(question.command, "--system") == question.command.end())
    throw Error(
        {"--system"},
        "none of these files states the speed of a training or serving run",
        "lento predict --measured FILE compares tables of times and profiler traces");
  for (const RecognisedFile& file : files)
    if (std::ranges::find(question.uses, file.path) == question.uses.end())
      context.warn(described(file) + "; it is not used");
  for (std::string& word : context.output_words())
    question.command.push_back(std::move(word));
  context.streams.err << "== " << command_line("lento", question.command) << "\n" << std::flush;
  context.result = cli::run(context.program, question.command, context.plain);
}

void show_files(std::ostream& out, const std::vector<RecognisedFile>& known) {
  size_t width = 0;
  for (size_t i = 0; i < known.size() && i < kMostShown; ++i)
    width = std::max(width, known[i].path.size());
  out << "In this folder:\n";
  for (size_t i = 0; i < known.size() && i < kMostShown; ++i)
    out << "  " << known[i].path << std::string(width - known[i].path.size() + 2, ' ')
        << base::describe(known[i].kind) << "\n";
  if (known.size() > kMostShown)
    out << "  and " << known.size() - kMostShown << " more\n";
}

void show_questions(std::ostream& out, const std::vector<Question>& questions) {
  out << "\nWhat can be asked of them:\n";
  for (size_t i = 0; i < questions.size() && i < kMostShown; ++i) {
    const Question& q = questions[i];
    out << "  " << q.text << "\n    " << command_line("lento", q.command) << "\n";
    if (!q.missing.empty())
      out << "    needs also " << joined(q.missing, " and ") << "\n";
    for (const std::string& doubt : q.doubtful)
      out << "    " << doubt << "\n";
  }
}

}  // namespace

void first_look(std::ostream& out, const std::string& folder) {
  out << program().text << "\n\n";
  std::vector<RecognisedFile> known;
  for (RecognisedFile& file : desk::recognise_folder(folder))
    if (file.role != Role::None)
      known.push_back(std::move(file));
  if (known.empty())
    out << "Nothing in this folder is of a kind that Lento judges.\n";
  else
    show_files(out, known);
  if (const std::vector<Question> questions = desk::questions_of(known); !questions.empty())
    show_questions(out, questions);
  out << "\nlento diagnose FILE...  finds the question that fits\n"
         "lento demo              shows every scale on one page\n"
         "lento --help            lists all commands\n";
}

void add_diagnose(Command& app, Context& context) {
  Command* command = app.add_subcommand(
      "diagnose",
      "Judge whatever these files allow: the detector is found by what they are");
  auto paths = std::make_shared<std::vector<std::string>>();
  command
      ->add_option(
          "FILE",
          *paths,
          "Logs, counters, records, and what they are from (a chip and its mapping, the traced program, a "
          "data "
          "sheet); a folder stands for its files, - for standard input")
      ->required();
  auto expected = std::make_shared<desk::ExpectedOptions>();
  command->add_option(
      "--system",
      expected->system,
      "Compare a run's speed with what this hardware should reach: a shipped data sheet (h100, ...) or a "
      "file");
  command->add_option(
      "--model",
      expected->model,
      "Its model by a usual name or a config.json; default: as the file names it");
  command->add_option("--parallel", expected->parallel, "How it is spread: tp=8,pp=2,dp=4");
  command->add_option("--precision", expected->precision, "fp32, tf32, fp16, bf16, int8, fp8, fp4")
      ->capture_default_str();
  command->add_option("--framework", expected->framework, "Its software; default: as the file names it");
  command
      ->add_option("--batch", expected->batch, "Training: samples in a step; default: as the log states it")
      ->check(range(0, 1 << 23));
  command
      ->add_option(
          "--sequence",
          expected->sequence,
          "Training: tokens in a sample; default: as the log states it")
      ->check(range(0, 1 << 23));
  context.add_output_options(*command);
  example(*command, "lento diagnose run.probe examples/chip/4x4.yaml net.map.json");
  command->callback([&context, paths, expected] {
    run(context, *paths, *expected);
  });
}

}  // namespace lento::cli
