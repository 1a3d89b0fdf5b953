// Decides whether a tile loads an image, by the block's rules, signatures, certificates, rollback counters
// and revocations (tile/seal/policy.h). Under every policy, the static verifier must accept the image too.
#pragma once

#include "base/progress.h"
#include "tile/keys.h"
#include "tile/unit/verify/verify.h"

namespace lento::tile {

struct TileLoadOptions {
  std::string image;  // path; its signature is IMAGE.minisig
  std::string rules;  // path of lento.tile-block/1; or empty, with the following options instead
  std::string owner;  // path of the owner's public key
  std::string policy = "permissive";
  uint32_t block = 1;
  uint32_t abi = 1;
  uint32_t rollback = 0;
  // Paths of the files with the certificate, the approval and the revocation list, each signed in
  // PATH.minisig; "": none.
  std::string certificate;
  std::string approval;
  std::string revocation;
  std::string now;  // UTC; "": the current time
  bool remember =
      false;  // keep in the rules file a newer revocation list, and the counter of an accepted image
};

struct TileLoad {
  Decision decision;
  VerifyReport report;  // report on an image whose signatures and certificates are valid
};

// Decides whether the tile loads the image. A refusal is returned as a value (decision.reason). Throws
// base::Error for files that cannot be read and for invalid rules. With `remember`, the rules file is
// updated.
TileLoad decide_tile_load(const TileLoadOptions& options, const base::Progress& progress);

}  // namespace lento::tile
