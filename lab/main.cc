// The program lento-lab: runs the evaluation that its arguments name.
#include "cli/run.h"
#include "lab/cli/commands.h"

int main(int argc, char** argv) {
  return lento::cli::main_of(lento::lab::program(), argc, argv);
}
