// The permissions of programs on a block: certificates, approvals, and the decision whether a tile loads an
// image. What must be signed under each policy:
//
//   owner root key  --signs-->  certificate (developer key, blocks, policies, validity)
//   developer key   --signs-->  image                       permissive: enough
//   owner root key  --signs-->  approval (image, source and verifier report digests)   restrictive: also this
//   owner root key  --signs-->  image                       closed: only this
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "tile/seal/image.h"
#include "tile/seal/minisign.h"

namespace lento::tile {

// The highest rollback counter (Image::rollback) of the images that a tile has accepted of one developer's
// program. Each program has its own, so that a release of one developer cannot lock another out.
struct SeenCounter {
  std::string developer;  // the certificate's subject, "owner" under policy closed
  std::string program;    // the image's name (program_name)
  uint32_t counter = 0;
  bool operator==(const SeenCounter&) const = default;
};

// Keys and images that the owner revokes (YAML, lento.tile-revocation/1, signed by the owner). Lists are
// numbered. A tile accepts no list with a number below that of the last one, and keeps the revocations of all
// lists.
struct Revocation {
  uint32_t number = 0;
  std::vector<PublicKey> keys;
  std::vector<std::string> images;  // SHA-256 of the image file, hex
  bool operator==(const Revocation&) const = default;
};
Revocation parse_revocation(const std::string& text, const std::string& file);
std::string write_revocation(const Revocation& revocation);

// The state of a tile: the owner of its block, the owner's permissions (YAML, lento.tile-block/1), and the
// rollback counters and revocations that the tile has accepted so far.
struct BlockRules {
  PublicKey owner;
  uint32_t block = 0;
  uint32_t abi = 0;
  Policy policy = Policy::Permissive;
  uint32_t rollback = 0;  // the lowest rollback counter of any program, set by the owner
  std::vector<SeenCounter> counters = {};
  Revocation revoked = {};
  bool operator==(const BlockRules&) const = default;
};
BlockRules parse_block_rules(const std::string& text, const std::string& file);
std::string write_block_rules(const BlockRules& rules);

// Returns `rules` with the revocations and rollback counters of `other` added. The number of the revocation
// list and each counter become the higher of both. All other settings are those of `rules`.
BlockRules merge_memory(BlockRules rules, const BlockRules& other);

// YAML, lento.tile-certificate/1: the owner lets a developer's key sign images for these blocks and policies.
// The signed message is the text itself.
struct Certificate {
  std::string subject;
  PublicKey key;
  std::vector<uint32_t> blocks;
  std::vector<Policy> policies;
  // The first and the last second at which the certificate is valid, in Unix seconds.
  uint64_t not_before = 0;
  uint64_t not_after = 0;
};
Certificate parse_certificate(const std::string& text, const std::string& file);
std::string write_certificate(const Certificate& certificate);

// YAML, lento.tile-approval/1: the owner has read this source and this verifier report for this image.
struct Approval {
  // SHA-256 digests, in hexadecimal, of the image file, of its source, and of the verifier's report
  // (write_report).
  std::string image;
  std::string source;
  std::string report;
};
Approval parse_approval(const std::string& text, const std::string& file);
std::string write_approval(const Approval& approval);

// The text of a file, and that of its .minisig file.
struct Signed {
  std::string name;  // for errors
  std::string text;
  std::string signature;
};

struct Submission {
  Signed image;
  std::optional<Signed> certificate;
  std::optional<Signed> approval;
  std::optional<Signed> revocation = {};
};

struct Decision {
  bool accepted = false;
  std::string reason;                // why refused: one sentence; empty when accepted
  std::string signer;                // "owner" or the certificate's subject
  Image image;                       // when accepted
  std::optional<Approval> approval;  // the approval that the policy required
  // The block's rules after this decision. They include the submission's newer revocation list even when the
  // image is refused, because an attacker could otherwise withhold the list by sending a revoked image with
  // it. After acceptance they also include the image's rollback counter.
  BlockRules remembered;
};

// Returns the program's name from the line "name: NAME" of the metadata, which `lento tile build` writes, ""
// when there is none.
std::string program_name(const Image& image);

// Returns the SHA-256 digest of the source from the line "source: HEX" of the metadata, which `lento tile
// build` writes, "" when there is none.
std::string source_digest(const Image& image);

// Decides as a tile would at `now` (Unix seconds). Does not throw for the content of the submission: a file
// that cannot be parsed is a refusal with the parser's message.
Decision decide(const Submission& submission, const BlockRules& rules, uint64_t now);

// Converts "2027-01-31T12:00:00Z" or "2027-01-31" (UTC) to Unix seconds and back, years 1970 to 9999. Throws
// base::Error at `where` for anything else.
uint64_t parse_utc(std::string_view text, const base::Location& where);
uint64_t parse_utc_end(std::string_view text, const base::Location& where);  // a bare date: its last second
std::string format_utc(uint64_t unix_seconds);

}  // namespace lento::tile
