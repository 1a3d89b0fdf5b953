// Computes Merkle tree heads and proofs, and verifies proofs, after RFC 6962 section 2.1 and RFC 9162 section
// 2.1. The leaf and node prefixes differ, so that no node can be presented as a leaf. Cost: making a proof
// hashes nodes of the whole tree. Verifying one takes a step for each digest of the proof, at most 64, with
// one hash a step for inclusion and up to two for consistency.
#include "tile/seal/merkle.h"

#include <sodium.h>

#include <bit>
#include <span>

#include "base/error.h"

namespace lento::tile {
namespace {

Digest sha256(std::string_view bytes) {
  Digest out;
  crypto_hash_sha256(out.data(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return out;
}

Digest node(const Digest& left, const Digest& right) {
  std::string text("\x01", 1);
  text.append(reinterpret_cast<const char*>(left.data()), 32);
  text.append(reinterpret_cast<const char*>(right.data()), 32);
  return sha256(text);
}

// Returns the largest power of two below n (n >= 2), the size of the left subtree.
uint64_t split(uint64_t n) {
  return std::bit_floor(n - 1);
}

// Returns the root of the Merkle tree over these leaf digests (RFC 9162, section 2.1.1).
Digest root_of(std::span<const Digest> leaves) {
  if (leaves.empty())
    return sha256("");
  if (leaves.size() == 1)
    return leaves[0];
  const uint64_t k = split(leaves.size());
  return node(root_of(leaves.first(k)), root_of(leaves.subspan(k)));
}

// Appends the inclusion proof of the leaf at `index`: the roots of the subtrees beside its path, from the
// leaf upwards.
void path(std::span<const Digest> leaves, uint64_t index, std::vector<Digest>& out) {
  if (leaves.size() <= 1)
    return;
  const uint64_t k = split(leaves.size());
  const bool left = index < k;
  path(left ? leaves.first(k) : leaves.subspan(k), left ? index : index - k, out);
  out.push_back(root_of(left ? leaves.subspan(k) : leaves.first(k)));
}

// Appends the proof SUBPROOF(from, leaves, whole) of RFC 6962, section 2.1.2. `whole` is set while the first
// `from` of these leaves are the whole tree whose root the verifier has.
void subproof(std::span<const Digest> leaves, uint64_t from, bool whole, std::vector<Digest>& out) {
  if (from == leaves.size()) {
    if (!whole)
      out.push_back(root_of(leaves));
    return;
  }
  const uint64_t k = split(leaves.size());
  if (from <= k) {
    subproof(leaves.first(k), from, whole, out);
    out.push_back(root_of(leaves.subspan(k)));
  } else {
    subproof(leaves.subspan(k), from - k, false, out);
    out.push_back(root_of(leaves.first(k)));
  }
}

}  // namespace

std::string to_hex(const Digest& digest) {
  std::string hex(65, '\0');
  sodium_bin2hex(hex.data(), hex.size(), digest.data(), digest.size());
  hex.pop_back();
  return hex;
}

Digest digest_from_hex(std::string_view hex, std::string_view file) {
  Digest out;
  size_t length = 0;
  const bool good =
      hex.size() == 64 &&
      sodium_hex2bin(out.data(), out.size(), hex.data(), hex.size(), nullptr, &length, nullptr) == 0;
  if (!good || length != 32)
    throw base::Error({std::string(file)}, "not a SHA-256 digest in hex");
  return out;
}

Digest leaf_digest(std::string_view entry) {
  return sha256(std::string("\0", 1) + std::string(entry));
}

Digest tree_root(const std::vector<Digest>& leaves) {
  return root_of(leaves);
}

std::vector<Digest> inclusion_proof(const std::vector<Digest>& leaves, uint64_t index, uint64_t size) {
  LENTO_CHECK(index < size && size <= leaves.size(), "an inclusion proof is asked for an entry of the tree");
  std::vector<Digest> out;
  path(std::span(leaves).first(size), index, out);
  return out;
}

// Returns whether the proof shows that `leaf` is at `index` in the tree of `size` leaves with this root.
bool verify_inclusion(
    const Digest& leaf,
    uint64_t index,
    uint64_t size,
    const std::vector<Digest>& proof,
    const Digest& root) {
  if (index >= size)
    return false;
  // Follows RFC 9162 section 2.1.3.2.
  uint64_t at = index;
  uint64_t last = size - 1;
  Digest digest = leaf;
  for (const Digest& sibling : proof) {
    if (last == 0)
      return false;
    if ((at & 1) || at == last) {
      digest = node(sibling, digest);
      while (!(at & 1) && at != 0) {
        at >>= 1;
        last >>= 1;
      }
    } else {
      digest = node(digest, sibling);
    }
    at >>= 1;
    last >>= 1;
  }
  return last == 0 && digest == root;
}

std::vector<Digest> consistency_proof(const std::vector<Digest>& leaves, uint64_t from, uint64_t to) {
  LENTO_CHECK(
      from >= 1 && from <= to && to <= leaves.size(),
      "a consistency proof is between two heads of the tree");
  std::vector<Digest> out;
  if (from < to)
    subproof(std::span(leaves).first(to), from, true, out);
  return out;
}

// Returns whether the proof shows that the tree of `to` leaves with `to_root` extends the tree of `from`
// leaves with `from_root`.
bool verify_consistency(
    uint64_t from,
    const Digest& from_root,
    uint64_t to,
    const Digest& to_root,
    const std::vector<Digest>& proof) {
  if (from == 0 || from > to)
    return false;
  if (from == to)
    return proof.empty() && from_root == to_root;
  std::vector<Digest> steps = proof;  // RFC 9162 section 2.1.4.2
  if (std::has_single_bit(from))
    steps.insert(steps.begin(), from_root);
  if (steps.empty())
    return false;
  uint64_t at = from - 1;
  uint64_t last = to - 1;
  while (at & 1) {
    at >>= 1;
    last >>= 1;
  }
  Digest old_root = steps[0];
  Digest new_root = steps[0];
  for (size_t i = 1; i < steps.size(); ++i) {
    if (last == 0)
      return false;
    if ((at & 1) || at == last) {
      old_root = node(steps[i], old_root);
      new_root = node(steps[i], new_root);
      while (!(at & 1) && at != 0) {
        at >>= 1;
        last >>= 1;
      }
    } else {
      new_root = node(new_root, steps[i]);
    }
    at >>= 1;
    last >>= 1;
  }
  return last == 0 && old_root == from_root && new_root == to_root;
}

}  // namespace lento::tile
