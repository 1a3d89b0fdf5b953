// The parts of `lento tile`, one file each.
#pragma once

#include "cli/context.h"

namespace lento::cli {

void add_tile_build(CLI::App& tile, Context& context);  // build, verify
void add_tile_sign(CLI::App& tile, Context& context);   // keygen, certify, approve, sign, check
void add_tile_store(CLI::App& tile, Context& context);  // store init, publish, fetch, audit, serve
void add_tile_run(CLI::App& tile, Context& context);    // run
void add_tile_case(CLI::App& tile, Context& context);   // case

}  // namespace lento::cli
