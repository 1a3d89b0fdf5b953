#include <unistd.h>

#include <iostream>

#include "cli/commands.h"
#include "front/run.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  lento::cli::hold_standard_descriptors();
  return lento::cli::run(
      lento::cli::program(),
      {argv + 1, argv + argc},
      {std::cout, std::cerr, isatty(2) == 1, isatty(1) == 1});
}
