#include "cli/cli.h"

#include <csignal>
#include <ostream>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/context.h"
#include "cli/version.h"
#include "report/report.h"

namespace lento::cli {
namespace {

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

std::string command_line(const std::vector<std::string>& args) {
  std::string text = "lento";
  for (const std::string& arg : args) text += " " + quoted(arg);
  return text;
}

int parse_and_run(CLI::App& app, Context& context) {
  std::vector<std::string> reversed(context.args.rbegin(), context.args.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    for (CLI::App* at = &app;; at = at->get_subcommands().front()) {
      if (!at->get_subcommands().empty()) continue;
      context.streams.out << at->help();
      return 0;
    }
  } catch (const CLI::CallForVersion&) {
    context.streams.out << "lento " << kVersion << "\n";
    return 0;
  } catch (const CLI::ParseError& e) {
    context.streams.err
        << "error: " << e.what()
        << "\n  hint: 'lento --help' lists the commands, 'lento COMMAND --help' its options\n";
    return 2;
  }
  return context.result;
}

}  // namespace

void Context::add_output_options(CLI::App& app) {
  app.add_flag("--json", json, "Print the diagnosis as JSON");
  app.add_option("--html", html, "Also write a self-contained HTML page")->type_name("FILE");
  app.add_flag("--explain", explain, "Print all evidence");
  app.add_flag("--strict", strict, "Stop at the first damaged record instead of skipping it");
  app.add_flag("--exit-code", exit_code, "Exit with 1 when there are findings");
  app.add_option("--color", color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

void Context::add_seed(CLI::App& app) {
  app.add_option("--seed", seed, "Seed of all random draws")->capture_default_str();
}

void Context::add_jobs(CLI::App& app) {
  app.add_option("-j,--jobs", jobs, "Threads; 0 uses all cores. Results do not depend on it")
      ->capture_default_str();
}

void Context::show(finding::Diagnosis diagnosis) {
  diagnosis.version = kVersion;
  diagnosis.command = command_line(args);
  if (!html.empty()) base::write_file(html, report::write_html(diagnosis));
  const bool colored = color == "always";
  streams.out << (json ? report::write_json(diagnosis) : report::write_text(diagnosis, {explain, colored}));
  if (exit_code && !diagnosis.findings.empty()) result = 1;
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

void example(CLI::App& app, const std::string& text) { app.footer("Example:\n  " + text); }

int run(const std::vector<std::string>& args, Streams streams) {
  Context context{streams, args};
  CLI::App app("Lento finds what is slow in parallel AI hardware, and says how fast it should have been.",
               "lento");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  g_interrupted = 0;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    add_fleet(app, context);
    add_report(app, context);
    const int code = parse_and_run(app, context);
    streams.out.flush();
    return g_interrupted && code == 0 ? 130 : code;
  } catch (const base::Error& e) {
    streams.err << e.what() << "\n";
    return 2;
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
