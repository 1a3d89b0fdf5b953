// The parts of `lento tile`, one file each.
#pragma once

#include "cli/context.h"
#include "tile/seal/policy.h"

namespace lento::cli {

void add_tile_build(Command& tile, Context& context);  // build, verify
void add_tile_sign(Command& tile, Context& context);   // keygen, certify, approve, sign
void add_tile_check(Command& tile, Context& context);  // check
void add_tile_store(Command& tile, Context& context);  // store init, publish, fetch, audit, serve
void add_tile_run(Command& tile, Context& context);    // run

// Keys. `password_variable`: the environment variable that holds the password, "" for a key in the clear.
inline constexpr const char* kPasswordHelp = "Environment variable that holds the key's password";
std::string password_from(const std::string& variable);
tile::SecretKey read_secret(const std::string& path, const std::string& password_variable);
tile::PublicKey read_public(const std::string& path);

// A file and PATH.minisig beside it.
tile::Signed read_signed(const std::string& path);

// What decides whether a tile loads an image: its rules (a file, or the owner's key and numbers) and what the
// policy asks for beside the signature.
struct LoadArgs {
  std::string image, rules, owner, certificate, approval, policy = "permissive", now;
  uint32_t block_id = 1, abi = 1, rollback = 0;
  bool remember = false;
};
void add_load_options(Command& command, LoadArgs& args);
// Under policy restrictive the verifier's report must be the approved one. Stores an accepted image's counter
// in the rules when asked to.
tile::Decision decide_load(const LoadArgs& args, Context& context);

}  // namespace lento::cli
