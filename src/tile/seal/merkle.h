// An append-only Merkle log in the manner of RFC 6962: SHA-256, leaf prefix 0x00, node prefix 0x01. A tree
// head commits to every entry. An inclusion proof shows that an entry is in it, a consistency proof that a
// later head only appended to an earlier one. Proofs hold at most 64 digests.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lento::tile {

using Digest = std::array<uint8_t, 32>;

std::string to_hex(const Digest& digest);
Digest digest_from_hex(std::string_view hex, std::string_view file);

Digest leaf_digest(std::string_view entry);
Digest tree_root(const std::vector<Digest>& leaves);  // without leaves: SHA-256 of the empty string

// Proves that leaf `index` is under the head of the first `size` leaves. `index` < `size` <= leaves.size().
std::vector<Digest> inclusion_proof(const std::vector<Digest>& leaves, uint64_t index, uint64_t size);
bool verify_inclusion(
    const Digest& leaf,
    uint64_t index,
    uint64_t size,
    const std::vector<Digest>& proof,
    const Digest& root);

// Proves that the head of `to` leaves extends that of `from`. 1 <= `from` <= `to` <= leaves.size().
std::vector<Digest> consistency_proof(const std::vector<Digest>& leaves, uint64_t from, uint64_t to);
bool verify_consistency(
    uint64_t from,
    const Digest& from_root,
    uint64_t to,
    const Digest& to_root,
    const std::vector<Digest>& proof);

}  // namespace lento::tile
