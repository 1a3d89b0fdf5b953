// Prints diagnoses in the forms that the shared options request, and reports progress. Every command ends in
// Context::show, so that a new form of output needs no change in the commands.
#include "cli/context.h"

#include <cctype>
#include <filesystem>
#include <ostream>

#include "base/error.h"
#include "base/file.h"
#include "base/http/http.h"
#include "base/interrupt.h"
#include "base/units.h"
#include "base/version.h"
#include "base/visible.h"
#include "cli/otlp.h"
#include "cli/pace.h"
#include "cli/signals.h"
#include "finding/inputs.h"
#include "report/report.h"

namespace lento::cli {
namespace {

using base::write_file;
using finding::Diagnosis;

// Returns a word quoted for a shell, without a password in it.
std::string quoted(const std::string& given) {
  const std::string word = base::without_password(given);  // a command line is stored
  if (!word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+") ==
          std::string::npos) {
    return word;
  }
  std::string out = "'";
  for (const char c : word)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Writes each figure to a file named after it: "Machines over time" becomes DIR/2-machines-over-time.csv.
void write_figures(const std::string& folder, const Diagnosis& diagnosis) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code)
    throw base::Error({folder}, "cannot be made a folder: " + code.message());
  for (size_t i = 0; i < diagnosis.figures.size(); ++i) {
    std::string name = std::to_string(i + 1) + "-";
    for (const char c : diagnosis.figures[i].title.substr(0, 60)) {
      name += std::isalnum(static_cast<unsigned char>(c)) ? char(std::tolower(static_cast<unsigned char>(c)))
                                                          : '-';
    }
    write_file(folder + "/" + name + ".csv", report::write_csv(diagnosis.figures[i]));
  }
}

// Returns whether output is coloured, by option, NO_COLOR and terminal.
bool wants_color(const Context& context) {
  if (context.color != "auto")
    return context.color == "always";
  const char* no = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = !terminal || std::string_view(terminal) == "dumb";
  return context.streams.out_is_terminal && (!no || !*no) && !dumb;
}

}  // namespace

std::string command_line(const std::string& program, const std::vector<std::string>& args) {
  std::string text = program;
  for (const std::string& arg : args)
    text += " " + quoted(arg);
  return text;
}

void Context::add_output_options(Command& app) {
  app.add_flag("--json", json, "Print the diagnosis as JSON");
  app.add_option("--html", html, "Also write a self-contained HTML page")->type_name("FILE");
  app.add_option("--figures", csv, "Also write every figure as a CSV file into this folder")
      ->type_name("DIR");
  app.add_option("--trace-out", trace_out, "Also write the timelines as a Chrome trace, for Perfetto")
      ->type_name("FILE");
  app.add_option("--sarif", sarif, "Also write the findings as SARIF 2.1.0")->type_name("FILE");
  app.add_option(
         "--otlp",
         otlp,
         "Also send the findings to this OpenTelemetry collector, or write the request")
      ->type_name("URL|FILE");
  app.add_flag("--explain", explain, "Print all evidence");
  app.add_flag("--strict", strict, "Stop at the first damaged record instead of skipping it");
  app.add_flag("--exit-code", exit_code, "Exit with 1 when there are findings");
  app.add_option("--color", color, "auto, always or never")->check(one_of({"auto", "always", "never"}));
}

void Context::add_seed(Command& app) {
  app.add_option("--seed", seed, "Seed of all random draws")->capture_default_str();
}

void Context::add_jobs(Command& app) {
  app.add_option("-j,--jobs", jobs, "Threads; 0 uses all cores. Results do not depend on it")
      ->capture_default_str();
}

Diagnosis Context::stamped(Diagnosis diagnosis) const {
  if (diagnosis.version.empty())
    diagnosis.version = base::kVersion;  // a stored one keeps its own
  if (diagnosis.command.empty())
    diagnosis.command = command_line(program.name, args);
  return diagnosis;
}

void Context::show(Diagnosis diagnosis) {
  diagnosis = stamped(std::move(diagnosis));
  if (!html.empty())
    write_file(html, report::write_html(diagnosis));
  if (!trace_out.empty())
    write_file(trace_out, report::write_trace(diagnosis));
  if (!sarif.empty())
    write_file(sarif, report::write_sarif(diagnosis));
  if (!csv.empty())
    write_figures(csv, diagnosis);
  const bool colored = wants_color(*this);
  plain.out << (json ? report::write_json(diagnosis) : report::write_text(diagnosis, {explain, colored}));
  if (exit_code && !diagnosis.findings.empty())
    result = 1;
  if (diagnosis.outcome == finding::Outcome::CannotJudge)
    result = 4;
  if (!otlp.empty()) {
    plain.out.flush();  // the verdict is there, whatever becomes of the sending
    send_otlp(otlp, diagnosis);
  }
}

std::vector<std::string> Context::output_words() const {
  std::vector<std::string> words;
  const std::pair<const char*, bool> flags[] = {
      {"--json", json},
      {"--explain", explain},
      {"--strict", strict},
      {"--exit-code", exit_code}};
  for (const auto& [name, given] : flags)
    if (given)
      words.push_back(name);
  const std::pair<const char*, std::string> options[] = {
      {"--html", html},
      {"--figures", csv},
      {"--trace-out", trace_out},
      {"--sarif", sarif},
      {"--otlp", otlp},
      {"--color", color == "auto" ? "" : color}};
  for (const auto& [name, value] : options)
    if (!value.empty())
      words.insert(words.end(), {name, value});
  return words;
}

base::Progress Context::progress() {
  base::Progress progress;
  progress.stop = base::interrupted;
  progress.report = [this, pace = Pace{}](std::string_view what, double done, double total) mutable {
    note_progress(what, done, total);
    if (!streams.err_is_terminal)
      return;
    std::ostream& err = plain.err;
    err << "\r\033[K" << base::visible(what) << ' ' << base::format_number(done, 6);
    if (total > 0)
      err << " of " << base::format_number(total, 6) << pace.words(what, done, total);
    if (total > 0 && done >= total)
      err << "\r\033[K";
    err.flush();
  };
  return progress;
}

void Context::warn(const std::string& text) {
  streams.err << "warning: " << text << "\n";
}

finding::Input Context::input(const std::string& role, const std::string& path, const std::string& bytes) {
  return {role, path, base::digest(bytes)};
}

finding::Input Context::input_file(const std::string& role, const std::string& path) {
  return finding::input_of(role, path);
}

void example(Command& app, const std::string& text) {
  app.footer("Example:\n  " + text);
}

}  // namespace lento::cli
