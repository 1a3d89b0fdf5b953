// The sparse search: extends a set item by item over transaction lists, counts by occurrence deliver (LCM),
// and hands a branch to the dense core when bit columns are the shorter form. A closed set is listed only in
// the branch of its own prefix: a branch that an earlier item covers is skipped. Scratch vectors are kept
// between nodes, so a node allocates only while they grow.
#include "memory/mine/itemset/itemset_sparse.h"

#include <algorithm>
#include <bit>

namespace lento::memory {
namespace {

constexpr uint32_t kNoColumn = UINT32_MAX;
// Bits are faster than lists when a transaction holds at least one in kDensity of its possible items. A bit
// column costs rows / 64 word operations of about half a cycle, a list about six cycles per item, because the
// end of a short transaction is mispredicted. Of 5, 8, 12, 16, 24 and 40 the fourth is fastest on T10I4D100K
// (docs/methods/itemsets.md).
constexpr uint64_t kDensity = 16;
constexpr size_t kAhead = 8;           // transactions that are fetched before they are counted
constexpr uint64_t kShortColumns = 4;  // words; columns so short are always faster
constexpr uint64_t kLargestBlock = uint64_t{1} << 20;  // words
constexpr uint64_t kLargestRoot = uint64_t{1} << 18;   // words

}  // namespace

void SparseSearch::search(const SparseDb& db, uint32_t first, uint32_t last, SetOutput& output) {
  root_ = &db;
  in_set_.resize(db.candidates);
  const Uint128 sets = children(db, first, last, 0, output);
  if (options_.kind == SetKind::Frequent)
    output.add(sets);
}

// Searches the branches of candidates `first` to `last`. Returns the number of sets found.
Uint128
SparseSearch::children(const SparseDb& db, uint32_t first, uint32_t last, size_t depth, SetOutput& output) {
  Uint128 total = 0;
  for (uint32_t j = first; j < last; ++j) {
    if (output.stop.load(std::memory_order_relaxed))
      break;
    if (__builtin_add_overflow(total, child(db, j, depth, output), &total))
      output.overflow();
  }
  return total;
}

uint64_t SparseSearch::class_of(uint32_t label) const {
  const auto& classes = options_.constraint.item_class;
  return label < classes.size() ? classes[label] : 0;
}

// Reports the current set when it meets the constraint.
void SparseSearch::found(uint64_t support, SetOutput& output) const {
  if (track_) {
    if (options_.constraint.active()) {
      uint64_t classes = 0;
      for (const uint32_t label : output.path)
        classes |= class_of(label);
      if (!meets(options_.constraint, classes))
        return;
    }
    if (output.sink)
      output.emit(support);
  }
  output.add(1);
}

// Returns whether no superset of the current set can meet the constraint.
bool SparseSearch::cannot_meet_constraint(const SparseDb& db, const Node& node, const SetOutput& output)
    const {
  if (!options_.constraint.active())
    return false;
  uint64_t classes = 0;
  for (const uint32_t label : output.path)
    classes |= class_of(label);
  for (const IndexSupport& c : node.candidates)
    classes |= class_of(db.labels[c.index]);
  return !meets(options_.constraint, classes);
}

// Counts the items behind `index` in its transactions, and sorts them into perfect ones and candidates.
void SparseSearch::count_later(const SparseDb& db, uint32_t index, Places places, Node& node) {
  if (counts_.size() < db.indices())
    counts_.resize(db.indices());
  touched_.resize(size_t{db.indices()} + 1);  // the loop below writes one past what it keeps
  size_t touched = 0;
  for (size_t p = 0; p < places.size(); ++p) {
    if (p + kAhead < places.size()) {
      const auto& ahead = places[p + kAhead];
      __builtin_prefetch(&db.items[ahead.at]);
      __builtin_prefetch(&db.begin[ahead.row]);
      __builtin_prefetch(&db.weight[ahead.row]);
    }
    const auto& place = places[p];
    const uint64_t w = db.weight[place.row];
    for (uint32_t at = place.at + 1; at < db.begin[place.row + 1]; ++at) {
      const uint32_t item = db.items[at];
      touched_[touched] = item;
      touched += counts_[item] == 0;
      counts_[item] += w;
    }
  }
  node.candidates.clear(), node.excluded.clear(), node.perfect.clear();
  for (size_t i = 0; i < touched; ++i) {
    const uint32_t item = touched_[i];
    const uint64_t n = counts_[item];
    counts_[item] = 0;
    if (n < options_.min_support)
      continue;
    if (n == db.support[index]) {
      node.perfect.push_back(item);
    } else {
      node.candidates.push_back({item, n});
    }
  }
}

// Collects the items before `index` that stay frequent with it.
void SparseSearch::count_earlier(const SparseDb& db, Places places, Node& node) {
  size_t touched = 0;
  for (const auto& place : places) {
    const uint64_t w = db.weight[place.row];
    for (uint32_t at = db.begin[place.row]; at < place.at; ++at) {
      const uint32_t item = db.items[at];
      touched_[touched] = item;
      touched += counts_[item] == 0;
      counts_[item] += w;
    }
  }
  for (size_t i = 0; i < touched; ++i) {
    const uint32_t item = touched_[i];
    const uint64_t n = counts_[item];
    counts_[item] = 0;
    if (n >= options_.min_support)
      node.excluded.push_back({item, n});
  }
}

// Returns whether an earlier item outside the set is in all of its transactions. The fronts of the root's
// rows are intersected until nothing is left, which in sparse data takes two or three transactions.
bool SparseSearch::covered(const SparseDb& db, uint32_t index, Places places) {
  const uint32_t limit = db.index_at_root(index);
  common_.clear();
  for (EarlierItems item = earlier_items(db, places[0].row); *item < limit; ++item) {
    if (!in_set_[*item])
      common_.push_back(*item);
  }
  size_t size = common_.size();
  common_.push_back(limit);
  for (size_t p = 1; p < places.size() && size > 0; ++p)
    size = intersect(common_.data(), earlier_items(db, places[p].row), limit, common_.data());
  return size > 0;
}

// Marks the item and the perfect ones of its node as in the set, or not in it.
void SparseSearch::mark_set(const SparseDb& db, uint32_t index, const Node& node, uint8_t is_in) {
  in_set_[db.index_at_root(index)] = is_in;
  for (const uint32_t item : node.perfect)
    in_set_[db.index_at_root(item)] = is_in;
}

// Searches the branch of one candidate: counts the extensions with enough support and descends.
Uint128 SparseSearch::child(const SparseDb& db, uint32_t j, size_t depth, SetOutput& output) {
  while (nodes_.size() <= depth)
    nodes_.emplace_back(), levels_.emplace_back();
  Node& node = nodes_[depth];
  const uint32_t index = db.excluded + j;
  const Places places = db.places_of(j);
  const bool frequent = options_.kind == SetKind::Frequent;
  if (!frequent && covered(db, index, places))
    return 0;
  count_later(db, index, places, node);
  if (options_.kind == SetKind::Maximal)
    count_earlier(db, places, node);
  const size_t path = output.path.size();
  if (track_) {
    output.path.push_back(db.labels[index]);
    // Listing frequent sets takes perfect items one by one, as candidates like any other.
    for (const uint32_t item : node.perfect) {
      frequent ? node.candidates.push_back({item, db.support[index]})
               : output.path.push_back(db.labels[item]);
    }
    if (frequent)
      node.perfect.clear();
  }
  const bool leaf = node.candidates.empty();
  if (options_.kind == SetKind::Closed || (frequent && track_) ||
      (options_.kind == SetKind::Maximal && leaf && node.excluded.empty())) {
    found(db.support[index], output);
  }
  Uint128 sets = 1;
  if (!leaf && !cannot_meet_constraint(db, node, output)) {
    mark_set(db, index, node, 1);
    sets += below(db, index, places, node, depth, output);
    mark_set(db, index, node, 0);
  }
  if (track_)
    output.path.resize(path);
  if (!frequent || track_)
    return 0;
  const size_t perfect = node.perfect.size();
  if (perfect >= 128 || (perfect > 0 && sets >> (128 - perfect) != 0))
    output.overflow();
  return sets << (perfect & 127);
}

// Returns whether bit columns would be faster than lists for this branch.
bool SparseSearch::dense_suits(const Node& node, size_t rows, uint64_t support) const {
  const uint64_t words = (rows + 63) / 64;
  const uint64_t columns = node.candidates.size() + node.excluded.size();
  if (words * columns > kLargestBlock)
    return false;
  if (words <= kShortColumns)
    return true;
  uint64_t held = 0;
  for (const IndexSupport& c : node.candidates)
    held += c.support;
  for (const IndexSupport& e : node.excluded)
    held += e.support;
  return held / columns >= support / kDensity;
}

// Searches below a node, in lists or in bit columns.
Uint128 SparseSearch::below(
    const SparseDb& db,
    uint32_t index,
    Places places,
    Node& node,
    size_t depth,
    SetOutput& output) {
  const auto by_index = [](const IndexSupport& a, const IndexSupport& b) {
    return a.index < b.index;
  };
  std::ranges::sort(node.excluded, by_index);
  uint64_t support = 0;
  for (const auto& place : places)
    support += db.weight[place.row];
  if (dense_suits(node, places.size(), support)) {
    std::ranges::sort(node.candidates, [](const IndexSupport& a, const IndexSupport& b) {
      return a.support != b.support ? a.support < b.support : a.index < b.index;
    });
    return dense_below(db, index, places, node, output);
  }
  std::ranges::sort(node.candidates, by_index);
  SparseDb& next = levels_[depth];
  project(db, places, node, next);
  return children(next, 0, next.candidates, depth + 1, output);
}

// Searches below a node in bit columns.
Uint128 SparseSearch::dense_below(
    const SparseDb& db,
    uint32_t index,
    Places places,
    const Node& node,
    SetOutput& output) {
  const auto mark = arena_.mark();
  DenseTask task;
  rows_.clear();
  for (const auto& place : places)
    rows_.push_back(place.row);
  task.block = build_block(db, rows_, node);
  if (options_.kind == SetKind::Closed) {
    task.block.limit = db.index_at_root(index);
    task.block.in_set = in_set_.data();
    task.block.counts = counts_.data();
  }
  task.min_support = options_.min_support;
  task.track = track_;
  if (options_.constraint.active())
    task.constraint = &options_.constraint;
  Uint128 sets = 0;
  if (options_.kind == SetKind::Frequent && !track_) {
    SetOutput counter(output.sink, output.stop);
    search_dense(options_.kind, task, arena_, counter);
    if (counter.too_many)
      output.overflow();
    sets = counter.count;
  } else {
    search_dense(options_.kind, task, arena_, output);
  }
  arena_.release(mark);
  return sets;
}

// Builds the bit columns of the rows. The weight of a transaction is binary, one plane a power of two, and
// planes start at whole words.
DenseBlock SparseSearch::build_block(const SparseDb& db, std::span<const uint32_t> rows, const Node& node) {
  uint64_t plane_size[32] = {};
  for (const uint32_t r : rows) {
    for (uint32_t left = db.weight[r]; left != 0; left &= left - 1)
      ++plane_size[std::countr_zero(left)];
  }
  uint64_t next[32];
  uint64_t words = 0;
  for (int p = 0; p < 32; ++p) {
    next[p] = words * 64;
    words += (plane_size[p] + 63) / 64;
  }
  DenseBlock block;
  block.words = column_words(words);
  block.candidates = uint32_t(node.candidates.size());
  block.excluded = uint32_t(node.excluded.size());
  if (words > (plane_size[0] + 63) / 64) {
    uint64_t* shift = arena_.take<uint64_t>(block.words);
    std::fill(shift, shift + block.words, 0);
    for (uint64_t p = 0; p < 32; ++p) {
      for (uint64_t i = 0; i < (plane_size[p] + 63) / 64; ++i)
        shift[next[p] / 64 + i] = p;
    }
    block.shift = shift;
  }
  if (root_ && options_.kind == SetKind::Closed)
    block.earlier = arena_.take<EarlierItems>(size_t{block.words} * 64);
  const size_t columns = size_t{block.candidates} + block.excluded;
  // Items without a column set bits of one more column, because a branch on them is mispredicted half the
  // time.
  uint64_t* bits = arena_.take<uint64_t>((columns + 1) * block.words);
  std::fill(bits, bits + (columns + 1) * block.words, 0);
  uint32_t* items = arena_.take<uint32_t>(block.candidates);
  uint64_t* support = arena_.take<uint64_t>(block.candidates);
  if (column_of_.size() < db.indices())
    column_of_.resize(db.indices(), kNoColumn);
  for (uint32_t c = 0; c < block.candidates; ++c) {
    column_of_[node.candidates[c].index] = c;
    items[c] = db.labels[node.candidates[c].index];
    support[c] = node.candidates[c].support;
  }
  for (uint32_t e = 0; e < block.excluded; ++e)
    column_of_[node.excluded[e].index] = block.candidates + e;
  for (const uint32_t r : rows) {
    for (uint32_t left = db.weight[r]; left != 0; left &= left - 1) {
      const uint64_t at = next[std::countr_zero(left)]++;
      if (block.earlier)
        block.earlier[at] = earlier_items(db, r);
      uint64_t* const word = bits + at / 64;
      const uint64_t bit = uint64_t{1} << (at % 64);
      for (const uint32_t item : db.row(r))
        word[std::min<size_t>(column_of_[item], columns) * block.words] |= bit;
    }
  }
  for (const IndexSupport& c : node.candidates)
    column_of_[c.index] = kNoColumn;
  for (const IndexSupport& e : node.excluded)
    column_of_[e.index] = kNoColumn;
  block.columns = bits;
  block.items = items;
  block.support = support;
  return block;
}

// Builds the database for the branch of the node: the transactions that hold a candidate, with renumbered
// items, and the list of occurrences of each candidate.
void SparseSearch::project(const SparseDb& db, Places places, const Node& node, SparseDb& out) {
  out.excluded = uint32_t(node.excluded.size());
  out.candidates = uint32_t(node.candidates.size());
  out.items.clear(), out.weight.clear(), out.labels.clear(), out.support.clear();
  out.root_index.clear(), out.root_begin.clear();
  out.begin.assign(1, 0);
  if (column_of_.size() < db.indices())
    column_of_.resize(db.indices(), kNoColumn);
  const auto add = [&](const IndexSupport& item) {
    column_of_[item.index] = uint32_t(out.labels.size());
    out.labels.push_back(db.labels[item.index]);
    out.root_index.push_back(db.index_at_root(item.index));
    out.support.push_back(item.support);
  };
  for (const IndexSupport& e : node.excluded)
    add(e);
  for (const IndexSupport& c : node.candidates)
    add(c);
  for (const auto& place : places) {
    const uint32_t r = place.row;
    const size_t start = out.items.size();
    bool useful = false;
    for (const uint32_t item : db.row(r)) {
      const uint32_t to = column_of_[item];
      if (to == kNoColumn)
        continue;
      out.items.push_back(to);
      useful |= to >= out.excluded;
    }
    if (!useful) {
      out.items.resize(start);
      continue;
    }
    out.begin.push_back(uint32_t(out.items.size()));
    out.weight.push_back(db.weight[r]);
    out.root_begin.push_back(db.begin_at_root(r));
  }
  for (const IndexSupport& c : node.candidates)
    column_of_[c.index] = kNoColumn;
  for (const IndexSupport& e : node.excluded)
    column_of_[e.index] = kNoColumn;
  out.deliver();
}

bool SparseSearch::suits_block(const SparseDb& db) {
  const uint64_t words = (db.size() + 63) / 64;
  if (words * db.candidates > kLargestRoot)
    return false;
  return words <= kShortColumns || db.items.size() * kDensity >= db.size() * db.candidates;
}

void SparseSearch::search_as_block(
    const SparseDb& db,
    uint32_t j,
    uint32_t part,
    uint32_t parts,
    SetOutput& output) {
  if (whole_of_ != &db) {
    Node node;
    for (uint32_t c = 0; c < db.candidates; ++c)
      node.candidates.push_back({c, db.support[c]});
    std::vector<uint32_t> rows(db.size());
    for (uint32_t r = 0; r < rows.size(); ++r)
      rows[r] = r;
    whole_ = build_block(db, rows, node);  // at the bottom of the arena, for the life of this object
    whole_of_ = &db;
  }
  DenseTask task;
  task.block = whole_;
  task.min_support = options_.min_support;
  task.track = track_;
  if (options_.constraint.active())
    task.constraint = &options_.constraint;
  task.first = j;
  task.last = j + 1;
  task.part = part;
  task.parts = parts;
  search_dense(options_.kind, task, arena_, output);
}

}  // namespace lento::memory
