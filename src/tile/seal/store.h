// The app store: images with their signatures and certificates behind an append-only Merkle log.
//
// A store is a folder: log.jsonl (one entry per line, its bytes are the leaf), head (a line with size and
// root, then its .minisig by the store's key), objects/<sha256>, lock. A client sends the same requests to a
// folder or to an HTTP server, and trusts only the store's public key and its own record (Trust): the head
// must be signed and extend the recorded one, the entry must be in its log and no older than the last one of
// that name, and every object must have its digest. A failed check throws base::Error with the reason.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tile/seal/merkle.h"
#include "tile/seal/policy.h"

namespace lento::tile {

struct LogEntry {
  std::string name;  // 1 to 64 of a-z 0-9 . _ -
  uint32_t rollback = 0;
  // The signer of the image, who owns the name: the certificate's key (base64). Or "id " and the signing
  // key's id when there is no certificate, because the block's owner signed the image (Policy::Closed). All
  // entries of a name have the same developer.
  std::string developer;
  // SHA-256 digests of the objects, in hexadecimal.
  std::string image;
  std::string signature;
  // SHA-256 digests in hexadecimal, or "" when the submission has no such file.
  std::string certificate;
  std::string certificate_signature;
  std::string approval;
  std::string approval_signature;
};
std::string write_entry(const LogEntry& entry);  // one line without its end
LogEntry parse_entry(const std::string& line, const std::string& file);

struct TreeHead {
  uint64_t size = 0;
  Digest root = {};
  bool operator==(const TreeHead&) const = default;
};
std::string write_head(const TreeHead& head);
TreeHead parse_head(const std::string& text, const std::string& file);

struct SignedHead {
  std::string text;
  std::string signature;
};
SignedHead parse_signed_head(const std::string& text);

// The record of a client: the last TreeHead and the newest release of each program that it has accepted
// (JSON, lento.tile-trust/1, or a TreeHead alone).
struct Trust {
  struct Release {
    uint64_t index = 0;
    uint32_t rollback = 0;
    std::string developer;  // "": unknown
  };
  std::optional<TreeHead> head;
  std::map<std::string, Release> seen;
};
std::string write_trust(const Trust& trust);
Trust parse_trust(const std::string& text, const std::string& file);

void check_program_name(const std::string& name);

// Returns the developer of a submission (LogEntry::developer). Throws base::Error when the image is not
// signed by the key of the certificate that comes with it.
std::string developer_of(const Submission& submission);

void init_store(const std::string& folder, const SecretKey& key);
// Stores a submission, appends its entry to the log, signs the new head with `key` and returns the entry's
// index. Throws base::Error when the log is not the one that `key` signed last, when the rollback counter is
// below that of the name's last entry, when the name belongs to another developer, or when the image is not
// signed by the key of its certificate. A publish that is interrupted leaves the signed log as it was.
uint64_t publish(
    const std::string& folder,
    const SecretKey& key,
    const std::string& name,
    const Submission& submission);

// A function that answers one request to a store: "head", "find/NAME/SIZE" (the newest entry of NAME among
// the first SIZE), "entry/INDEX", "inclusion/INDEX/SIZE", "consistency/FROM/TO" or "object/SHA256". It
// returns the answer's bytes, or nothing when there is none.
using Ask = std::function<std::optional<std::string>(const std::string& question)>;
Ask ask_folder(const std::string& folder);
Ask ask_http(const std::string& address);  // "http://host:port"

struct Fetched {
  LogEntry entry;
  uint64_t index = 0;
  Submission submission;
  TreeHead head;  // head to store as the last trusted one
};
Fetched fetch(const Ask& ask, const PublicKey& store, const Trust& trust, const std::string& name);

// Returns the head of the store's log. Throws base::Error unless the key `store` signed it and it extends
// `remembered`.
TreeHead trusted_head(const Ask& ask, const PublicKey& store, const std::optional<TreeHead>& remembered);

struct Audit {
  TreeHead head;
  uint64_t objects = 0;
  std::vector<std::string> problems;  // empty: the store is intact
};
// Checks a store's folder: leaves, root, the head's signature, objects, that each name keeps its developer,
// and that the log extends `remembered`. Failed checks are returned as problems.
Audit audit(const std::string& folder, const PublicKey& store, const std::optional<TreeHead>& remembered);

}  // namespace lento::tile
