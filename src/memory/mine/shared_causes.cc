// Finds the objects that several CPUs contend for: false sharing, true sharing and locks. Data that threads
// hand to one another by design becomes a note. Thresholds and their reasons are in tuning.h.
#include <algorithm>
#include <set>

#include "base/units.h"
#include "memory/mine/cause_ledger.h"
#include "memory/mine/contention_patterns.h"
#include "memory/mine/word_use.h"

namespace lento::memory {
namespace {

using finding::Finding;

std::string count_of(size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

class SharedCauses {
 public:
  explicit SharedCauses(CauseLedger& ledger)
      : ledger_(ledger) {
  }

  // Adds findings for objects whose lines several CPUs share.
  void run() {
    std::vector<Object> objects = shared_objects(ledger_.passes.lines, ledger_.names);
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
      const bool goes_along = o.cause == Cause::TrueSharing && o.cycles <= ledger_.out.handed_on;
      const bool waits = o.cause == Cause::TrueSharing && is_polled(o.lines);
      if (waits && is_position(o.lines))
        add_hand_over(o);
      else if (goes_along && is_position(o.lines))
        ledger_.out.handed_on += o.cycles;
      else if (o.cause == Cause::TrueSharing && !scan().sampled && is_seldom_read(o.lines))
        add_hand_over(o);
      else if (o.cause != Cause::HandOver && ledger_.matters(o.cycles))
        judge_shared(o, objects.size());
    }
    join_guarded();
    if (!scan().sampled)
      add_handed_on();
  }

 private:
  const Scan& scan() const {
    return ledger_.passes.scan;
  }

  std::string subject_of(const Object& o) const {
    if (o.lines.size() == 1)
      return ledger_.names.line(*o.lines.front()) + ledger_.names.process(o.process);
    const std::string where = count_of(o.lines.size(), "line") + " from " + hex(o.low) + " to " + hex(o.high);
    return (o.name.empty() ? where : o.name + " (" + where + ")") + ledger_.names.process(o.process);
  }

  // Returns the p value of Fisher's exact test, times the number of tests. The test asks whether accesses to
  // the object have a high latency more often than accesses that no other CPU can have delayed, or than all
  // others where records name levels. Where no latency is high, because all misses take the same time, it
  // counts the accesses slower than a hit instead.
  double chance(const Object& o, size_t tests) const {
    const bool any_high = ledger_.passes.windows.high_events > 0;
    const uint64_t its = any_high ? o.high_accesses : o.slow_accesses;
    const uint64_t all = any_high ? ledger_.passes.windows.high_events : scan().slow;
    uint64_t others = scan().events - std::min(scan().events, o.accesses);
    uint64_t high = all - std::min(all, its);
    if (!scan().has_reasons()) {
      others = scan().quiet.total();
      high = any_high ? scan().quiet.at_least(ledger_.passes.windows.threshold) : std::min(high, others);
    }
    const double p = fisher_tail(its, o.accesses, high, others);
    return std::min(1.0, double(std::max<size_t>(1, tests)) * p);
  }

  // Adds data that moves with a lock to the finding of that lock, because one change mends both. With several
  // locks it is not known which of them guards the data, and data that costs more is a finding of its own.
  void join_guarded() {
    const auto is_lock = [](const Finding& f) {
      return f.category == name(Cause::Lock);
    };
    if (std::ranges::count_if(ledger_.out.findings, is_lock) != 1)
      return;
    Finding& lock = *std::ranges::find_if(ledger_.out.findings, is_lock);
    double share = 0;
    std::vector<finding::Evidence> parts;
    for (const Finding& f : ledger_.out.findings) {
      if (!guarded_.contains(f.subject))
        continue;
      share += *f.lost_share;
      parts.push_back(
          {"of " + f.subject + ", which it guards, lost",
           *f.lost_share * ledger_.time,
           "cycles",
           "access records"});
    }
    if (parts.empty() || share > *lock.lost_share)
      return;
    *lock.lost_share += share;
    lock.summary += ", and " + percent(share) + " at the data that it guards";
    std::ranges::move(parts, std::back_inserter(lock.evidence));
    const auto is_joined = [&](const auto& entry) {
      return guarded_.contains(entry.subject);
    };
    std::erase_if(ledger_.out.findings, is_joined);
    std::erase_if(ledger_.out.objects, is_joined);
  }

  // Adds a finding for a costly shared object if its sharing was recorded or is significant.
  void judge_shared(const Object& o, size_t tests) {
    // An answer of another cache, or a culprit that a simulator recorded, proves sharing. Latencies alone
    // must pass the test.
    const bool witnessed = scan().culprits_known || o.peers > 0;
    const double p = chance(o, tests);
    const uint64_t meetings = std::max(o.peers, o.slow_accesses);
    const bool once = !scan().sampled && meetings < tuning::kMeetingsALine * o.lines.size();
    if (meetings < tuning::kLeastMeetings || once) {
      ledger_.out.handed_on += o.cycles;
      return;
    }
    // Where the trace records answers of other caches, a line without any is not shared. Atomics are exempt:
    // they go to the line's home, and samplers do not mark that.
    const bool unshared = scan().has_reasons() && o.peers == 0 && o.cause != Cause::Lock && o.atomics == 0;
    if (unshared || (!witnessed && p > ledger_.options.alpha))
      return;
    add_object(o, p, witnessed);
    for (const Line* line : o.lines)
      note_taken(*line);
  }

  // Notes data that threads hand to one another by design. It becomes no finding.
  void add_hand_over(const Object& o) {
    ledger_.out.handed_on += o.cycles;
    for (const Line* line : o.lines)
      note_taken(*line);
    if (ledger_.matters(o.cycles))
      ledger_.out.notes.push_back(
          subject_of(o) + " is handed from thread to thread, which takes " +
          percent(double(o.cycles) / ledger_.time) + " of the working time and is no fight: " +
          (o.cause == Cause::HandOver ? next_step(o.cause)
           : is_polled(o.lines)       ? "wait longer between two looks at it (back off)"
                                      : "read it less often") +
          " where that is too much");
  }

  // Adds to handed_on the cycles of blocks with so few accesses that each line was handed over once and not
  // contended, unless the block was examined byte by byte.
  void add_handed_on() {
    std::set<BlockKey> examined;
    for (const HotBlock& block : ledger_.passes.windows.hot)
      examined.insert(block.key);
    for (const auto& [key, cost] : scan().blocks) {
      constexpr uint64_t kLines = 2;  // of a block
      if (cost.accesses <= kLines * tuning::kMeetingsALine && !examined.contains(key))
        ledger_.out.handed_on += cost.cycles[size_t(Loss::Contended)];
    }
  }

  void note_taken(const Line& line) {
    ledger_.taken.push_back({line.address / tuning::kBlockBytes, line.process});
  }

  // Adds the finding for one shared object. `witnessed`: the trace itself names the delaying CPU.
  void add_object(const Object& o, double p, bool witnessed) {
    Finding f = ledger_.start(o.cause, subject_of(o), Loss::Contended, o.cycles);
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
    ledger_.out.objects.push_back(
        {f.subject,
         f.category,
         o.process,
         o.low,
         o.high + ledger_.options.line_bytes,
         parts_of(o),
         is_polled(o.lines)});
    ledger_.out.findings.push_back(std::move(f));
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
          scan().with_thread > 0 ? "thread " + std::to_string(use->actor) + " on CPU " : std::string("CPU ");
      const std::string node =
          use->node == memory::AccessRecord::kNoNode ? "" : " of node " + std::to_string(use->node);
      f.evidence.push_back(
          {who + std::to_string(use->cpu) + node + " at +" + std::to_string(use->offset) + " (" +
               ledger_.names.data(line->process, line->address + use->offset) +
               "): " + std::to_string(use->reads) + " reads, " + std::to_string(use->writes) + " writes in " +
               ledger_.names.place(line->process, use->pc),
           double(use->excess),
           "cycles",
           "access records"});
    }
  }

  CauseLedger& ledger_;
  std::set<std::string> guarded_;  // subjects of data that moves with a lock
};

}  // namespace

void add_shared_causes(CauseLedger& ledger) {
  SharedCauses(ledger).run();
}

}  // namespace lento::memory
