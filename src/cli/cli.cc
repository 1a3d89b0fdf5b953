#include "cli/cli.h"

#include <poll.h>

#include <cctype>
#include <csignal>
#include <filesystem>
#include <ostream>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/context.h"
#include "cli/version.h"
#include "report/report.h"

namespace lento::cli {
namespace {

// Whoever reads standard output through a pipe may stop when it has seen enough: no error.
bool reader_is_gone() {
  pollfd out{1, 0, 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

volatile std::sig_atomic_t g_interrupted = 0;

void on_interrupt(int) {
  if (g_interrupted) std::_Exit(130);  // a second Ctrl-C does not wait
  g_interrupted = 1;
}

std::string quoted(const std::string& word) {
  if (!word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+") ==
          std::string::npos) {
    return word;
  }
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// "Machines over time" -> DIR/2-machines-over-time.csv
void write_figures(const std::string& folder, const finding::Diagnosis& diagnosis) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) throw base::Error({folder}, "cannot be made a folder: " + code.message());
  for (size_t i = 0; i < diagnosis.figures.size(); ++i) {
    std::string name = std::to_string(i + 1) + "-";
    for (const char c : diagnosis.figures[i].title.substr(0, 60)) {
      name += std::isalnum(static_cast<unsigned char>(c))
                  ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                  : '-';
    }
    base::write_file(folder + "/" + name + ".csv", report::write_csv(diagnosis.figures[i]));
  }
}

// "lento fleet watch": the innermost command that was named.
std::string command_named(const Command& app) {
  std::string words = app.name();
  for (const Command* at = app.chosen(); at; at = at->chosen()) words += " " + at->name();
  return words;
}

void print_help(std::ostream& out, const Command& app) {
  std::string parents;
  const Command* at = &app;
  while (const Command* next = at->chosen()) {
    parents += (parents.empty() ? "" : " ") + at->name();
    at = next;
  }
  out << at->help(parents);
}

// What stands elsewhere now: "error: 'lento chip campaign' is now 'lento-lab chip campaign'".
std::string moved_command(const Context& context) {
  std::string words;
  for (const std::string& word : context.args) {
    words += (words.empty() ? "" : " ") + word;
    for (const auto& [former, present] : context.program.moved) {
      if (words != former) continue;
      return "error: '" + context.program.name + " " + former + "' is now '" + present +
             "'\n  hint: " + present + " --help";
    }
  }
  return {};
}

// A word where a command should stand and none is so called; the parser itself would only miss the command.
std::string misspelt_command(const Command& app, const std::vector<std::string>& args) {
  const Command* at = &app;
  for (const std::string& word : args) {
    std::vector<std::string> known;
    const Command* next = nullptr;
    for (const Command* child : at->subcommands()) {
      known.push_back(child->name());
      if (child->name() == word) next = child;
    }
    if (known.empty() || word.starts_with("-")) return {};
    if (!next && at->takes_operands()) return {};  // the word is the command's own operand
    if (!next)
      return "error: '" + word + "' is no command of '" + at->name() +
             "'\n  hint: " + base::suggestion(word, known);
    at = next;
  }
  return {};
}

int parse_and_run(Command& app, Context& context) {
  if (const std::string moved = moved_command(context); !moved.empty()) {
    context.streams.err << moved << "\n";
    return 2;
  }
  if (const std::string fault = misspelt_command(app, context.args); !fault.empty()) {
    context.streams.err << fault << "\n";
    return 2;
  }
  if (context.args == std::vector<std::string>{"--version"}) {
    context.streams.out << app.name() << " " << kVersion << "\n";
    return 0;
  }
  try {
    if (app.parse(context.args)) print_help(context.streams.out, app);
  } catch (const UsageError& e) {
    const std::string called = command_named(app);
    context.streams.err << "error: " << e.what() << "\n  hint: '" << called
                        << " --help' lists what it takes\n";
    return 2;
  }
  return context.result;
}

}  // namespace

std::string command_line(const std::string& program, const std::vector<std::string>& args) {
  std::string text = program;
  for (const std::string& arg : args) text += " " + quoted(arg);
  return text;
}

void Context::add_output_options(Command& app) {
  app.add_flag("--json", json, "Print the diagnosis as JSON");
  app.add_option("--html", html, "Also write a self-contained HTML page")->type_name("FILE");
  app.add_option("--figures", csv, "Also write every figure as a CSV file into this folder")
      ->type_name("DIR");
  app.add_option("--perfetto", perfetto, "Also write the timelines as a Chrome trace, for Perfetto")
      ->type_name("FILE");
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

finding::Diagnosis Context::stamped(finding::Diagnosis diagnosis) const {
  if (diagnosis.version.empty()) diagnosis.version = kVersion;  // a stored one keeps its own
  if (diagnosis.command.empty()) diagnosis.command = command_line(program.name, args);
  return diagnosis;
}

void Context::show(finding::Diagnosis diagnosis) {
  diagnosis = stamped(std::move(diagnosis));
  if (!html.empty()) base::write_file(html, report::write_html(diagnosis));
  if (!perfetto.empty()) base::write_file(perfetto, report::write_trace(diagnosis));
  if (!csv.empty()) write_figures(csv, diagnosis);
  const bool colored = color == "always";
  streams.out << (json ? report::write_json(diagnosis) : report::write_text(diagnosis, {explain, colored}));
  if (exit_code && !diagnosis.findings.empty()) result = 1;
  if (diagnosis.outcome == finding::Outcome::CannotJudge) result = 4;
}

base::Progress Context::progress() {
  base::Progress progress;
  progress.stop = [] { return g_interrupted != 0; };
  if (!streams.err_is_terminal) return progress;
  progress.report = [this](std::string_view what, double done, double total) {
    streams.err << "\r\033[K" << what << ' ' << base::format_number(done, 6);
    if (total > 0) streams.err << " of " << base::format_number(total, 6);
    if (total > 0 && done >= total) streams.err << "\r\033[K";
    streams.err.flush();
  };
  return progress;
}

void Context::warn(const std::string& text) { streams.err << "warning: " << text << "\n"; }

finding::Input Context::input(const std::string& role, const std::string& path, const std::string& bytes) {
  return {role, path, base::digest(bytes)};
}

finding::Input Context::input_file(const std::string& role, const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {role, path, ""};  // a pipe is gone once read
  base::InputStream in(path);
  base::Digest digest;
  std::vector<char> piece(1 << 16);
  while (const size_t got = in.read(piece)) digest.add({piece.data(), got});
  return {role, path, digest.text()};
}

void example(Command& app, const std::string& text) { app.footer("Example:\n  " + text); }

int run(const Program& program, const std::vector<std::string>& args, Streams streams) {
  Context context{streams, args, program};
  Command app(program.text, program.name);
  bool version = false;  // answered before the rest is looked at
  app.add_flag("--version", version, "Display program version information and exit");
  app.require_subcommand(1);
  g_interrupted = 0;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    for (const auto add : program.commands) add(app, context);
    const int code = parse_and_run(app, context);
    streams.out.flush();
    if (!streams.out && !reader_is_gone()) {
      streams.err << "error: cannot write all of the output\n";
      return 2;
    }
    return g_interrupted && code == 0 ? 130 : code;
  } catch (const base::Error& e) {
    streams.err << e.what() << "\n";
    return g_interrupted ? 130 : 2;
  } catch (const base::Bug& e) {
    streams.err << "bug: " << e.what() << "\n  This is a defect of lento " << kVersion
                << "; please report it with the command and its input.\n";
    return 3;
  } catch (const std::bad_alloc&) {
    streams.err << "error: out of memory\n";
    return 2;
  } catch (const std::exception& e) {
    streams.err << "bug: " << e.what() << "\n";
    return 3;
  }
}

}  // namespace lento::cli
