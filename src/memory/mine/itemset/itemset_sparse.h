// The sparse front of the search: transactions as lists, counted by occurrence deliver (LCM), reduced to the
// items that still matter, and handed to the dense core as soon as bits are the shorter form.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "memory/mine/itemset/itemset.h"
#include "memory/mine/itemset/itemset_dense.h"

namespace lento::memory {

// Transactions that all hold a set Q, reduced to item indices. Excluded items come first, then candidates
// (those of the root by rising support). The indices in a transaction rise, so the items that can extend Q +
// j lie behind j.
struct SparseDb {
  uint32_t excluded = 0;
  uint32_t candidates = 0;
  std::vector<uint32_t> items;
  std::vector<uint32_t> begin = {0};
  std::vector<uint32_t> weight;   // one a transaction
  std::vector<uint32_t> labels;   // item numbers of the caller, by index
  std::vector<uint64_t> support;  // by index
  // By index and by row: the index in the base of the root, and where the row begins there. Empty in that
  // base.
  std::vector<uint32_t> root_index;
  std::vector<uint32_t> root_begin;
  // An occurrence of a candidate: its transaction, and its place in `items`.
  struct Occurrence {
    uint32_t row = 0;
    uint32_t at = 0;
  };
  std::vector<Occurrence> occurrences;
  std::vector<uint32_t> occurrence_begin;

  size_t size() const {
    return weight.size();
  }
  uint32_t indices() const {
    return excluded + candidates;
  }
  uint32_t index_at_root(uint32_t index) const {
    return root_index.empty() ? index : root_index[index];
  }
  uint32_t begin_at_root(uint32_t r) const {
    return root_index.empty() ? begin[r] : root_begin[r];
  }
  std::span<const uint32_t> row(size_t r) const {
    return {items.data() + begin[r], items.data() + begin[r + 1]};
  }
  std::span<const Occurrence> places_of(uint32_t candidate) const {
    return {
        occurrences.data() + occurrence_begin[candidate],
        occurrences.data() + occurrence_begin[candidate + 1]};
  }
  void deliver();  // fills the occurrence lists
};

// Reduces `data`: its frequent items become candidates, equal transactions are merged, and items in all
// transactions go to `perfect`. Frees parts of `data` on the way.
SparseDb reduce(Transactions&& data, uint64_t min_support, std::vector<uint32_t>& perfect);

// An item of a reduced database: its index there, and its support together with the present set.
struct IndexSupport {
  uint32_t index = 0;
  uint64_t support = 0;
};

class SparseSearch {
 public:
  SparseSearch(const MineOptions& options, bool track)
      : options_(options),
        track_(track) {
  }

  // Extends the set on output.path by the candidates [first, last).
  void search(const SparseDb& db, uint32_t first, uint32_t last, SetOutput& output);
  // Searches slice `part` of `parts` of the branch of candidate `j`, with the whole database as one dense
  // block.
  void search_as_block(const SparseDb& db, uint32_t j, uint32_t part, uint32_t parts, SetOutput& output);
  static bool suits_block(const SparseDb& db);

 private:
  struct Node {
    std::vector<IndexSupport> candidates;
    std::vector<IndexSupport> excluded;
    std::vector<uint32_t> perfect;
  };

  Uint128 children(const SparseDb& db, uint32_t first, uint32_t last, size_t depth, SetOutput& output);
  Uint128 child(const SparseDb& db, uint32_t j, size_t depth, SetOutput& output);
  using Places = std::span<const SparseDb::Occurrence>;
  void count_later(const SparseDb& db, uint32_t index, Places places, Node& node);
  void count_earlier(const SparseDb& db, Places places, Node& node);
  EarlierItems earlier_items(const SparseDb& db, uint32_t row) const {
    return &root_->items[db.begin_at_root(row)];
  }
  bool covered(const SparseDb& db, uint32_t index, Places places);
  void mark_set(const SparseDb& db, uint32_t index, const Node& node, uint8_t is_in);
  Uint128
  below(const SparseDb& db, uint32_t index, Places places, Node& node, size_t depth, SetOutput& output);
  Uint128 dense_below(const SparseDb& db, uint32_t index, Places places, const Node& node, SetOutput& output);
  DenseBlock build_block(const SparseDb& db, std::span<const uint32_t> rows, const Node& node);
  bool dense_suits(const Node& node, size_t rows, uint64_t support) const;
  void project(const SparseDb& db, Places places, const Node& node, SparseDb& out);
  void found(uint64_t support, SetOutput& output) const;
  bool cannot_meet_constraint(const SparseDb& db, const Node& node, const SetOutput& output) const;
  uint64_t class_of(uint32_t label) const;

  const MineOptions& options_;
  const bool track_;
  Arena arena_;
  std::vector<uint64_t> counts_;
  std::vector<uint32_t> touched_;
  std::vector<uint32_t> column_of_;
  std::vector<uint32_t> common_;
  const SparseDb* root_ = nullptr;  // the base that the search began with
  std::vector<uint8_t> in_set_;     // by index of the root: whether the item belongs to the present set
  std::vector<uint32_t> rows_;
  std::deque<SparseDb> levels_;
  std::deque<Node> nodes_;
  DenseBlock whole_;  // of search_as_block, kept between calls
  const SparseDb* whole_of_ = nullptr;
};

}  // namespace lento::memory
