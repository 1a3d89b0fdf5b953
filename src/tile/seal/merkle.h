// An append-only Merkle log in the manner of RFC 6962: SHA-256, leaf prefix 0x00, node prefix 0x01. A tree
// head, the size and root of the tree, commits to every entry. An inclusion proof shows that an entry is in
// the tree, a consistency proof that the log of a later head begins with that of an earlier one. A proof has
// at most 64 digests.
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

// Returns the proof that leaf `index` is in the tree of the first `size` leaves. `index` < `size` <=
// leaves.size(). verify_inclusion() returns whether a proof shows this for a root.
std::vector<Digest> inclusion_proof(const std::vector<Digest>& leaves, uint64_t index, uint64_t size);
bool verify_inclusion(
    const Digest& leaf,
    uint64_t index,
    uint64_t size,
    const std::vector<Digest>& proof,
    const Digest& root);

// Returns the proof that the tree of `to` leaves extends that of `from`. 1 <= `from` <= `to` <=
// leaves.size(). verify_consistency() returns whether a proof shows this for two roots.
std::vector<Digest> consistency_proof(const std::vector<Digest>& leaves, uint64_t from, uint64_t to);
bool verify_consistency(
    uint64_t from,
    const Digest& from_root,
    uint64_t to,
    const Digest& to_root,
    const std::vector<Digest>& proof);

}  // namespace lento::tile
