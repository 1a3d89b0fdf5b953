#include "cli/commands.h"
#include "front/run.h"

int main(int argc, char** argv) {
  return lento::cli::main_of(lento::cli::program(), argc, argv);
}
