// Runs one command line: corrects common mistakes, sets the memory limit, parses, calls the command, and maps
// every error to an exit code. All exceptions end here, so that a user gets a message and never a core dump.
#include "cli/run.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/reading.h"
#include "base/units.h"
#include "base/version.h"
#include "cli/build_info.h"
#include "cli/context.h"
#include "cli/filter.h"
#include "cli/signals.h"
#include "cli/usage.h"

namespace lento::cli {
namespace {

constexpr const char* kMemoryLimit = "--memory-limit";
constexpr const char* kMemoryDefault = "4GiB";

// True when the reader of standard output has closed the pipe, which is no error.
bool reader_is_gone() {
  pollfd out{1, 0, 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
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

// Returns an error when mpirun started this program. Every rank would do all of the work, and they would
// overwrite each other's files.
std::string started_by_mpirun(const Program& program) {
  if (program.ranks || !(std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMI_SIZE")))
    return {};
  return "error: this is mpirun, and '" + program.name +
         "' is a single process\n  hint: 'mpirun lento-mpi search ...' and 'mpirun lento-mpi chip campaign "
         "...' use all "
         "ranks; 'env -u OMPI_COMM_WORLD_SIZE -u PMI_SIZE " +
         program.name + " ...' runs it in one of them";
}

// Rewrites "help chip map" to "chip map --help" and "version" to "--version".
std::vector<std::string> plain_words(std::vector<std::string> args) {
  if (args.empty())
    return args;
  if ((args[0] == "version" || args[0] == "-v" || args[0] == "-V") && args.size() == 1)
    return {"--version"};
  if (args[0] != "help")
    return args;
  args.erase(args.begin());
  args.push_back("--help");
  return args;
}

// Declares --memory-limit on every command that is no mere group.
void declare_memory_limit(const Command& command, std::string& value) {
  const auto children = command.subcommands();
  for (const Command* child : children)
    declare_memory_limit(*child, value);
  if (!children.empty() && !command.takes_operands())
    return;
  const_cast<Command&>(command)
      .add_option(kMemoryLimit, value, "Memory it may use, such as 8GiB; 0: no limit")
      ->type_name("SIZE")
      ->capture_default_str();
}

// Reads --memory-limit before the parser runs, because the parser calls the command, which must already be
// limited.
uint64_t memory_limit(const Context& context) {
  const std::vector<std::string>& args = context.args;
  if (!context.program.owns_process)
    return 0;
  std::string text = kMemoryDefault;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string prefix = std::string(kMemoryLimit) + "=";
    if (args[i] == kMemoryLimit && i + 1 < args.size())
      text = args[i + 1];
    if (args[i].starts_with(prefix))
      text = args[i].substr(prefix.size());
  }
  if (text == "0")
    return 0;
  if (text.ends_with('K') || text.ends_with('M') || text.ends_with('G') || text.ends_with('T'))
    text += "iB";
  const double bytes = base::parse_quantity(text, base::Dimension::Bytes, {kMemoryLimit});
  constexpr double kLeast = 64 << 20;
  constexpr double kMost = 1e18;
  if (bytes < kLeast || bytes > kMost)
    throw base::Error({kMemoryLimit}, "found " + text + ", needed at least 64MiB", "0 has no limit");
  return uint64_t(bytes);
}

// Parses the command line and runs the command. Returns the exit status.
int parse_and_run(Command& app, Context& context) {
  std::ostream& err = context.streams.err;
  const auto usage = [&](const std::string& fault) {
    return err << fault << "\n", 2;
  };
  if (const std::string fault = started_by_mpirun(context.program); !fault.empty())
    return usage(fault);
  if (context.args.empty() && context.program.alone) {
    context.program.alone(context.streams.out, ".");
    return 0;
  }
  if (const std::string fault = misplaced_command(app, context); !fault.empty())
    return usage(fault);
  if (const std::string fault = overwritten_input(app, context.args); !fault.empty())
    return usage(fault);
  if (context.args == std::vector<std::string>{"--version"}) {
    context.streams.out << build_info(app.name());
    return 0;
  }
  try {
    if (app.parse(context.args))
      print_help(context.streams.out, app);
  } catch (const UsageError& e) {
    if (const std::string fault = misspelt_option(app, context.args); !fault.empty())
      return usage(fault);
    return usage(
        "error: " + std::string(e.what()) + "\n  hint: '" + command_named(app) +
        " --help' lists what it takes");
  }
  return context.result;
}

// Runs the command and returns its exit status. Every error is printed on `err`.
int guarded(Command& app, Context& context) {
  std::ostream& err = context.streams.err;
  std::string limit = kMemoryDefault;  // shown by the help; taken by memory_limit()
  try {
    for (const auto add : context.program.commands)
      add(app, context);
    declare_memory_limit(app, limit);
    base::set_memory_limit(memory_limit(context));
    const int code = parse_and_run(app, context);
    std::ostream& out = context.streams.out;
    out.flush();
    if (!out && !reader_is_gone()) {
      err << "error: cannot write all of the output\n  hint: is the disk full, or standard output closed?\n";
      return 2;
    }
    if (base::interrupted() && (code == 0 || code == 1 || code == 4))
      return 130;
    return code;
  } catch (const base::Error& e) {
    err << e.what() << "\n";
    if (base::interrupted())
      return 130;
    err << way_out(app, context.args, e.what());
    return 2;
  } catch (const base::Bug& e) {
    err << "bug: " << e.what() << "\n  This is a defect of lento " << base::kVersion
        << "; please report it with the command and its input.\n";
    return 3;
  } catch (const std::bad_alloc&) {
    base::set_memory_limit(0);
    const std::string file = base::reading();
    err << base::out_of_memory(file.empty() ? context.program.name : file).what() << "\n";
    if (base::interrupted())
      return 130;
    return 2;
  } catch (const std::filesystem::filesystem_error& e) {
    const base::Error error({e.path1().string()}, "cannot be used: " + e.code().message());
    err << error.what() << "\n" << way_out(app, context.args, error.what());
    if (base::interrupted())
      return 130;
    return 2;
  } catch (const std::system_error& e) {
    err << "error: the system refused: " << e.what() << "\n  hint: are its limits (ulimit -a) reached?\n";
    if (base::interrupted())
      return 130;
    return 2;
  } catch (const std::exception& e) {
    err << "bug: " << e.what() << "\n";
    if (base::interrupted())
      return 130;
    return 3;
  }
}

}  // namespace

int run(const Program& program, const std::vector<std::string>& args, Streams streams) {
  VisibleStream out(streams.out);
  VisibleStream err(streams.err);
  Context context{
      {out, err, streams.err_is_terminal, streams.out_is_terminal},
      plain_words(args),
      program,
      streams};
  Command app(program.text, program.name);
  bool version = false;  // answered before the rest is looked at
  app.add_flag("--version", version, "Print version, commit, features and libraries, and exit");
  app.require_subcommand(1);
  std::optional<Signals> signals;
  if (program.owns_process)
    signals.emplace();
  const uint64_t outer = base::set_memory_limit(0);  // of a command that runs this one
  base::set_memory_limit(outer);
  const int code = guarded(app, context);
  base::set_memory_limit(outer);
  return code;
}

int main_of(const Program& program, int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  hold_standard_descriptors();
  static const Signals* const signals = new Signals;  // never taken back
  (void)signals;
  return run(program, {argv + 1, argv + argc}, {std::cout, std::cerr, isatty(2) == 1, isatty(1) == 1});
}

}  // namespace lento::cli
