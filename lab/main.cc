#include <unistd.h>

#include <iostream>

#include "front/run.h"
#include "lab/cli/commands.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  lento::cli::hold_standard_descriptors();
  return lento::cli::run(
      lento::lab::program(),
      {argv + 1, argv + argc},
      {std::cout, std::cerr, isatty(2) == 1, isatty(1) == 1});
}
