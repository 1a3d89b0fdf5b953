// The program lento: runs the command that its arguments name.
#include "cli/commands/commands.h"
#include "cli/run.h"

int main(int argc, char** argv) {
  return lento::cli::main_of(lento::cli::program(), argc, argv);
}
