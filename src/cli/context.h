// What every subcommand shares: streams, the options declared once, progress, and printing a Diagnosis.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/progress.h"
#include "base/read_report.h"
#include "cli/cli.h"
#include "finding/finding.h"

namespace lento::cli {

struct Context {
  Streams streams;
  std::vector<std::string> args;
  bool json = false;
  bool explain = false;
  bool strict = false;
  bool exit_code = false;
  std::string html = {};
  std::string csv = {};
  std::string perfetto = {};
  std::string color = "auto";
  uint64_t seed = 1;
  unsigned jobs = 0;  // 0: all cores
  int result = 0;     // what run() returns when nothing throws

  // Declares the shared options on a subcommand that produces a Diagnosis or runs something seeded.
  void add_output_options(CLI::App& app);
  void add_seed(CLI::App& app);
  void add_jobs(CLI::App& app);

  // Fills in version and command unless they are there.
  finding::Diagnosis stamped(finding::Diagnosis diagnosis) const;

  // Prints the stamped diagnosis as text or JSON on out, writes --html, --figures and --perfetto, sets the
  // exit code when --exit-code asks for it.
  void show(finding::Diagnosis diagnosis);

  // One overprinted line on a terminal, nothing elsewhere; stop() is true after Ctrl-C.
  base::Progress progress();
  void warn(const std::string& text);

  // The input's role, name and digest, for Diagnosis::inputs.
  static finding::Input input(const std::string& role, const std::string& path, const std::string& bytes);
  static finding::Input input_file(const std::string& role, const std::string& path);  // read_file's bytes
};

// One function per subcommand, each in its own file: declares options and sets the callback.
// Add a command: write cli/<name>.cc, declare it here, list it in cli.cc.
void add_chip(CLI::App& app, Context& context);
void add_demo(CLI::App& app, Context& context);
void add_diff(CLI::App& app, Context& context);
void add_docs(CLI::App& app, Context& context);
void add_fleet(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_search(CLI::App& app, Context& context);
void add_serve(CLI::App& app, Context& context);
void add_tile(CLI::App& app, Context& context);
void add_memory(CLI::App& app, Context& context);
void add_predict(CLI::App& app, Context& context);
void add_validate(CLI::App& app, Context& context);
void add_memory_diagnose(CLI::App& group, Context& context);

// Commands of the group `lento chip`, listed in cli/chip.cc.
void add_chip_check(CLI::App& chip, Context& context);
void add_chip_campaign(CLI::App& chip, Context& context);
void add_chip_evaluate(CLI::App& chip, Context& context);
void add_chip_map(CLI::App& chip, Context& context);
void add_chip_simulate(CLI::App& chip, Context& context);
void add_chip_sweep(CLI::App& chip, Context& context);
void add_chip_diagnose(CLI::App& chip, Context& context);

// Commands of the group `lento memory`, listed in cli/memory.cc.
void add_memory_itemsets(CLI::App& memory, Context& context);
void add_memory_replay(CLI::App& memory, Context& context);
void add_memory_simulate(CLI::App& memory, Context& context);

// "lento chip check ..." as a shell would take it.
std::string command_line(const std::vector<std::string>& args);

// A footer with a working example, shown at the end of --help.
void example(CLI::App& app, const std::string& text);

}  // namespace lento::cli
