// Mines item sets with several threads and lists them in an order that does not depend on their number. The
// search over the reduced database is cut into pieces of one or a few first candidates each. Every piece is
// searched alone, and an ordered sink passes its sets on in the order of the pieces. Items in all
// transactions ("perfect") are set aside and combined at the end, which is exact arithmetic on the count.
// Source: LCM ver. 2 (itemset.h).
#include "memory/mine/itemset/itemset.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "base/parallel.h"
#include "memory/mine/itemset/itemset_sparse.h"

namespace lento::memory {
namespace {

// A piece of the search, in the order in which its sets are listed.
struct Piece {
  // The candidates `first` to `last` - 1 of the root, whose branches this piece searches. With parts > 1 it
  // searches only slice `part` of their children.
  uint32_t first = 0;
  uint32_t last = 0;
  uint32_t part = 0;
  uint32_t parts = 1;
};

// Passes on sets that several threads find, in the order of the pieces. Each piece holds up to kHeld numbers
// in memory. Beyond that its thread waits until all earlier pieces are done.
class OrderedSink {
 public:
  explicit OrderedSink(const SetSink& to)
      : to_(to) {
  }

  // The sink of piece `index`. Only one thread may use it at a time.
  struct Slot {
    OrderedSink& owner;
    size_t index;
    std::vector<uint32_t> held = {};  // size, support (two words), items
    bool done;

    void take(std::span<const uint32_t> items, uint64_t support) {
      if (owner.is_head(index)) {
        release();
        owner.to_(items, support);
        return;
      }
      held.push_back(uint32_t(items.size()));
      held.push_back(uint32_t(support));
      held.push_back(uint32_t(support >> 32));
      held.insert(held.end(), items.begin(), items.end());
      if (held.size() >= kHeld)
        owner.wait_for(index);
    }
    void finish() {
      owner.wait_for(index);
      release();
      owner.advance();
      done = true;
    }
    // A piece that fails is never finished. Later pieces that wait for it fail too.
    ~Slot() {
      if (!done)
        owner.abandon(index);
    }
    void release() {
      for (size_t i = 0; i < held.size(); i += 3 + held[i]) {
        owner.to_({held.data() + i + 3, held[i]}, held[i + 1] | uint64_t{held[i + 2]} << 32);
      }
      held.clear();
    }
  };

 private:
  struct Abandoned {};
  static constexpr size_t kHeld = size_t{1} << 20;

  bool is_head(size_t index) const {
    return head_.load(std::memory_order_acquire) == index;
  }
  // Waits until all earlier pieces have written their sets. Throws Abandoned when one of them failed.
  void wait_for(size_t index) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return failed_ < index || is_head(index);
    });
    if (!is_head(index))
      throw Abandoned{};
  }
  void abandon(size_t index) {
    const std::scoped_lock lock(mutex_);
    failed_ = std::min(failed_, index);
    changed_.notify_all();
  }
  void advance() {
    const std::scoped_lock lock(mutex_);
    head_.fetch_add(1, std::memory_order_acq_rel);
    changed_.notify_all();
  }

  const SetSink& to_;
  std::atomic<size_t> head_ = 0;
  std::mutex mutex_;
  size_t failed_ = SIZE_MAX;  // the first piece that failed
  std::condition_variable changed_;
};

class Miner {
 public:
  Miner(Transactions&& data, const MineOptions& options)
      : options_(options),
        track_(options.sink || options.constraint.active()) {
    total_ = data.total_weight();
    LENTO_CHECK(options.min_support > 0, "support 0 makes every set frequent");
    db_ = reduce(std::move(data), options.min_support, perfect_);
    as_block_ = SparseSearch::suits_block(db_);
    if (!as_block_)
      db_.deliver();
  }

  // Mines all item sets with enough support. Pieces of the search run on several threads, in a fixed output
  // order.
  MineResult run() {
    if (total_ >= options_.min_support)
      root();
    const std::vector<Piece> pieces = plan();
    if (options_.threads == 1) {
      run_here(pieces);
    } else {
      run_in_parallel(pieces);
    }
    if (options_.kind == SetKind::Frequent && !track_)
      combine_perfect();
    result_.stopped = options_.progress.stopped() || (stop_ && !result_.too_many);
    return result_;
  }

 private:
  // Emits the set of items held by every transaction. It is closed, and maximal when nothing extends it.
  void root() {
    if (options_.kind == SetKind::Frequent) {
      if (track_)
        list_subsets();
      return;
    }
    if (perfect_.empty() || (options_.kind == SetKind::Maximal && db_.candidates > 0))
      return;
    emit_root(perfect_);
  }

  // Reports a set that is known before the search, when it meets the constraint.
  void emit_root(const std::vector<uint32_t>& set) {
    uint64_t classes = 0;
    for (const uint32_t item : set) {
      const auto& known = options_.constraint.item_class;
      classes |= item < known.size() ? known[item] : 0;
    }
    if (!meets(options_.constraint, classes))
      return;
    ++result_.count;
    if (options_.sink)
      options_.sink(set, total_);
  }

