// Reads and writes the key files and signed files of the tile (tile/seal/minisign.h has their layout). A file
// above its size limit is not read.
#include "tile/keys.h"

#include <sys/stat.h>

#include <filesystem>

#include "base/file.h"

namespace lento::tile {
namespace {

using base::Error;
using base::read_file;
using base::write_file;

constexpr size_t kMaxKeyFile = 1 << 16;
constexpr size_t kMaxSignedFile = 4 << 20;

void check_subject(const std::string& subject) {
  for (const char c : subject) {
    if (static_cast<unsigned char>(c) < 0x20)
      throw Error({}, "the subject holds a control character", "use letters, digits and blanks");
  }
}

}  // namespace

SecretKey read_tile_secret(const std::string& path, const std::string& password) {
  const std::string text = read_file(path, kMaxKeyFile);
  if (password.empty() && secret_key_is_encrypted(text, path))
    throw Error({path}, "the key is protected by a password", "--password-env VARIABLE names it");
  return parse_secret_key(text, path, password);
}

PublicKey read_tile_public(const std::string& path) {
  return parse_public_key(read_file(path, kMaxKeyFile), path);
}

Signed read_tile_signed(const std::string& path) {
  return {path, read_file(path, kMaxSignedFile), read_file(path + ".minisig", kMaxKeyFile)};
}

void write_tile_signed(
    const std::string& path,
    const std::string& text,
    const SecretKey& key,
    const std::string& comment) {
  write_file(path, text);
  write_file(path + ".minisig", sign(key, text, comment));
}

PublicKey make_tile_keys(const std::string& name, const std::string& password) {
  std::error_code unreadable;
  if (std::filesystem::exists(name + ".key", unreadable))
    throw Error({name + ".key"}, "the file exists already", "choose another name, or move it away");
  const SecretKey key = generate_key();
  const mode_t old_mask = umask(077);
  write_file(name + ".key", write_secret_key(key, password));
  umask(old_mask);
  write_file(name + ".pub", write_public_key(public_part(key)));
  return public_part(key);
}

PublicKey sign_tile_file(const TileSignOptions& options) {
  if (options.comment.find('\n') != std::string::npos)
    throw Error({}, "a trusted comment is one line");
  const std::string name = std::filesystem::path(options.file).filename().string();
  const std::string comment = options.comment.empty() ? "file:" + name : options.comment;
  const SecretKey key = read_tile_secret(options.key, options.password);
  write_file(options.file + ".minisig", sign(key, read_file(options.file, 1 << 30), comment));
  return public_part(key);
}

// Writes a certificate, signed by the owner's key, that lets a developer load programs for these blocks under
// these policies.
Certificate certify_tile_developer(const TileCertifyOptions& options) {
  check_subject(options.subject);
  Certificate certificate{
      options.subject,
      read_tile_public(options.developer),
      options.blocks,
      {},
      parse_utc(options.from, {"--from"}),
      parse_utc_end(options.until, {"--until"})};
  for (const std::string& policy : options.policies)
    certificate.policies.push_back(parse_policy(policy, "--policy"));
  if (options.policies.empty())
    certificate.policies = {Policy::Permissive, Policy::Restrictive};
  write_tile_signed(
      options.output,
      write_certificate(certificate),
      read_tile_secret(options.owner, options.password),
      "certificate");
  return certificate;
}

// Writes a list, signed by the owner's key, of developers' keys and of images that tiles must refuse.
Revocation revoke_tile(const TileRevokeOptions& options) {
  Revocation list{options.number, {}, {}};
  for (const std::string& path : options.keys)
    list.keys.push_back(read_tile_public(path));
  for (const std::string& path : options.images)
    list.images.push_back(sha256_hex(read_file(path, kMaxSignedFile)));
  write_tile_signed(
      options.output,
      write_revocation(list),
      read_tile_secret(options.owner, options.password),
      "revocation");
  return list;
}

}  // namespace lento::tile
