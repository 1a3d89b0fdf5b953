// Signs and verifies in the layout of minisign 0.11 with libsodium. Every base64 field must have its exact
// length and only one spelling, so that a signature file cannot be altered and stay valid. A secret key may
// be encrypted by XOR with a byte stream that scrypt derives from a password.
#include "tile/seal/minisign.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.h"

namespace lento::tile {
namespace {

constexpr std::string_view kUntrusted = "untrusted comment: ";
constexpr std::string_view kTrusted = "trusted comment: ";
constexpr size_t kSecretBytes = 158;
constexpr size_t kPublicBytes = 42;
constexpr size_t kSignatureBytes = 74;
constexpr size_t kMaxText = 16384;

void init_sodium() {
  static const int kState = sodium_init();
  LENTO_CHECK(kState >= 0, "libsodium can start");
}

std::string encode64(std::string_view bytes) {
  std::string out(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(
      out.data(),
      out.size(),
      reinterpret_cast<const uint8_t*>(bytes.data()),
      bytes.size(),
      sodium_base64_VARIANT_ORIGINAL);
  out.pop_back();
  return out;
}

// Decodes base64. Throws base::Error at `where`, with the name `what`, unless the result has `expected`
// bytes.
std::string
decode64(std::string_view text, size_t expected, const base::Location& where, std::string_view what) {
  std::string out(expected + 3, '\0');
  size_t length = 0;
  const int rc = sodium_base642bin(
      reinterpret_cast<uint8_t*>(out.data()),
      out.size(),
      text.data(),
      text.size(),
      nullptr,
      &length,
      nullptr,
      sodium_base64_VARIANT_ORIGINAL);
  out.resize(std::min(length, out.size()));
  // Encoding the decoded bytes again rejects non-canonical base64, which the library's decoder accepts.
  if (rc != 0 || length != expected || encode64(out) != text) {
    throw base::Error(
        where,
        std::string(what) + " is not base64 of " + std::to_string(expected) + " bytes",
        "the file may be truncated or of another kind");
  }
  return out;
}

// Splits a text of at most kMaxText bytes into lines. Throws base::Error unless there are exactly `count` and
// the first is an untrusted comment. One final line end is allowed. A CR stays a part of its line.
std::vector<std::string_view> lines_of(std::string_view text, size_t count, std::string_view file) {
  std::vector<std::string_view> lines;
  if (text.size() <= kMaxText) {
    while (!text.empty() && lines.size() <= count) {
      const size_t end = std::min(text.find('\n'), text.size());
      lines.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  if (lines.size() != count || lines[0].substr(0, kUntrusted.size()) != kUntrusted) {
    throw base::Error(
        {std::string(file), 1, 1},
        "not a minisign file",
        "it has " + std::to_string(count) + " lines, the first starts with 'untrusted comment: '");
  }
  return lines;
}

template <size_t N>
void copy_to(std::array<uint8_t, N>& to, std::string_view from) {
  LENTO_CHECK(from.size() == N, "a key field has its size");
  std::memcpy(to.data(), from.data(), N);
}

template <size_t N>
std::string_view view(const std::array<uint8_t, N>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), N};
}

std::string sign_raw(const SecretKey& key, std::string_view message) {
  std::string out(crypto_sign_BYTES, '\0');
  crypto_sign_detached(
      reinterpret_cast<uint8_t*>(out.data()),
      nullptr,
      reinterpret_cast<const uint8_t*>(message.data()),
      message.size(),
      key.secret.data());
  return out;
}

bool verify_raw(const PublicKey& key, std::string_view message, std::string_view signature) {
  return crypto_sign_verify_detached(
             reinterpret_cast<const uint8_t*>(signature.data()),
             reinterpret_cast<const uint8_t*>(message.data()),
             message.size(),
             key.key.data()) == 0;
}

// Returns a BLAKE2b hash that is `size` bytes long.
std::string blake(std::string_view message, size_t size) {
  std::string out(size, '\0');
  crypto_generichash(
      reinterpret_cast<uint8_t*>(out.data()),
      size,
      reinterpret_cast<const uint8_t*>(message.data()),
      message.size(),
      nullptr,
      0);
  return out;
}

uint64_t little64(std::string_view bytes) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i)
    value = value << 8 | uint8_t(bytes[size_t(i)]);
  return value;
}

std::string little64(uint64_t value) {
  std::string out;
  for (int i = 0; i < 8; ++i)
    out += char(value >> (8 * i));
  return out;
}

// XORs the protected bytes of a secret key with a stream that scrypt derives from the password, which
// encrypts or decrypts them. `operations` and `memory` (in bytes) are scrypt's limits. Throws base::Error
// when the memory is not available.
void apply_scrypt_stream(
    std::string& protected_bytes,
    const std::string& password,
    std::string_view salt,
    uint64_t operations,
    uint64_t memory) {
  std::string stream(protected_bytes.size(), '\0');
  const int rc = crypto_pwhash_scryptsalsa208sha256(
      reinterpret_cast<uint8_t*>(stream.data()),
      stream.size(),
      password.data(),
      password.size(),
      reinterpret_cast<const uint8_t*>(salt.data()),
      operations,
      memory);
  if (rc != 0)
    throw base::Error({}, "not enough memory to derive the key from the password");
  for (size_t i = 0; i < stream.size(); ++i)
    protected_bytes[i] = char(protected_bytes[i] ^ stream[i]);
}

std::string secret_blob(std::string_view text, std::string_view file) {
  const auto lines = lines_of(text, 2, file);
  std::string blob = decode64(lines[1], kSecretBytes, {std::string(file), 2, 1}, "the secret key");
  if (blob.substr(0, 2) != "Ed" || blob.substr(4, 2) != "B2") {
    throw base::Error({std::string(file), 2, 1}, "the secret key has an unknown algorithm");
  }
  return blob;
}

}  // namespace

