// Turns losses of cycles into findings, cause by cause in the order of contention_causes.h. Every finding
// subtracts its cycles from the loss that is not explained yet, so that no cycle appears in two findings.
// Thresholds and their reasons are in tuning.h.
#include "memory/mine/contention_causes.h"

#include <algorithm>
#include <set>

#include "base/units.h"
#include "memory/mine/contention_patterns.h"
#include "memory/mine/word_use.h"

namespace lento::memory {
namespace {

using finding::Finding;

std::string count_of(size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

class CauseFinder {
 public:
  CauseFinder(
      const PassResults& passes,
      const ContentionNames& names,
      const ContentionOptions& options,
      double time)
      : scan_(passes.scan),
        windows_(passes.windows),
        lines_(passes.lines),
        names_(names),
        options_(options),
        time_(time) {
  }

  // Explains the lost cycles by causes, the most certain first. Each cycle is explained once.
  Causes run() {
    for (size_t l = 0; l < kLosses; ++l)
      left_[l] = scan_.losses[l];
    add_shared();
    if (!scan_.sampled)
      add_handed_on();
    add_remote();
    add_banks();
    add_walks();
    add_misses();
    add_queues();
    out_.contended_left = 0;
    for (size_t l = 0; l < kLosses; ++l) {
      if (static_cast<Loss>(l) != Loss::Miss && static_cast<Loss>(l) != Loss::Walk)
        out_.contended_left += left_[l];
    }
    const double all = double(std::max<uint64_t>(1, out_.found_cycles));
    for (Finding& f : out_.findings)
      f.score = *f.lost_share * time_ / all;
    std::ranges::stable_sort(out_.findings, [](const Finding& a, const Finding& b) {
      return a.score > b.score;
    });
    return std::move(out_);
  }

 private:
  bool matters(uint64_t cycles) const {
    return double(cycles) >= options_.least_loss * time_ && cycles > 0;
  }

  // Starts a finding and subtracts its cycles, at most those that are not explained yet, from the loss.
  Finding start(Cause cause, std::string subject, Loss loss, uint64_t cycles) {
    uint64_t& left = left_[size_t(loss)];
    cycles = std::min(cycles, left);
    left -= cycles;
    out_.found_cycles += cycles;
    Finding f;
    f.subject = std::move(subject);
    f.category = name(cause);
    f.lost_share = std::min(1.0, double(cycles) / time_);
    f.evidence.push_back({"cycles lost", double(cycles), "cycles", "access records"});
    f.next_step = next_step(cause);
    return f;
  }

  std::string subject_of(const Object& o) const {
    if (o.lines.size() == 1)
      return names_.line(*o.lines.front()) + names_.process(o.process);
    const std::string where = count_of(o.lines.size(), "line") + " from " + hex(o.low) + " to " + hex(o.high);
    return (o.name.empty() ? where : o.name + " (" + where + ")") + names_.process(o.process);
  }

  std::string region_of(const Object& o) const {
    const std::string where = hex(o.low) + " to " + hex(o.high);
    return (o.name.empty() ? "memory from " + where : o.name + " (" + where + ")") +
           names_.process(o.process);
  }

  // Returns the p value of Fisher's exact test, times the number of tests. The test asks whether accesses to
  // the object have a high latency more often than accesses that no other CPU can have delayed, or than all
  // others where records name levels. Where no latency is high, because all misses take the same time, it
  // counts the accesses slower than a hit instead.
  double chance(const Object& o, size_t tests) const {
    const bool any_high = windows_.high_events > 0;
    const uint64_t its = any_high ? o.high_accesses : o.slow_accesses;
    const uint64_t all = any_high ? windows_.high_events : scan_.slow;
    uint64_t others = scan_.events - std::min(scan_.events, o.accesses);
    uint64_t high = all - std::min(all, its);
    if (!scan_.has_reasons()) {
      others = scan_.quiet.total();
      high = any_high ? scan_.quiet.at_least(windows_.threshold) : std::min(high, others);
    }
    const double p = fisher_tail(its, o.accesses, high, others);
    return std::min(1.0, double(std::max<size_t>(1, tests)) * p);
  }

  // Adds findings for objects whose lines several CPUs share.
  void add_shared() {
    std::vector<Object> objects = shared_objects(lines_, names_);
    for (Object& o : objects) {
      const bool is_record = o.lines.size() == 1 && !is_taken_once(*o.lines.front());
      if (o.cause == Cause::HandOver && is_record)
        o.cause = Cause::TrueSharing;
      if (o.cause == Cause::HandOver)
        add_hand_over(o);
    }
    for (const Object& o : objects) {
      // The head and tail positions of a queue, which cost less than the data that it hands over.
      // So are positions that one side only waits for.
      const bool goes_along = o.cause == Cause::TrueSharing && o.cycles <= out_.handed_on;
      const bool waits = o.cause == Cause::TrueSharing && is_polled(o.lines);
      if (waits && is_position(o.lines))
        add_hand_over(o);
      else if (goes_along && is_position(o.lines))
        out_.handed_on += o.cycles;
      else if (o.cause == Cause::TrueSharing && !scan_.sampled && is_seldom_read(o.lines))
        add_hand_over(o);
      else if (o.cause != Cause::HandOver && matters(o.cycles))
        judge_shared(o, objects.size());
    }
    join_guarded();
  }

  // Adds data that moves with a lock to the finding of that lock, because one change mends both. With several
  // locks it is not known which of them guards the data, and data that costs more is a finding of its own.
  void join_guarded() {
    const auto is_lock = [](const Finding& f) {
      return f.category == name(Cause::Lock);
    };
    if (std::ranges::count_if(out_.findings, is_lock) != 1)
      return;
    Finding& lock = *std::ranges::find_if(out_.findings, is_lock);
    double share = 0;
    std::vector<finding::Evidence> parts;
    for (const Finding& f : out_.findings) {
      if (!guarded_.contains(f.subject))
        continue;
      share += *f.lost_share;
      parts.push_back(
          {"of " + f.subject + ", which it guards, lost", *f.lost_share * time_, "cycles", "access records"});
    }
    if (parts.empty() || share > *lock.lost_share)
      return;
    *lock.lost_share += share;
    lock.summary += ", and " + percent(share) + " at the data that it guards";
    std::ranges::move(parts, std::back_inserter(lock.evidence));
    const auto is_joined = [&](const auto& entry) {
      return guarded_.contains(entry.subject);
    };
    std::erase_if(out_.findings, is_joined);
    std::erase_if(out_.objects, is_joined);
  }

  // Adds a finding for a costly shared object if its sharing was recorded or is significant.
  void judge_shared(const Object& o, size_t tests) {
    // An answer of another cache, or a culprit that a simulator recorded, proves sharing. Latencies alone
    // must pass the test.
    const bool witnessed = scan_.culprits_known || o.peers > 0;
    const double p = chance(o, tests);
    const uint64_t meetings = std::max(o.peers, o.slow_accesses);
    const bool once = !scan_.sampled && meetings < tuning::kMeetingsALine * o.lines.size();
    if (meetings < tuning::kLeastMeetings || once) {
      out_.handed_on += o.cycles;
      return;
    }
    // Where the trace records answers of other caches, a line without any is not shared. Atomics are exempt:
    // they go to the line's home, and samplers do not mark that.
    const bool unshared = scan_.has_reasons() && o.peers == 0 && o.cause != Cause::Lock && o.atomics == 0;
    if (unshared || (!witnessed && p > options_.alpha))
      return;
    add_object(o, p, witnessed);
    for (const Line* line : o.lines)
      note_taken(*line);
  }

  // Notes data that threads hand to one another by design. It becomes no finding.
  void add_hand_over(const Object& o) {
    out_.handed_on += o.cycles;
    for (const Line* line : o.lines)
      note_taken(*line);
    if (matters(o.cycles))
      out_.notes.push_back(
          subject_of(o) + " is handed from thread to thread, which takes " +
          percent(double(o.cycles) / time_) + " of the working time and is no fight: " +
          (o.cause == Cause::HandOver ? next_step(o.cause)
           : is_polled(o.lines)       ? "wait longer between two looks at it (back off)"
                                      : "read it less often") +
          " where that is too much");
  }

  // Adds to handed_on the cycles of blocks with so few accesses that each line was handed over once and not
  // contended, unless the block was examined byte by byte.
  void add_handed_on() {
    std::set<BlockKey> examined;
    for (const HotBlock& block : windows_.hot)
      examined.insert(block.key);
    for (const auto& [key, cost] : scan_.blocks) {
      constexpr uint64_t kLines = 2;  // of a block
      if (cost.accesses <= kLines * tuning::kMeetingsALine && !examined.contains(key))
        out_.handed_on += cost.cycles[size_t(Loss::Contended)];
    }
  }

  void note_taken(const Line& line) {
    taken_.push_back({line.address / tuning::kBlockBytes, line.process});
  }

  // Adds the finding for one shared object. `witnessed`: the trace itself names the delaying CPU.
  void add_object(const Object& o, double p, bool witnessed) {
    Finding f = start(o.cause, subject_of(o), Loss::Contended, o.cycles);
    WordUse use = o.cause == Cause::FalseSharing ? WordUse::Plain : word_use(o.lines);
    if (o.cause == Cause::Lock && use == WordUse::ReferenceCount)
      use = WordUse::Readers;
    f.summary = std::string(name(o.cause)) + (name(use).empty() ? "" : " of " + name(use)) + " by " +
                count_of(size_t(o.cpus.count()), "CPU") + ": " + percent(*f.lost_share) +
                " of the working time";
    if (!remedy(use).empty())
      f.next_step = remedy(use);
    if (o.cause == Cause::TrueSharing && std::ranges::all_of(o.lines, [](const Line* line) {
          return is_guarded(*line);
        })) {
      f.next_step = "it is used under a lock and moves with it: " + next_step(Cause::Lock);
      guarded_.insert(f.subject);
    }
    if (use == WordUse::Lock && is_split(o))
      f.next_step =
          "it is split already, and threads wait for its lines rather than for one another: let each "
          "thread keep to its own parts, or do more each time it takes one";
    f.evidence.push_back(
        {"share of conflicting pairs of accesses that touch a common byte (0: padding helps)",
         o.overlap(),
         "",
         "access records"});
    f.evidence.push_back(
        {"load-linked, store-conditional and atomic accesses", double(o.atomics), "", "access records"});
    if (o.peers > 0) {
      f.evidence.push_back(
          {"accesses that another CPU had taken the line from (HitM, peer, coherence), " +
               std::to_string(o.remote_peers) + " of them on another node",
           double(o.peers),
           "",
           "access records"});
    }
    if (!witnessed)
      f.evidence.push_back(
          {"probability of as many high latencies by chance, times the objects tested", p, "", "exact test"});
    add_users(o, f);
    out_.objects.push_back(
        {f.subject,
         f.category,
         o.process,
         o.low,
         o.high + options_.line_bytes,
         parts_of(o),
         is_polled(o.lines)});
    out_.findings.push_back(std::move(f));
  }

  // Returns whether a lock costs alike in more lines than there are CPUs: the cost spread over n lines alike
  // has (sum)^2 / (sum of squares) = n.
  static bool is_split(const Object& o) {
    double sum = 0;
    double squares = 0;
    for (const Line* line : o.lines) {
      sum += double(line->excess);
      squares += double(line->excess) * double(line->excess);
    }
    return sum * sum > double(o.cpus.count()) * squares;
  }

  // Returns addresses of the costliest parts of an object, at most 64.
  static std::vector<uint64_t> parts_of(const Object& o) {
    constexpr size_t kMost = 64;
    std::vector<std::pair<uint64_t, uint64_t>> cost;  // cycles, address
    for (const Line* line : o.lines) {
      for (const Use& use : line->uses)
        cost.emplace_back(use.excess, line->address + use.offset);
    }
    std::ranges::sort(cost, [](const auto& a, const auto& b) {
      if (a.first != b.first)
        return a.first > b.first;
      return a.second < b.second;
    });
    std::vector<uint64_t> parts;
    for (const auto& [cycles, address] : cost) {
      if (parts.size() < kMost && std::ranges::find(parts, address) == parts.end())
        parts.push_back(address);
    }
    return parts;
  }

  // Lists the readers and writers of the object, costliest first.
  void add_users(const Object& o, Finding& f) const {
    constexpr size_t kShown = 8;
    struct User {
      const Line* line;
      const Use* use;
    };
    std::vector<User> users;
    for (const Line* line : o.lines) {
      for (const Use& use : line->uses)
        users.push_back({line, &use});
    }
    std::ranges::stable_sort(users, [](const User& a, const User& b) {
      return a.use->excess > b.use->excess;
    });
    users.resize(std::min(users.size(), kShown));
    for (const auto& [line, use] : users) {
      const std::string who =
          scan_.with_thread > 0 ? "thread " + std::to_string(use->actor) + " on CPU " : std::string("CPU ");
      const std::string node =
          use->node == memory::AccessRecord::kNoNode ? "" : " of node " + std::to_string(use->node);
      f.evidence.push_back(
          {who + std::to_string(use->cpu) + node + " at +" + std::to_string(use->offset) + " (" +
               names_.data(line->process, line->address + use->offset) + "): " + std::to_string(use->reads) +
               " reads, " + std::to_string(use->writes) + " writes in " +
               names_.place(line->process, use->pc),
           double(use->excess),
           "cycles",
           "access records"});
    }
  }

  std::vector<BlockKey> taken() const {
    std::vector<BlockKey> blocks = taken_;
    std::sort(blocks.begin(), blocks.end());
    return blocks;
  }

  // Adds a finding for an object whose cost is known for blocks of 128 bytes.
  void add_block_object(const Object& o, Cause cause, Loss loss, const std::string& why) {
    Finding f = start(cause, region_of(o), loss, o.cycles);
    f.summary = std::string(name(cause)) + ": " + percent(*f.lost_share) + " of the working time" + why;
    f.evidence.push_back(
        {"blocks of 128 bytes that cost something", double(o.fetched_lines), "", "access records"});
    f.evidence.push_back(
        {"accesses that the own cache did not serve", double(o.misses), "", "access records"});
    if (o.stride > 0)
      f.evidence.push_back({"distance of the lines", double(o.stride), "bytes", "access records"});
    if (o.stride == 0 && cause == Cause::SetConflict)
      f.evidence.push_back(
          {"of them a multiple of 1024 bytes from the one before", double(o.jumps), "", "access records"});
    out_.objects.push_back({f.subject, f.category, o.process, o.low, o.high + tuning::kBlockBytes, {}});
    out_.findings.push_back(std::move(f));
  }

  void add_remote() {
    for (const Object& o : block_objects(scan_, Loss::Remote, names_, {})) {
      if (!matters(o.cycles))
        break;
      add_block_object(o, Cause::Remote, Loss::Remote, " beyond what the own node's memory takes");
    }
  }

  void add_banks() {
    for (const Object& o : block_objects(scan_, Loss::Bank, names_, {})) {
      if (!matters(o.cycles))
        break;
      add_block_object(o, Cause::Bank, Loss::Bank, " waiting for banks");
    }
  }

  void add_walks() {
    for (const Object& o : block_objects(scan_, Loss::Walk, names_, {})) {
      if (!matters(o.cycles))
        break;
      add_block_object(o, Cause::Translation, Loss::Walk, " walking page tables");
    }
  }

  // Adds misses that no other CPU causes. Whether misses are many can only be judged where hits were recorded
  // too.
  void add_misses() {
    const bool by_level = scan_.culprits_known || scan_.levels_known;
    const bool hits_seen = by_level ? scan_.trivial > 0 : scan_.trivial * 2 > scan_.events;
    if (!hits_seen) {
      out_.notes.push_back("no hits in the own cache were recorded: whether misses are many cannot be told");
      return;
    }
    const Loss loss = by_level ? Loss::Miss : Loss::Contended;
    for (const Object& o : block_objects(scan_, loss, names_, taken())) {
      if (!matters(o.cycles))
        break;
      const uint64_t wide = tuning::kConflictStride * tuning::kLineSizes[1];
      const bool in_turn = !scan_.sampled && double(o.jumps) >= tuning::kJumps * double(o.misses);
      const bool conflict = (o.stride >= wide || in_turn) && o.fetched_lines > 2;
      if (!conflict && double(o.cycles) < tuning::kMissLoss * time_)
        continue;
      const double per_line = double(o.misses) * std::max(1.0, options_.period) /
                              double(std::max<uint64_t>(1, lines_in(o) * o.makers));
      if (per_line < tuning::kRefetched)
        continue;  // each line came once: nothing was lost from a cache
      if (!conflict && footprint(o) < tuning::kLeastFootprint)
        continue;
      if (miss_ratio(o) < tuning::kMissRatio)
        continue;
      add_block_object(
          o,
          conflict ? Cause::SetConflict : Cause::Capacity,
          loss,
          conflict ? " on lines of one set" : " fetching what the cache had lost");
    }
  }

  // Returns the number of lines of an object. Samples hit few of them, so in a sampled trace all lines
  // between its ends count, at its stride.
  uint64_t lines_in(const Object& o) const {
    if (!scan_.sampled)
      return o.fetched_lines;
    const uint64_t step = std::max<uint64_t>(o.stride, tuning::kBlockBytes);
    return std::max(o.fetched_lines, (o.high - o.low) / step + 1);
  }

  // Returns the share of the accesses between the object's first and last byte that miss.
  double miss_ratio(const Object& o) const {
    uint64_t all = 0;
    uint64_t missed = 0;
    for (const AccessSample::Kept& k : scan_.sample.kept()) {
      const bool inside = k.address >= o.low && k.address < o.high + tuning::kBlockBytes;
      if (!inside || (k.process != o.process && o.process != 0))
        continue;
      ++all;
      missed += k.missed;
    }
    if (all == 0)
      return 0;
    return double(missed) / double(all);
  }

  // Returns the bytes that an object's misses lie in. Samples hit few of its lines, and their whole span
  // counts.
  uint64_t footprint(const Object& o) const {
    if (scan_.sampled)
      return o.high - o.low;
    return o.fetched_lines * tuning::kBlockBytes;
  }

  // Adds findings for cycles spent waiting in queues of memory or interconnect.
  void add_queues() {
    add_fetches();
    if (scan_.culprits_known)
      return add_interconnect();
    if (!scan_.levels_known || working_cpus() < 2 || !is_loaded())
      return;
    std::vector<Object> objects = block_objects(scan_, Loss::Queue, names_, {});
    uint64_t all = 0;
    for (const Object& o : objects)
      all += o.cycles;
    if (!matters(all))
      return;
    const std::string most = objects.empty() ? "" : ", most of it " + region_of(objects.front());
    Finding f = start(Cause::Bandwidth, "memory bandwidth" + most, Loss::Queue, all);
    f.summary = "saturation: " + percent(*f.lost_share) + " of the working time in queues in front of memory";
    const auto& memory = scan_.by_service[size_t(memory::Service::LocalMemory)];
    f.evidence.push_back(
        {"median latency of local memory",
         memory.quantile(0.5, QuantileRule::NearestRank),
         "cycles",
         "data source of the samples"});
    f.evidence.push_back(
        {"its tenth percentile",
         memory.quantile(0.1, QuantileRule::NearestRank),
         "cycles",
         "data source of the samples"});
    add_largest(objects, f);
    out_.findings.push_back(std::move(f));
  }

  void add_largest(const std::vector<Object>& objects, Finding& f) const {
    constexpr size_t kShown = 8;
    for (size_t i = 0; i < std::min(kShown, objects.size()); ++i)
      f.evidence.push_back({region_of(objects[i]), double(objects[i].cycles), "cycles", "access records"});
  }

  // Returns the number of working CPUs, which make at least the share tuning::kWorkingShare of the busiest
  // CPU's accesses.
  size_t working_cpus() const {
    uint64_t most = 0;
    for (const auto& [cpu, time] : scan_.cpus)
      most = std::max(most, time.accesses);
    size_t n = 0;
    for (const auto& [cpu, time] : scan_.cpus)
      n += double(time.accesses) >= tuning::kWorkingShare * double(most);
    return n;
  }

  // Returns whether memory latency is raised by load: the median is well above the lowest tenth.
  bool is_loaded() const {
    const auto median = [&](Service s, double q) {
      return scan_.by_service[size_t(s)].quantile(q, QuantileRule::NearestRank);
    };
    const double loaded = median(memory::Service::LocalMemory, 0.5);
    const double alone = median(memory::Service::LocalMemory, 0.1);
    const double cache = median(memory::Service::L3, 0.1);
    if (alone > 0 && loaded >= tuning::kLoaded * alone)
      return true;
    return cache > 0 && loaded >= tuning::kLoadedOverCache * cache;
  }

  // Adds a finding when instruction fetches cause most of the cost.
  void add_fetches() {
    const uint64_t fetches = scan_.excess_by_type[size_t(memory::AccessType::Fetch)];
    const uint64_t cost = std::min(fetches, left_[size_t(Loss::Contended)]);
    if (fetches * 2 <= scan_.excess || !matters(cost) || !scan_.culprits_known)
      return;
    Finding f = start(Cause::Fetch, "instruction fetches", Loss::Contended, cost);
    f.summary = "fetch conflict: " + percent(*f.lost_share) + " of the working time";
    out_.findings.push_back(std::move(f));
  }

  // Adds a finding for cycles spent waiting for the interconnect and write buffers.
  void add_interconnect() {
    const auto cycles = [&](DelayCause c) {
      return scan_.cycles_by_cause[size_t(c)];
    };
    const uint64_t waits = cycles(memory::DelayCause::Interconnect) + cycles(memory::DelayCause::WriteBuffer);
    const uint64_t cost = std::min(waits, left_[size_t(Loss::Contended)]);
    if (!matters(cost))
      return;
    Finding f = start(Cause::Bandwidth, "memory interconnect", Loss::Contended, cost);
    f.summary = "saturation: " + percent(*f.lost_share) + " of the working time waiting for the interconnect";
    std::vector<Object> objects = block_objects(scan_, Loss::Contended, names_, taken());
    add_largest(objects, f);
    out_.findings.push_back(std::move(f));
  }

  const Scan& scan_;
  const WindowScan& windows_;
  const std::vector<Line>& lines_;
  const ContentionNames& names_;
  const ContentionOptions& options_;
  const double time_;
  Losses left_ = {};
  std::vector<BlockKey> taken_;    // blocks whose losses are explained
  std::set<std::string> guarded_;  // subjects of data that moves with a lock
  Causes out_;
};

}  // namespace

Causes find_causes(
    const PassResults& passes,
    const ContentionNames& names,
    const ContentionOptions& options,
    double time) {
  return CauseFinder(passes, names, options, time).run();
}

}  // namespace lento::memory
