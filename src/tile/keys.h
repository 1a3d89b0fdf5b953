// Key files and signed files of the tile: reading and making them.
#pragma once

#include <string>

#include "tile/seal/policy.h"

namespace lento::tile {

// `password`: "" for a key in the clear. base::Error when the key is protected and no password is given.
SecretKey read_tile_secret(const std::string& path, const std::string& password);
PublicKey read_tile_public(const std::string& path);

// A file and PATH.minisig beside it.
Signed read_tile_signed(const std::string& path);
void write_tile_signed(
    const std::string& path,
    const std::string& text,
    const SecretKey& key,
    const std::string& comment);

// Writes NAME.key (readable by its owner only) and NAME.pub; refuses to replace a key.
PublicKey make_tile_keys(const std::string& name, const std::string& password);

struct TileSignOptions {
  // comment "": file:NAME
  std::string file;
  std::string key;
  std::string password;
  std::string comment;
};
// Writes FILE.minisig; the key that signed.
PublicKey sign_tile_file(const TileSignOptions& options);

struct TileCertifyOptions {
  std::string owner;
  std::string password;
  std::string developer;
  std::string output;
  std::string subject;
  std::string from = "1970-01-01";
  std::string until;
  std::vector<uint32_t> blocks;
  std::vector<std::string> policies;  // none: permissive and restrictive
};
Certificate certify_tile_developer(const TileCertifyOptions& options);

struct TileRevokeOptions {
  std::string owner;
  std::string password;
  std::string output;
  uint32_t number = 0;  // of this list; greater than that of the one before
  // .pub files, and images (files)
  std::vector<std::string> keys;
  std::vector<std::string> images;
};
Revocation revoke_tile(const TileRevokeOptions& options);

}  // namespace lento::tile