SecretKey generate_key() {
  init_sodium();
  SecretKey key;
  std::array<uint8_t, 32> unused;
  crypto_sign_keypair(unused.data(), key.secret.data());
  randombytes_buf(key.id.data(), key.id.size());
  return key;
}

PublicKey public_part(const SecretKey& key) {
  PublicKey out;
  out.id = key.id;
  std::memcpy(out.key.data(), key.secret.data() + 32, 32);
  return out;
}

std::string key_id(const PublicKey& key) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (int i = 7; i >= 0; --i) {
    const uint8_t byte = key.id[size_t(i)];
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

std::string encode_key(const PublicKey& key) {
  return encode64("Ed" + std::string(view(key.id)) + std::string(view(key.key)));
}

// Returns the public key of a base64 text. Throws base::Error when it is of another length or algorithm.
PublicKey decode_key(std::string_view base64, std::string_view file) {
  const std::string blob = decode64(base64, kPublicBytes, {std::string(file)}, "the public key");
  if (blob.substr(0, 2) != "Ed")
    throw base::Error({std::string(file)}, "the public key has an unknown algorithm");
  PublicKey key;
  copy_to(key.id, std::string_view(blob).substr(2, 8));
  copy_to(key.key, std::string_view(blob).substr(10));
  return key;
}

std::string write_public_key(const PublicKey& key) {
  return "untrusted comment: minisign public key " + key_id(key) + "\n" + encode_key(key) + "\n";
}

PublicKey parse_public_key(std::string_view text, std::string_view file) {
  return decode_key(lines_of(text, 2, file)[1], file);
}

// Returns the text of a secret key file, encrypted with the password unless that is empty.
std::string write_secret_key(const SecretKey& key, const std::string& password) {
  init_sodium();
  const std::string pair = std::string(view(key.id)) + std::string(view(key.secret));
  std::string guarded = pair + blake("Ed" + pair, 32);
  std::string salt(32, '\0');
  std::string limits(16, '\0');
  std::string kdf(2, '\0');
  if (!password.empty()) {
    kdf = "Sc";
    randombytes_buf(salt.data(), salt.size());
    const uint64_t operations = crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_INTERACTIVE;
    const uint64_t memory = crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_INTERACTIVE;
    limits = little64(operations) + little64(memory);
    apply_scrypt_stream(guarded, password, salt, operations, memory);
  }
  return "untrusted comment: minisign encrypted secret key\n" +
         encode64("Ed" + kdf + "B2" + salt + limits + guarded) + "\n";
}

bool secret_key_is_encrypted(std::string_view text, std::string_view file) {
  return secret_blob(text, file).substr(2, 2) == "Sc";
}

// Returns the secret key of a key file, which may be encrypted or not. Throws base::Error for a wrong
// password, a damaged file, an unknown algorithm, and for one that asks for more than 2 GiB or 2^26
// operations of scrypt.
SecretKey parse_secret_key(std::string_view text, std::string_view file, const std::string& password) {
  init_sodium();
  const std::string blob = secret_blob(text, file);
  const base::Location where{std::string(file), 2, 1};
  std::string guarded = blob.substr(54);
  if (blob.substr(2, 2) == "Sc") {
    constexpr uint64_t kMaxOperations = uint64_t{1} << 26;
    constexpr uint64_t kMaxMemory = uint64_t{1} << 31;
    const uint64_t operations = little64(std::string_view(blob).substr(38, 8));
    const uint64_t memory = little64(std::string_view(blob).substr(46, 8));
    if (operations > kMaxOperations || memory > kMaxMemory) {
      throw base::Error(where, "the secret key asks for more than 2 GiB or 2^26 steps of scrypt");
    }
    apply_scrypt_stream(guarded, password, blob.substr(6, 32), operations, memory);
  } else if (blob.substr(2, 2) != std::string(2, '\0')) {
    throw base::Error(where, "the secret key is protected in an unknown way");
  }
  // minisign -W writes an unencrypted key with a checksum of zeros, which is accepted.
  const bool unsummed = blob.substr(2, 2) != "Sc" && guarded.substr(72) == std::string(32, '\0');
  if (!unsummed && blake("Ed" + guarded.substr(0, 72), 32) != guarded.substr(72)) {
    throw base::Error(where, "the secret key cannot be opened", "wrong password, or the file is damaged");
  }
  SecretKey key;
  copy_to(key.id, std::string_view(guarded).substr(0, 8));
  copy_to(key.secret, std::string_view(guarded).substr(8, 64));
  return key;
}

std::string sign(const SecretKey& key, std::string_view message, std::string_view trusted_comment) {
  init_sodium();
  LENTO_CHECK(trusted_comment.find('\n') == std::string_view::npos, "a trusted comment is one line");
  const std::string signature = sign_raw(key, blake(message, 64));
  const std::string global = sign_raw(key, signature + std::string(trusted_comment));
  return "untrusted comment: signature from lento, key " + key_id(public_part(key)) + "\n" +
         encode64("ED" + std::string(view(key.id)) + signature) + "\n" + std::string(kTrusted) +
         std::string(trusted_comment) + "\n" + encode64(global) + "\n";
}

// Checks the key id, the signature of the message, and that of the trusted comment, in this order. Returns
// the state of the first check that fails, else Good.
SignatureCheck
verify(const PublicKey& key, std::string_view message, std::string_view signature, std::string_view file) {
  init_sodium();
  const auto lines = lines_of(signature, 4, file);
  const std::string blob = decode64(lines[1], kSignatureBytes, {std::string(file), 2, 1}, "the signature");
  const std::string global = decode64(lines[3], 64, {std::string(file), 4, 1}, "the global signature");
  const std::string algorithm = blob.substr(0, 2);
  if (algorithm != "ED" && algorithm != "Ed") {
    throw base::Error({std::string(file), 2, 1}, "the signature has an unknown algorithm");
  }
  if (lines[2].substr(0, kTrusted.size()) != kTrusted) {
    throw base::Error({std::string(file), 3, 1}, "line 3 does not start with 'trusted comment: '");
  }
  PublicKey claimed;
  copy_to(claimed.id, std::string_view(blob).substr(2, 8));
  SignatureCheck check;
  check.signer_id = key_id(claimed);
  check.trusted_comment = lines[2].substr(kTrusted.size());
  const std::string body = blob.substr(10);
  if (claimed.id != key.id) {
    check.state = SignatureState::WrongKey;
  } else if (!verify_raw(key, algorithm == "ED" ? blake(message, 64) : std::string(message), body)) {
    check.state = SignatureState::BadSignature;
  } else if (!verify_raw(key, body + check.trusted_comment, global)) {
    check.state = SignatureState::BadTrustedComment;
  } else {
    check.state = SignatureState::Good;
  }
  return check;
}

std::string sha256_hex(std::string_view bytes) {
  std::array<uint8_t, 32> digest;
  crypto_hash_sha256(digest.data(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  std::string hex(65, '\0');
  sodium_bin2hex(hex.data(), hex.size(), digest.data(), digest.size());
  hex.pop_back();
  return hex;
}

}  // namespace lento::tile
