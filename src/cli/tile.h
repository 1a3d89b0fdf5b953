// The parts of `lento tile`, one file each.
#pragma once

#include "cli/context.h"
#include "tile/seal/policy.h"

namespace lento::cli {

void add_tile_build(CLI::App& tile, Context& context);  // build, verify
void add_tile_sign(CLI::App& tile, Context& context);   // keygen, certify, approve, sign
void add_tile_check(CLI::App& tile, Context& context);  // check
void add_tile_store(CLI::App& tile, Context& context);  // store init, publish, fetch, audit, serve
void add_tile_run(CLI::App& tile, Context& context);    // run
void add_tile_case(CLI::App& tile, Context& context);   // case

// A file and PATH.minisig beside it.
tile::Signed read_signed(const std::string& path);

// What decides whether a tile loads an image: its rules (a file, or the owner's key and numbers) and what the
// policy asks for beside the signature.
struct LoadArgs {
  std::string image, rules, owner, certificate, approval, policy = "permissive", now;
  uint32_t block_id = 1, abi = 1, rollback = 0;
};
void add_load_options(CLI::App& command, LoadArgs& args);
tile::BlockRules rules_of(const LoadArgs& args);
tile::Decision decide_load(const LoadArgs& args, const tile::BlockRules& rules);

}  // namespace lento::cli
