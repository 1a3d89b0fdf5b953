// The recorder of one core: the two-stage Fail-Slow Sketch of SLOTH (III-C) in a fixed number of bytes.
//
//   stage 1   d arrays of m buckets; a pattern that keeps coming is promoted at its H-th occurrence
//   stage 2   one entry per pattern: number of records, begin of the first and end of the last, mean work,
//             mean and lowest level (level.h), and for transfers a row of time bins
//   episodes  stretches of time in which this core computed slower than its nominal rate
//
// A pattern is (Compute, layer) or (transfer kind, peer, size octave). Departures from Algorithm 1, all of
// which keep Lemma 3.1 of SLOTH (the least probability that a frequent pattern is promoted): a pattern that
// is in stage 2 does not compete for buckets any more, a bucket summarises its records, so the first H-1
// occurrences are not lost, and a record enters stage 2 once, not d times. `as_printed` switches the first
// off.
//
// A mapping may make many more patterns on a core than there are entries: an all-gather over 224 cores makes
// 633. The shape then leaves stage 1 out (plan_shape), and a core keeps the patterns whose hash is lowest, a
// bottom-k sample. A kept pattern is kept from the first record to the last, where every eviction policy
// would evict each pattern in turn. The lemma does not apply there: the sample depends on the size of a
// pattern's transfers, not on how often it comes.
//
// Time bins start narrow and double their width (neighbours merge) whenever the run outgrows them, so the
// length of the run need not be given. Invariant: bytes() is fixed at construction and covers all state.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/read/probe_record.h"

namespace lento::chip {

enum class Eviction : uint8_t {
  Earliest,    // the pattern that came first (Algorithm 1)
  Healthiest,  // the pattern whose worst time bin is nearest to its best (the paper's text)
  LeastFrequent,
  Random
};

// Capacities of one core's recorder.
struct SketchShape {
  uint16_t hashes = 2;      // d
  uint16_t buckets = 8;     // m, a power of two; 0 buckets with 0 hashes: a table, no stage 1
  uint16_t computes = 16;   // stage-2 entries for compute patterns; with transfers at most 254
  uint16_t transfers = 16;  // stage-2 entries for transfers
  uint16_t bins = 64;       // time bins of a transfer entry, a power of two
  uint16_t episodes = 8;
  uint16_t octaves = 1;  // of transfer size that one pattern spans

  uint32_t bytes() const;
  bool operator==(const SketchShape&) const = default;
};

struct SketchOptions {
  uint32_t budget_bytes = 8192;            // per core
  uint32_t threshold = 2;                  // H: the occurrence at which a pattern enters stage 2
  Eviction eviction = Eviction::Earliest;  // of a sketch of two stages
  bool as_printed = false;
  double ops_per_cycle = 1024;    // nominal rate: what "slow" means for an episode
  uint64_t bin_cycles = 1 << 16;  // first width of a time bin; doubles as needed
};

// A pattern in 24 bits: kind (2), octave of the size (6, transfers only, the lowest of those it spans), peer
// or layer (16).
struct Pattern {
  ProbeKind kind = chip::ProbeKind::Compute;
  uint8_t octave = 0;
  uint16_t subject = 0;

  uint32_t packed() const {
    return 1u << 31 | uint32_t(kind) << 22 | uint32_t(octave) << 16 | subject;
  }
  static Pattern unpack(uint32_t key) {
    return {static_cast<ProbeKind>(key >> 22 & 3), uint8_t(key >> 16 & 63), uint16_t(key)};
  }
};
Pattern pattern_of(const ProbeRecord& record, unsigned octaves = 1);

// Times in the sketch are in ticks of 256 cycles, 32 bits: runs up to 1.1e12 cycles.
inline constexpr int kTickShift = 8;

// One time bin of a pattern, 3 bytes: running mean and lowest level of its records (level.h, 1/256 octave),
// and their number (up to 15).
struct TimeBin {
  uint8_t mean_low = 0;         // mean level, low 8 bits
  uint8_t mean_high_count = 0;  // mean level, high 4 bits; count, 4 bits
  uint8_t lowest = 0;           // level / 16; 0: empty

