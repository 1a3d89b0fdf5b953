// Decides whether a tile loads an image: rules, signatures, certificates, counters, revocation
// (tile/seal/policy.h) and the static verifier, under every policy.
#pragma once

#include "base/progress.h"
#include "tile/keys.h"
#include "tile/unit/verify/verify.h"

namespace lento::tile {

struct TileLoadOptions {
  std::string image;  // file; its signature is IMAGE.minisig
  std::string rules;  // lento.tile-block/1; or else what follows
  std::string owner;  // public key file
  std::string policy = "permissive";
  uint32_t block = 1;
  uint32_t abi = 1;
  uint32_t rollback = 0;
  // Paths of files, "" for none.
  std::string certificate;
  std::string approval;
  std::string revocation;
  std::string now;  // UTC; "": today
  bool remember =
      false;  // keep in the rules file a newer revocation list, and the counter of an accepted image
};

struct TileLoad {
  Decision decision;
  VerifyReport report;  // of an image whose papers are good
};

// Returns a refusal as a value (decision.reason). Throws base::Error for files that cannot be read.
TileLoad decide_tile_load(const TileLoadOptions& options, const base::Progress& progress);

}  // namespace lento::tile
