// lento-mpi: the commands that do many independent runs, on many machines.
#include <unistd.h>

#include <iostream>

#include "cli/commands/commands.h"
#include "lab/cli/commands.h"
#include "lab/mpi/ranks.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  lento::cli::hold_standard_descriptors();
  lento::lab::MpiRanks ranks;
  lento::cli::Program program = lento::lab::mpi_program();
  program.ranks = &ranks;
  return lento::cli::run(
      program,
      {argv + 1, argv + argc},
      {std::cout, std::cerr, isatty(2) == 1, isatty(1) == 1});
}