  int count() const {
    return mean_high_count >> 4;
  }
  int mean() const {
    return mean_low | (mean_high_count & 15) << 8;
  }
  void set(int mean, int count) {
    mean_low = uint8_t(mean);
    mean_high_count = uint8_t(mean >> 8 | count << 4);
  }
  void add(int level);
  void merge(const TimeBin& other);
};
static_assert(sizeof(TimeBin) == 3);

struct SketchEntry {
  uint32_t key = 0;
  uint32_t count = 0;
  // Ticks: begin of the first, end of the last record.
  uint32_t first = 0;
  uint32_t last = 0;
  float mean_work = 0;  // of the records seen
  uint16_t mean = 0;    // running mean level
  uint16_t lowest = 0;  // lowest level
};
static_assert(sizeof(SketchEntry) == 24);

// Cycles below which an operation is not judged, because a whole number of them is too coarse.
inline constexpr uint64_t kLeastCycles = 64;
// Smallest share of its nominal rate that a recorder assumes of a healthy core.
inline constexpr double kLeastShare = 0.1;
// Returns the share of the nominal rate above which all but 3 in a million healthy operations stay, when
// their rates have this relative standard deviation. At least kLeastShare.
double quiet_share(double rate_deviation);
// Relative error of a pattern's mean work, because reciprocals have 16 bits as in hardware.
inline constexpr double kMeanWorkError = 1.0 / (1 << 16);

// Returns the nominal rate for a recorder, in operations per cycle, chosen so that hardly any healthy
// operation opens an episode. `rate_deviation` is the relative standard deviation of the rate. It is the
// core's own rate, unless 4.5 standard deviations exceed the 8 % that an episode needs.
double recorder_rate(double ops_per_cycle, double rate_deviation);

// A stretch of time in which operations were slower than nominal by more than 8 %, at about the same level.
// Three operations at nominal speed end it, and a change of half an octave begins a new episode, so that a
// fault also shows on a core that is always slower than its file.
struct Episode {
  // Times in ticks.
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t count = 0;
  uint16_t mean = 0;  // level above nominal, 1/256 octave, running mean
  uint16_t peak = 0;  // the largest
};
static_assert(sizeof(Episode) == 16);

class CoreSketch {
 public:
  CoreSketch()
      : CoreSketch(SketchShape{}, SketchOptions{}) {
  }
  // `core` is the number of the core. It seeds the hash by which patterns are sampled, so that two cores keep
  // independent samples.
  CoreSketch(const SketchShape& shape, const SketchOptions& options, uint32_t core = 0);

  void insert(const ProbeRecord& record);

  const SketchShape& shape() const {
    return shape_;
  }
  uint32_t bytes() const {
    return shape_.bytes();
  }
  uint64_t records() const {
    return state_.records;
  }
  uint64_t evictions() const {
    return state_.evictions;
  }
  uint64_t end_cycles() const {
    return uint64_t{state_.last} << kTickShift;
  }
  uint64_t bin_cycles() const {
    return uint64_t{1} << state_.bin_shift;
  }
  // Returns the state of Eviction::Random. For a recorder without stage 1 (is_table()), returns the seed of
  // the hash by which it samples patterns.
  uint32_t random() const {
    return state_.random;
  }
  uint16_t nominal_level() const {
    return nominal_;
  }

  // An entry that is in use, in slot order: computes first, then transfers.
  struct Entry {
    const SketchEntry* entry;
    const TimeBin* bins;  // nullptr for computes
  };
  std::vector<Entry> entries() const;
  const SketchEntry* find(const Pattern& pattern) const;
  std::vector<Episode> episodes() const;

 private:
  friend class SketchCodec;

  struct Bucket {
    uint32_t key = 0;
    uint32_t first = 0;      // ticks
    uint16_t frequency = 0;  // Algorithm 1's counter
    uint16_t seen = 0;       // records averaged in `mean`
    uint16_t mean = 0;       // level
    uint16_t lowest = 0;
  };
  static_assert(sizeof(Bucket) == 16);

  struct State {  // 32 bytes
    uint64_t records = 0;
    uint32_t evictions = 0;
    uint32_t last = 0;  // ticks
    uint32_t slow = 0;
    uint16_t used[2] = {0, 0};  // stage-2 entries: computes, transfers
    uint16_t episodes = 0;
    uint8_t bin_shift = 16;
    uint8_t streak = 0;  // nominal operations since the last slow one
    // State of Eviction::Random; without stage 1 (is_table()) the core number, so that each core samples
    // other patterns.
    uint32_t random = 1;
  };
  static_assert(sizeof(State) == 32);

  struct Sample {
    uint32_t key;
    // Times in ticks.
    uint32_t begin;
    uint32_t end;
    uint16_t level;
    uint64_t work;
  };

  SketchEntry* lookup(uint32_t key);
  void update(SketchEntry& entry, const Sample& sample);
  void stage_one(const Sample& sample);
  void promote(const Bucket& bucket, const Sample& sample);
  SketchEntry& new_entry(uint32_t key);
  uint16_t victim(int list);
  uint16_t capacity(int list) const {
    return list == 0 ? shape_.computes : shape_.transfers;
  }
  // Returns whether the recorder has no stage 1 (no buckets). Each pattern then has an entry from its first
  // record on, and where patterns are more than entries, a bottom-k sample of them is kept.
  bool is_table() const {
    return buckets_.empty();
  }
  uint32_t place_in_sample(uint32_t key) const;
  bool in_sample(uint32_t key) const;
  void note_last_of_sample(int list);
  int unhealthiness(uint16_t slot) const;
  void index_insert(uint32_t key, uint16_t slot);
  void rebuild_index();
  void compute_episode(const Sample& sample);
  void open_episode(const Sample& sample, int above);
  void widen(uint32_t tick);
  TimeBin* bins_of(uint16_t slot);

  SketchShape shape_;
  SketchOptions options_;
  uint16_t nominal_ = 0;  // level of the nominal compute rate
  State state_;
  std::vector<Bucket> buckets_;
  std::vector<SketchEntry> entries_;  // computes, then transfers
  std::vector<TimeBin> bins_;
  std::vector<Episode> episodes_;
  std::vector<uint8_t> index_;                             // open addressing, slot + 1; 0: empty
  uint32_t last_of_sample_[2] = {UINT32_MAX, UINT32_MAX};  // largest hash in each list once it is full
};

}  // namespace lento::chip
