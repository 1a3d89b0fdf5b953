// Replays line visits cycle by cycle through the instruction cache, the misses in flight and the prefetch
// queue.
#include "lab/block/front_end.h"

#include <algorithm>
#include <deque>
#include <vector>

namespace lento::tile {
namespace {

constexpr uint32_t kInFlight = 16;
constexpr uint32_t kQueue = 32;
constexpr uint32_t kIssuesPerCycle = 2;
constexpr uint32_t kFetchWidth = 4;

// Tags with true LRU. `touched` is the last use of a way.
class Tags {
 public:
  struct Way {
    uint64_t line = 0;
    uint64_t touched = 0;
    // prefetched and not yet used
    bool valid = false;
    bool prefetched = false;
  };
  Tags(uint32_t sets, uint32_t ways)
      : sets_(sets),
        ways_(ways),
        all_(size_t{sets} * ways) {
  }

  Way* find(uint64_t line) {
    Way* const set = &all_[line % sets_ * ways_];
    for (Way* way = set; way != set + ways_; ++way) {
      if (way->valid && way->line == line)
        return way;
    }
    return nullptr;
  }
  void touch(Way& way) {
    way.touched = ++clock_;
  }
  // Puts the line in. Returns the way's content before.
  Way insert(uint64_t line, bool prefetched) {
    Way* const set = &all_[line % sets_ * ways_];
    Way* const victim = std::min_element(set, set + ways_, [](const Way& a, const Way& b) {
      if (a.valid != b.valid)
        return !a.valid;
      return a.touched < b.touched;
    });
    const Way old = *victim;
    *victim = {line, ++clock_, true, prefetched};
    return old;
  }

 private:
  uint64_t sets_;
  uint64_t clock_ = 0;
  uint32_t ways_;
  std::vector<Way> all_;
};

class FrontEnd {
 public:
  explicit FrontEnd(const FrontEndOptions& options)
      : options_(options),
        prefetcher_(options.entangling, [this](uint64_t line) {
          return enqueue(line);
        }) {
  }

  void visit(uint64_t line, uint32_t instructions) {
    advance(now_);
    if (options_.observe)
      options_.observe(now_, line);
    ++counters_.accesses;
    counters_.instructions += instructions;
    Tags::Way* way = l1_.find(line);
    if (way) {
      l1_.touch(*way);
      counters_.useful += way->prefetched;
      way->prefetched = false;
    } else {
      ++counters_.misses;
    }
    if (options_.policy == PrefetchPolicy::Entangling)
      prefetcher_.access(line, way != nullptr, now_);
    if (options_.policy == PrefetchPolicy::NextLine)
      enqueue(line + 1);
    if (!way)
      wait_for(line);
    now_ += (instructions + kFetchWidth - 1) / kFetchWidth;
  }

  void start_counting() {
    counters_ = {};
    began_ = now_;
  }
  FrontEndCounters counters() const {
    FrontEndCounters out = counters_;
    out.cycles = now_ - began_;
    return out;
  }

 private:
  struct Request {
    uint64_t line;
    uint64_t ready;
    bool demanded;
  };

  bool enqueue(uint64_t line) {
    if (queue_.size() >= kQueue)
      return false;
    queue_.push_back(line);
    return true;
  }

  Request* in_flight(uint64_t line) {
    for (Request& r : flights_) {
      if (r.line == line)
        return &r;
    }
    return nullptr;
  }

  uint64_t latency(uint64_t line) {
    if (!options_.real_memory)
      return 15;
    if (Tags::Way* way = l2_.find(line))
      return l2_.touch(*way), 15;
    l2_.insert(line, false);
    if (Tags::Way* way = llc_.find(line))
      return llc_.touch(*way), 35;
    llc_.insert(line, false);
    return 200;
  }

  // Issues queued prefetches cycle by cycle and lands what is ready, up to and including cycle `until`.
  void advance(uint64_t until) {
    for (; at_ <= until; ++at_) {
      if (queue_.empty() && flights_.empty()) {
        at_ = until + 1;
        return;
      }
      land(at_);
      for (uint32_t n = 0; n < kIssuesPerCycle && !queue_.empty(); ++n) {
        const uint64_t line = queue_.front();
        // A probe by the prefetcher does not renew the line.
        if (!l1_.find(line) && !in_flight(line)) {
          if (flights_.size() >= kInFlight)
            break;
          flights_.push_back({line, at_ + latency(line), false});
        }
        queue_.pop_front();
      }
    }
  }

  void land(uint64_t cycle) {
    for (size_t i = 0; i < flights_.size();) {
      if (flights_[i].ready > cycle) {
        ++i;
        continue;
      }
      const Request done = flights_[i];
      flights_.erase(flights_.begin() + static_cast<long>(i));
      const Tags::Way old = l1_.insert(done.line, !done.demanded);
      counters_.wrong += old.valid && old.prefetched;
      if (options_.policy == PrefetchPolicy::Entangling) {
        prefetcher_.fill(done.line, old.valid ? std::optional(old.line) : std::nullopt, cycle);
      }
    }
  }

  void wait_for(uint64_t line) {
    Request* request = in_flight(line);
    if (request)
      counters_.late += !request->demanded;
    while (!request && flights_.size() >= kInFlight) {
      advance(++now_);
      request = in_flight(line);
    }
    if (!request) {
      flights_.push_back({line, now_ + latency(line), true});
      request = &flights_.back();
    }
    request->demanded = true;
    now_ = std::max(now_, request->ready);
    advance(now_);
  }

  const FrontEndOptions& options_;
  Tags l1_{64, 8};
  Tags l2_{1024, 8};
  Tags llc_{2048, 16};
  std::deque<uint64_t> queue_;
  std::vector<Request> flights_;
  EntanglingPrefetcher prefetcher_;
  uint64_t now_ = 1;
  uint64_t at_ = 1;
  uint64_t began_ = 0;
  FrontEndCounters counters_;
};

}  // namespace

FrontEndCounters& FrontEndCounters::operator+=(const FrontEndCounters& other) {
  accesses += other.accesses;
  misses += other.misses;
  instructions += other.instructions;
  cycles += other.cycles;
  useful += other.useful;
  late += other.late;
  wrong += other.wrong;
  return *this;
}

FrontEndCounters run_front_end(const LineTrace& trace, const FrontEndOptions& options) {
  FrontEnd front_end(options);
  const size_t left = trace.visits.size() - options.first_visit;
  const size_t wanted = options.visits == 0 ? left : std::min(left, options.visits);
  const size_t warm = options.first_visit + (options.warm_up == 0 ? wanted / 4 : options.warm_up);
  for (size_t i = options.first_visit; i < options.first_visit + wanted; ++i) {
    if (i == warm)
      front_end.start_counting();
    front_end.visit(trace.lines[trace.visits[i]], trace.counts[i]);
  }
  return front_end.counters();
}

}  // namespace lento::tile
