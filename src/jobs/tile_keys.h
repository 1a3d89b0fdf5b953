// Key files and signed files of the tile: reading and making them.
#pragma once

#include <string>

#include "tile/seal/policy.h"

namespace lento::jobs {

// `password`: "" for a key in the clear. base::Error when the key is protected and no password is given.
tile::SecretKey read_tile_secret(const std::string& path, const std::string& password);
tile::PublicKey read_tile_public(const std::string& path);

// A file and PATH.minisig beside it.
tile::Signed read_tile_signed(const std::string& path);
void write_tile_signed(const std::string& path, const std::string& text, const tile::SecretKey& key,
                       const std::string& comment);

// Writes NAME.key (readable by its owner only) and NAME.pub; refuses to replace a key.
tile::PublicKey make_tile_keys(const std::string& name, const std::string& password);

struct TileSignOptions {
  std::string file, key, password, comment;  // comment "": file:NAME
};
// Writes FILE.minisig; the key that signed.
tile::PublicKey sign_tile_file(const TileSignOptions& options);

struct TileCertifyOptions {
  std::string owner, password, developer, output, subject, from = "1970-01-01", until;
  std::vector<uint32_t> blocks;
  std::vector<std::string> policies;  // none: permissive and restrictive
};
tile::Certificate certify_tile_developer(const TileCertifyOptions& options);

struct TileRevokeOptions {
  std::string owner, password, output;
  uint32_t number = 0;                    // of this list; greater than that of the one before
  std::vector<std::string> keys, images;  // .pub files, and images (files)
};
tile::Revocation revoke_tile(const TileRevokeOptions& options);

}  // namespace lento::jobs
