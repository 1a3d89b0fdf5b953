// Ed25519 signatures in the layout of minisign 0.11, so that either tool accepts the other's files.
//
//   public key:  "Ed" id[8] key[32]                                  base64 below a comment line
//   secret key:  "Ed" kdf "B2" salt[32] limits[16] (id secret sum)   sum = BLAKE2b-256("Ed" id secret)
//   signature:   "ED" id[8] signature[64] of BLAKE2b-512(message), or "Ed" of the message itself (legacy),
//                then the trusted comment and a signature over signature || trusted comment
//
// Sizes in brackets are in bytes. The part in parentheses may be encrypted. The comment on the first line of
// each file is not signed, and no decision depends on it. Thread safe. Source: the minisign 0.11 file format,
// libsodium 1.0.18.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lento::tile {

struct PublicKey {
  std::array<uint8_t, 8> id = {};
  std::array<uint8_t, 32> key = {};
  bool operator==(const PublicKey&) const = default;
};

struct SecretKey {
  std::array<uint8_t, 8> id = {};
  std::array<uint8_t, 64> secret = {};  // libsodium's order: seed, public key
};

SecretKey generate_key();  // from the system's random source
PublicKey public_part(const SecretKey& key);
std::string key_id(const PublicKey& key);  // 16 upper-case hex digits, as minisign prints it

// Returns a public key as one line of base64 ("RWQ..."), without comment. decode_key() is the inverse and
// throws base::Error for anything else. `file` is for its message.
std::string encode_key(const PublicKey& key);
PublicKey decode_key(std::string_view base64, std::string_view file);

// Write and read the text of key files. With an empty password the secret key is not encrypted (minisign -W),
// otherwise scrypt encrypts it. The functions that read throw base::Error for a text of another layout.
// `file` is for the message.
std::string write_public_key(const PublicKey& key);
PublicKey parse_public_key(std::string_view text, std::string_view file);
std::string write_secret_key(const SecretKey& key, const std::string& password);
SecretKey parse_secret_key(std::string_view text, std::string_view file, const std::string& password);
bool secret_key_is_encrypted(std::string_view text, std::string_view file);

// Returns the .minisig text of a signature over the BLAKE2b-512 hash of `message`. `trusted_comment` is one
// line, and is signed too.
std::string sign(const SecretKey& key, std::string_view message, std::string_view trusted_comment);

enum class SignatureState {
  Good,
  WrongKey,
  BadSignature,
  BadTrustedComment
};

struct SignatureCheck {
  SignatureState state = SignatureState::BadSignature;
  std::string signer_id;        // the id of its key, as the signature claims
  std::string trusted_comment;  // proved only when Good
};

// Checks the signature of the message and that of the trusted comment against the whole key, not only its id.
// Throws base::Error when `signature` does not have the layout of a .minisig file.
SignatureCheck
verify(const PublicKey& key, std::string_view message, std::string_view signature, std::string_view file);

std::string sha256_hex(std::string_view bytes);

}  // namespace lento::tile