  // When frequent sets are listed, items in every transaction are added to the candidates, so that every
  // subset is listed.
  void list_subsets() {
    if (perfect_.empty())
      return;
    const uint32_t first = db_.candidates;
    for (const uint32_t item : perfect_) {
      db_.labels.push_back(item);
      db_.support.push_back(total_);
    }
    db_.candidates += uint32_t(perfect_.size());
    SparseDb full = db_;
    full.items.clear(), full.begin = {0}, full.weight.clear();
    uint64_t covered = 0;
    const auto add = [&](std::span<const uint32_t> row, uint64_t weight) {
      for (; weight > 0; weight -= std::min<uint64_t>(weight, UINT32_MAX)) {
        full.items.insert(full.items.end(), row.begin(), row.end());
        for (uint32_t i = first; i < db_.candidates; ++i)
          full.items.push_back(i);
        full.begin.push_back(uint32_t(full.items.size()));
        full.weight.push_back(uint32_t(std::min<uint64_t>(weight, UINT32_MAX)));
      }
    };
    for (size_t r = 0; r < db_.size(); ++r) {
      covered += db_.weight[r];
      add(db_.row(r), db_.weight[r]);
    }
    add({}, total_ - covered);
    db_ = std::move(full);
    perfect_.clear();
    as_block_ = false;
    db_.deliver();
  }

  // Combines n sets without the perfect items to (n + 1) 2^p - 1 with them.
  void combine_perfect() {
    const size_t p = total_ >= options_.min_support ? perfect_.size() : 0;
    if (p == 0 || result_.too_many)
      return;
    const Uint128 all = ~Uint128{0};
    if (p == 128 && result_.count == 0) {
      result_.count = all;
    } else if (p >= 128 || result_.count + 1 == 0 || (result_.count + 1) > (all >> p)) {
      // (n + 1) 2^p = 2^128 still fits after the subtraction.
      const bool just_fits = p < 128 && p > 0 && result_.count + 1 == (all >> p) + 1;
      result_.too_many = !just_fits;
      result_.count = all;
    } else {
      result_.count = ((result_.count + 1) << p) - 1;
    }
  }

  // Divides the search into pieces of similar work.
  std::vector<Piece> plan() const {
    std::vector<Piece> pieces;
    const uint32_t n = db_.candidates;
    if (as_block_) {
      // Early candidates have large branches below. Slices of them keep many threads busy.
      for (uint32_t j = 0; j < n; ++j) {
        const uint32_t parts = n - j >= 16 && options_.threads != 1 ? 8 : 1;
        for (uint32_t part = 0; part < parts; ++part)
          pieces.push_back({j, j + 1, part, parts});
      }
      return pieces;
    }
    const uint64_t grain = std::max<uint64_t>(1, db_.occurrences.size() / 512);
    for (uint32_t j = 0; j < n;) {
      Piece piece{j, j};
      for (uint64_t size = 0; piece.last < n && size < grain; ++piece.last)
        size += db_.places_of(piece.last).size();
      j = piece.last;
      pieces.push_back(piece);
    }
    return pieces;
  }

  void run_piece(const Piece& piece, SparseSearch& search, SetOutput& output) {
    output.path = options_.kind == SetKind::Frequent ? std::vector<uint32_t>{} : perfect_;
    if (as_block_) {
      search.search_as_block(db_, piece.first, piece.part, piece.parts, output);
    } else {
      search.search(db_, piece.first, piece.last, output);
    }
    if (options_.progress.stopped())
      stop_.store(true);
  }

  void collect(const SetOutput& output) {
    result_.too_many |= output.too_many;
    if (__builtin_add_overflow(result_.count, output.count, &result_.count))
      result_.too_many = true;
  }

  void run_here(const std::vector<Piece>& pieces) {
    SparseSearch search(options_, track_);
    SetOutput output(options_.sink, stop_);
    output.most = options_.most_sets;
    for (size_t i = 0; i < pieces.size() && !stop_; ++i) {
      run_piece(pieces[i], search, output);
      if (i % 16 == 0)
        options_.progress("pieces", double(i), double(pieces.size()));
    }
    collect(output);
  }

  // Runs the pieces on several threads. Sets are written in the order of the pieces.
  void run_in_parallel(const std::vector<Piece>& pieces) {
    OrderedSink ordered(options_.sink);
    std::mutex mutex;
    std::vector<std::unique_ptr<SparseSearch>> idle;
    const auto work = [&](size_t i) {
      OrderedSink::Slot slot{ordered, i, {}, !options_.sink};
      std::unique_ptr<SparseSearch> search;
      {
        const std::scoped_lock lock(mutex);
        if (!idle.empty()) {
          search = std::move(idle.back());
          idle.pop_back();
        }
      }
      if (!search)
        search = std::make_unique<SparseSearch>(options_, track_);
      SetSink sink;
      if (options_.sink) {
        sink = [&slot](std::span<const uint32_t> items, uint64_t support) {
          slot.take(items, support);
        };
      }
      SetOutput output(sink, stop_);
      output.most = options_.most_sets;
      if (!stop_)
        run_piece(pieces[i], *search, output);
      if (options_.sink)
        slot.finish();
      const std::scoped_lock lock(mutex);
      collect(output);
      idle.push_back(std::move(search));
    };
    base::parallel_for(pieces.size(), options_.threads, [&](size_t i) {
      try {
        work(i);
      } catch (...) {
        stop_ = true;  // the other pieces need not go on
        throw;
      }
    });
  }

  const MineOptions& options_;
  const bool track_;
  SparseDb db_;
  std::vector<uint32_t> perfect_;
  uint64_t total_ = 0;
  bool as_block_ = false;
  std::atomic<bool> stop_ = false;
  MineResult result_;
};

}  // namespace

MineResult mine_itemsets(Transactions&& data, const MineOptions& options) {
  return Miner(std::move(data), options).run();
}

MineResult mine_itemsets(const Transactions& data, const MineOptions& options) {
  Transactions copy = data;
  return mine_itemsets(std::move(copy), options);
}

}  // namespace lento::memory
