// The command line. Everything that a user reads passes through here, and modules below only compute.
//
// SIGINT, SIGTERM and SIGHUP request the command to stop, and it prints its best result so far. A command
// that has not stopped after a short while is ended, with its temporary files removed. A second signal ends
// it at once.
//
// Exit codes: 0 ran, 1 findings (only with --exit-code), 2 bad usage or input, 3 a bug of ours, 4 the records
// do not allow a verdict, 130 interrupted (best result so far printed).
#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace lento::campaign {
class Ranks;
}

namespace lento::cli {

struct Streams {
  std::ostream& out;  // the result and only the result
  std::ostream& err;  // progress, warnings, timings, errors
  bool err_is_terminal = false;
  bool out_is_terminal = false;
};

class Command;
struct Context;

struct Program {
  std::string name;  // "lento"
  std::string text;
  std::vector<void (*)(Command&, Context&)> commands;
  std::vector<std::pair<std::string, std::string>> moved;  // former spelling -> the present one
  campaign::Ranks* ranks = nullptr;                        // of a program that mpirun starts
  // Prints what to do when only the name of the program was typed. When it is nullptr, that is an error.
  void (*alone)(std::ostream& out, const std::string& folder) = nullptr;
  // Whether signals and the memory of the process are the program's. Inside another program, such as Python,
  // they are not: who runs it requests a stop by base::set_interrupted.
  bool owns_process = true;
};

// Runs a command line, `args` without the program name. Never throws.
int run(const Program& program, const std::vector<std::string>& args, Streams streams);

// Opens the closed ones of descriptors 0 to 2, first in main, so that no file of ours gets such a number.
// Reading or writing them fails.
void hold_standard_descriptors();

// The whole body of a main. Signals are handled until the process ends, so that one that comes after the
// result was written does not kill it.
int main_of(const Program& program, int argc, char** argv);

}  // namespace lento::cli
