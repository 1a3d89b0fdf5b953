// The parts of `lento tile`, one file each.
#pragma once

#include "cli/context.h"
#include "tile/load.h"

namespace lento::cli {

void add_tile_build(Command& tile, Context& context);  // build, verify
void add_tile_sign(Command& tile, Context& context);   // keygen, certify, approve, sign, revoke
void add_tile_check(Command& tile, Context& context);  // check
void add_tile_store(Command& tile, Context& context);  // store init, publish, fetch, audit, serve
void add_tile_run(Command& tile, Context& context);    // run

// Help of the option that names an environment variable with the password of a key. An empty name means a key
// in the clear.
inline constexpr const char* kPasswordHelp = "Environment variable that holds the key's password";
std::string password_from(const std::string& variable);

void add_load_options(Command& command, tile::TileLoadOptions& options);

}  // namespace lento::cli
