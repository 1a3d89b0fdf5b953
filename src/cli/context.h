// What every subcommand shares: streams, the options declared once, progress, and printing a Diagnosis.
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

  // Fills in version and command unless they are there.
  finding::Diagnosis stamped(finding::Diagnosis diagnosis) const;

  // Prints the stamped diagnosis as text or JSON on out, writes --html, --figures and --trace-out, sets the
  // exit code when --exit-code asks for it.
  void show(finding::Diagnosis diagnosis);

  // The shared options as they were given, for a command that runs another one.
  std::vector<std::string> output_words() const;

  // One overprinted line on a terminal, with rate and time left where the work's size is known; nothing
  // elsewhere. stop() is true after SIGINT, SIGTERM or SIGHUP.
  base::Progress progress();
  void warn(const std::string& text);

  // The input's role, name and digest, for Diagnosis::inputs.
  static finding::Input input(const std::string& role, const std::string& path, const std::string& bytes);
  static finding::Input input_file(const std::string& role, const std::string& path);  // read_file's bytes
};

// "lento chip check ..." as a shell would take it.
std::string command_line(const std::string& program, const std::vector<std::string>& args);

// A footer with a working example, shown at the end of --help.
void example(Command& app, const std::string& text);

}  // namespace lento::cli
