// Reads and makes key files and signed files of the tile.
#pragma once

#include <string>

#include "tile/seal/policy.h"

namespace lento::tile {

// Reads a secret key. An empty `password` is for an unprotected key. Throws base::Error when the key is
// protected and the password is empty or wrong.
SecretKey read_tile_secret(const std::string& path, const std::string& password);
PublicKey read_tile_public(const std::string& path);

// Reads a file and its signature, which is in PATH.minisig. The signature is not checked. write_tile_signed()
// signs `text` and writes both files.
Signed read_tile_signed(const std::string& path);
void write_tile_signed(
    const std::string& path,
    const std::string& text,
    const SecretKey& key,
    const std::string& comment);

// Writes NAME.key (readable by its owner only) and NAME.pub, and returns the public key. Throws base::Error
// when NAME.key exists already.
PublicKey make_tile_keys(const std::string& name, const std::string& password);

struct TileSignOptions {
  // When `comment` is empty, the trusted comment of the signature is "file:" and the file's name.
  std::string file;
  std::string key;
  std::string password;
  std::string comment;
};
// Signs options.file, writes the signature to FILE.minisig, and returns the public key of the signer.
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
  std::vector<std::string> policies;  // empty: permissive and restrictive
};
Certificate certify_tile_developer(const TileCertifyOptions& options);

struct TileRevokeOptions {
  std::string owner;
  std::string password;
  std::string output;
  uint32_t number = 0;  // number of this list, above that of the previous one
  // Paths of the public keys (.pub) and of the images that tiles must refuse.
  std::vector<std::string> keys;
  std::vector<std::string> images;
};
Revocation revoke_tile(const TileRevokeOptions& options);

}  // namespace lento::tile
