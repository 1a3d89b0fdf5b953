// The state that every subcommand shares: streams, common options, progress, and the printing of a Diagnosis.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/progress.h"
#include "base/read_report.h"
#include "cli/args.h"
#include "cli/run.h"
#include "finding/finding.h"

namespace lento::cli {

struct Context {
  Streams streams;  // what would steer a terminal is written out, not sent
  std::vector<std::string> args;
  Program program;
  Streams plain;  // past that filter: for text that was made visible before
  bool json = false;
  bool explain = false;
  bool strict = false;
  bool exit_code = false;
  std::string html = {};
  std::string csv = {};
  std::string trace_out = {};
  std::string sarif = {};
  std::string otlp = {};
  std::string color = "auto";
  uint64_t seed = 1;
  unsigned jobs = 0;  // 0: all cores
  int result = 0;     // what run() returns when nothing throws

  // Declares the shared options on a subcommand that produces a Diagnosis or runs something seeded.
  void add_output_options(Command& app);
  void add_seed(Command& app);
  void add_jobs(Command& app);

  // Returns the diagnosis with version and command, unless it has its own.
  finding::Diagnosis stamped(finding::Diagnosis diagnosis) const;

  // Prints the stamped diagnosis as text or JSON on out and writes the files of --html, --figures,
  // --trace-out and the other forms. With --exit-code, findings set the exit code.
  void show(finding::Diagnosis diagnosis);

  // Returns the shared options as words, for a command that runs another one.
  std::vector<std::string> output_words() const;

  // Shows one overprinted line on a terminal, with rate and time left where the total is known, and nothing
  // elsewhere. stop() is true after SIGINT, SIGTERM or SIGHUP.
  base::Progress progress();
  void warn(const std::string& text);

  // Returns role, name and digest of an input, for Diagnosis::inputs.
  static finding::Input input(const std::string& role, const std::string& path, const std::string& bytes);
  static finding::Input input_file(const std::string& role, const std::string& path);  // read_file's bytes
};

// Returns the command line "lento chip check ..." with quotes where a shell needs them.
std::string command_line(const std::string& program, const std::vector<std::string>& args);

// Sets the working example at the end of --help.
void example(Command& app, const std::string& text);

}  // namespace lento::cli
