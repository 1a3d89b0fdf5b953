// Implements the recorder of one core: the two stages of SLOTH's Fail-Slow Sketch, the time bins, and the
// episodes of slow computing. Arithmetic is that of hardware: levels in 1/256 octave, reciprocals from a
// table in place of divisions. core_sketch.h states the departures from Algorithm 1. Cost: constant per
// insertion, apart from evictions and doublings of the bins.
#include "chip/sketch/core_sketch.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/error.h"
#include "chip/sketch/level.h"

namespace lento::chip {
namespace {

constexpr int kMeanWeight = 15;  // number of records over which a bin's mean averages once its count is full

// An operation is slow when it takes more than 8 % longer than nominal: five standard deviations of the rate
// of a core by default (1.52 %).
constexpr int kSlowLevel = 29;  // log2(1.08) * 256
// A change of level within an episode that ends it and begins another: half an octave. It is a factor of
// 1.41, less than the smallest one that must always be detected (1.5), and three standard deviations of a
// core whose rate varies by 10 %.
constexpr int kStepLevel = 128;
// Standard deviations of a core's rate that nearly all healthy operations stay within: 3 of a million do
// not.
constexpr double kQuiet = 4.5;
// Number of successive operations, at most kSlowLevel above the nominal level each, that close an episode.
constexpr int kCloseAfter = 3;

// Returns a hash of the key, another one for each `which`.
uint32_t mix(uint32_t key, uint32_t which) {
  uint32_t x = (key + which * 0x9e3779b9u) * 0x85ebca6bu;
  x ^= x >> 15;
  x *= 0xc2b2ae35u;
  return x ^ x >> 16;
}

// Returns the start position of a key in the hash index, before masking.
uint32_t index_hash(uint32_t key) {
  return (key * 0x9e3779b1u) >> 20;
}

// Returns the list of a key: computes are held in one list, transfers in another.
int list_of(uint32_t key) {
  return Pattern::unpack(key).kind == ProbeKind::Compute ? 0 : 1;
}

uint32_t ticks(uint64_t cycles) {
  return uint32_t(std::min<uint64_t>(cycles >> kTickShift, UINT32_MAX));
}

// 65536 / weight, rounded: a multiplication in place of a division, as hardware would do it.
constexpr std::array<int, 65> kReciprocal = [] {
  std::array<int, 65> table{};
  for (int w = 1; w <= 64; ++w)
    table[size_t(w)] = (65536 + w / 2) / w;
  return table;
}();

// Moves `mean` towards `level` by 1/weight of the way. The weight is 1 to 64.
int running_mean(int mean, int level, int weight) {
  return mean + (((level - mean) * kReciprocal[size_t(weight)] + 32768) >> 16);
}

uint32_t index_size(const SketchShape& shape) {
  return std::bit_ceil(2u * (shape.computes + shape.transfers) + 2u);
}

}  // namespace

double recorder_rate(double ops_per_cycle, double rate_deviation) {
  const double needed = std::exp2(double{kSlowLevel} / kLevelsPerOctave);
  return ops_per_cycle * std::min(1.0, needed * quiet_share(rate_deviation));
}

double quiet_share(double rate_deviation) {
  return std::max(kLeastShare, 1 - kQuiet * rate_deviation);
}

uint32_t SketchShape::bytes() const {
  return 32 + hashes * buckets * 16u + (computes + transfers) * uint32_t(sizeof(SketchEntry)) +
         transfers * bins * uint32_t(sizeof(TimeBin)) + episodes * uint32_t(sizeof(Episode)) +
         index_size(*this);
}

// Returns the pattern of a record: kind, size as a power of two, and layer or peer.
Pattern pattern_of(const ProbeRecord& r, unsigned octaves) {
  if (r.kind == ProbeKind::Compute)
    return {r.kind, 0, uint16_t(r.layer)};
  const auto octave = unsigned(63 - std::countl_zero(r.work | 1));
  return {r.kind, uint8_t(octave - octave % octaves), r.peer};
}

void TimeBin::add(int level) {
  const int n = std::min(count() + 1, kMeanWeight);
  set(n == 1 ? level : running_mean(mean(), level, n), n);
  const auto low = uint8_t(std::max(level / 16, 1));
  lowest = lowest == 0 ? low : std::min(lowest, low);
}

// Merges another time bin into this one: count, mean and lowest level.
void TimeBin::merge(const TimeBin& other) {
  if (other.count() == 0)
    return;
  if (count() == 0) {
    *this = other;
    return;
  }
  const int n = count() + other.count();
  set((mean() * count() + other.mean() * other.count() + n / 2) / n, std::min(n, kMeanWeight));
  lowest = std::min(lowest, other.lowest);
}

CoreSketch::CoreSketch(const SketchShape& shape, const SketchOptions& options, uint32_t core)
    : shape_(shape),
      options_(options) {
  LENTO_CHECK(shape.bytes() <= options.budget_bytes, "a recorder would outgrow its memory budget");
  LENTO_CHECK(shape.octaves >= 1, "a pattern spans at least one octave of sizes");
  LENTO_CHECK(shape.computes >= 1 && shape.transfers >= 1, "stage 2 needs room for a pattern of each kind");
  LENTO_CHECK(shape.computes + shape.transfers <= 254, "an index byte cannot name that many patterns");
  LENTO_CHECK(shape.buckets == 0 || std::has_single_bit(unsigned{shape.buckets}), "buckets: a power of two");
  LENTO_CHECK(std::has_single_bit(unsigned{shape.bins}) && shape.bins >= 2, "bins: a power of two");
  nominal_ = uint16_t(compute_level(options.ops_per_cycle));
  state_.bin_shift =
      uint8_t(std::max<int>(kTickShift, int(std::bit_width(std::max<uint64_t>(options.bin_cycles, 1))) - 1));
  state_.random = shape.hashes == 0 ? core : 1;
  buckets_.resize(size_t{shape.hashes} * shape.buckets);
  entries_.resize(shape.computes + shape.transfers);
  bins_.resize(size_t{shape.transfers} * shape.bins);
  episodes_.resize(shape.episodes);
  index_.resize(index_size(shape));
}

// Adds a record to the sketch of its core.
void CoreSketch::insert(const ProbeRecord& r) {
  const int level = level_of(r.kind, r.end > r.begin ? r.end - r.begin : 1, r.work);
  const Sample sample{
      pattern_of(r, shape_.octaves).packed(),
      ticks(r.begin),
      ticks(r.end),
      uint16_t(level),
      r.work};
  ++state_.records;
  state_.last = std::max(state_.last, sample.end);
  if (r.kind == ProbeKind::Compute && r.end >= r.begin + kLeastCycles)
    compute_episode(sample);
  if (SketchEntry* entry = lookup(sample.key)) {
    update(*entry, sample);
    if (!options_.as_printed)
      return;
  }
  if (is_table()) {
    if (lookup(sample.key) == nullptr && in_sample(sample.key))
      update(new_entry(sample.key), sample);
    return;
  }
  stage_one(sample);
}

// Counts a pattern in the buckets of stage 1. At its SketchOptions::threshold-th count it gets an entry in
// stage 2.
void CoreSketch::stage_one(const Sample& sample) {
  bool promoted = false;
  for (uint32_t i = 0; i < shape_.hashes; ++i) {
    Bucket& b = buckets_[i * shape_.buckets + (mix(sample.key, i) & (shape_.buckets - 1u))];
    if (b.key == sample.key) {
      b.frequency = uint16_t(std::min(b.frequency + 1, 0xffff));
      b.seen = uint16_t(std::min(b.seen + 1, 0xffff));
      b.mean = uint16_t(running_mean(b.mean, sample.level, std::min<int>(b.seen, kMeanWeight)));
      b.lowest = std::min(b.lowest, sample.level);
    } else if (b.key == 0) {
      b = {sample.key, sample.begin, 1, 1, sample.level, sample.level};
    } else if (--b.frequency == 0) {
      b = {};
    }
    if (b.key != sample.key || b.frequency < options_.threshold || promoted)
      continue;
    promoted = true;
    if (lookup(sample.key) == nullptr)
      promote(b, sample);
    if (!options_.as_printed)
      b = {};
  }
}

// Makes an entry from a bucket and the sample that filled it. The earlier records of the bucket count as a
// single one in the time bins, at the time of the first of them.
void CoreSketch::promote(const Bucket& bucket, const Sample& sample) {
  SketchEntry& entry = new_entry(sample.key);
  if (bucket.seen > 1) {
    Sample before = sample;
    before.begin = bucket.first;
    before.end = bucket.first;
    before.level = bucket.mean;
    update(entry, before);
    entry.count += bucket.seen - 2u;
    entry.lowest = bucket.lowest;
  }
  update(entry, sample);
}

// Updates the stage-2 entry of a pattern with a sample.
void CoreSketch::update(SketchEntry& entry, const Sample& sample) {
  const uint32_t n = ++entry.count;
  if (n == 1) {
    entry.first = sample.begin;
    entry.lowest = sample.level;
    entry.mean = sample.level;
  }
  entry.last = std::max(entry.last, sample.end);
  entry.lowest = std::min(entry.lowest, sample.level);
  const int weight = int(std::min<uint32_t>(n, 64));
  entry.mean = uint16_t(running_mean(entry.mean, sample.level, weight));
  entry.mean_work += (float(sample.work) - entry.mean_work) * (float(kReciprocal[size_t(weight)]) / 65536);
  const auto slot = uint16_t(&entry - entries_.data());
  if (slot < shape_.computes)
    return;
  widen(sample.begin);
  bins_of(slot)[sample.begin >> (state_.bin_shift - kTickShift)].add(sample.level);
}

// Doubles the width of all time bins until `tick` lies in one of them.
void CoreSketch::widen(uint32_t tick) {
  while ((tick >> (state_.bin_shift - kTickShift)) >= shape_.bins) {
    for (size_t base = 0; base < bins_.size(); base += shape_.bins) {
      for (size_t i = 0; i < shape_.bins; ++i) {
        TimeBin merged;
        if (2 * i < shape_.bins) {
          merged = bins_[base + 2 * i];
          merged.merge(bins_[base + 2 * i + 1]);
        }
        bins_[base + i] = merged;
      }
    }
    ++state_.bin_shift;
  }
}

TimeBin* CoreSketch::bins_of(uint16_t slot) {
  return bins_.data() + size_t{slot} * shape_.bins - size_t{shape_.computes} * shape_.bins;
}

// Returns the stage-2 entry of a pattern, or nullptr.
SketchEntry* CoreSketch::lookup(uint32_t key) {
  const uint32_t mask = uint32_t(index_.size()) - 1;
  for (uint32_t i = index_hash(key) & mask; index_[i] != 0; i = (i + 1) & mask) {
    SketchEntry& entry = entries_[index_[i] - 1u];
    if (entry.key == key)
      return &entry;
  }
  return nullptr;
}

void CoreSketch::index_insert(uint32_t key, uint16_t slot) {
  const uint32_t mask = uint32_t(index_.size()) - 1;
  uint32_t i = index_hash(key) & mask;
  while (index_[i] != 0)
    i = (i + 1) & mask;
  index_[i] = uint8_t(slot + 1);
}

void CoreSketch::rebuild_index() {
  std::ranges::fill(index_, uint8_t{0});
  for (uint16_t slot = 0; slot < entries_.size(); ++slot)
    if (entries_[slot].key != 0)
      index_insert(entries_[slot].key, slot);
}

// Returns an empty entry for a new pattern, if all are in use in place of that of victim().
SketchEntry& CoreSketch::new_entry(uint32_t key) {
  const int list = list_of(key);
  const uint16_t base = list == 0 ? 0 : shape_.computes;
  const bool full = state_.used[list] == capacity(list);
  const uint16_t slot = full ? victim(list) : uint16_t(base + state_.used[list]++);
  if (full) {
    ++state_.evictions;
    if (list == 1)
      std::fill_n(bins_of(slot), shape_.bins, TimeBin{});
  }
  entries_[slot] = {};
  entries_[slot].key = key;
  if (full)
    rebuild_index();
  else
    index_insert(key, slot);
  note_last_of_sample(list);
  return entries_[slot];
}

// Returns the rank of a pattern's key in the sample of kept patterns, of which the lowest ranks are kept.
// Patterns of transfers that are four times as large are kept twice as often: they show the delay of a slow
// server more clearly, and those that stream weights are few and the largest.
uint32_t CoreSketch::place_in_sample(uint32_t key) const {
  return mix(key, state_.random) >> Pattern::unpack(key).octave / 2;
}

bool CoreSketch::in_sample(uint32_t key) const {
  return place_in_sample(key) <= last_of_sample_[list_of(key)];
}

void CoreSketch::note_last_of_sample(int list) {
  if (is_table() && state_.used[list] == capacity(list))
    last_of_sample_[list] = place_in_sample(entries_[victim(list)].key);
}

// Returns the mean level of the slowest time bin of a pattern less the lowest level of the pattern, in 1/256
// octave. For a compute pattern, which has no bins, returns its mean level less its lowest.
int CoreSketch::unhealthiness(uint16_t slot) const {
  const SketchEntry& entry = entries_[slot];
  int worst = entry.mean;
  if (slot >= shape_.computes) {
    const TimeBin* bins = bins_.data() + size_t{slot} * shape_.bins - size_t{shape_.computes} * shape_.bins;
    for (int i = 0; i < shape_.bins; ++i)
      if (bins[i].count() > 0)
        worst = std::max(worst, bins[i].mean());
  }
  return worst - entry.lowest;
}

// Returns the slot of the entry in a list that is replaced next. The eviction policy decides, or without
// stage 1 (is_table()) the entry with the highest place_in_sample().
uint16_t CoreSketch::victim(int list) {
  const uint16_t begin = list == 0 ? 0 : shape_.computes;
  const uint16_t end = uint16_t(begin + state_.used[list]);
  if (options_.eviction == Eviction::Random && !is_table()) {
    state_.random = state_.random * 1664525u + 1013904223u;
    return uint16_t(begin + (state_.random >> 8) % (end - begin));
  }
  const auto rank = [&](uint16_t slot) -> int64_t {
    if (is_table())
      return -int64_t{place_in_sample(entries_[slot].key)};
    if (options_.eviction == Eviction::Earliest)
      return entries_[slot].first;
    if (options_.eviction == Eviction::LeastFrequent)
      return entries_[slot].count;
    return unhealthiness(slot);
  };
  uint16_t best = begin;
  for (uint16_t slot = begin; slot < end; ++slot)
    if (rank(slot) < rank(best))
      best = slot;
  return best;
}

// Extends the current stretch of slow computations, or opens or closes one.
void CoreSketch::compute_episode(const Sample& sample) {
  if (shape_.episodes == 0)
    return;
  const int above = sample.level - nominal_;
  const bool open = state_.episodes > 0 && state_.streak < kCloseAfter;
  if (above <= kSlowLevel) {
    if (state_.streak < kCloseAfter)
      ++state_.streak;
    return;
  }
  ++state_.slow;
  state_.streak = 0;
  if (!open) {
    open_episode(sample, above);
    return;
  }
  Episode& last = episodes_[state_.episodes - 1u];
  if (above > last.mean + kStepLevel || above + kStepLevel < last.mean) {
    open_episode(sample, above);
    return;
  }
  last.end = std::max(last.end, sample.end);
  last.count = std::min(last.count, UINT32_MAX - 1) + 1;
  last.mean = uint16_t(running_mean(last.mean, above, int(std::min(last.count, 64u))));
  last.peak = std::max(last.peak, uint16_t(above));
}

// Opens an episode. When there is no room, the two neighbours with the least time between them are joined.
void CoreSketch::open_episode(const Sample& sample, int above) {
  if (state_.episodes == shape_.episodes) {
    if (shape_.episodes == 1) {
      episodes_[0].end = sample.end;
      ++episodes_[0].count;
      return;
    }
    size_t best = 0;
    for (size_t i = 0; i + 1 < shape_.episodes; ++i)
      if (episodes_[i + 1].begin - episodes_[i].end < episodes_[best + 1].begin - episodes_[best].end)
        best = i;
    Episode& left = episodes_[best];
    const Episode& right = episodes_[best + 1];
    const uint64_t total = uint64_t{left.count} + right.count;
    left.mean = uint16_t((uint64_t{left.mean} * left.count + uint64_t{right.mean} * right.count) / total);
    left.count = uint32_t(std::min<uint64_t>(total, UINT32_MAX));
    left.end = right.end;
    left.peak = std::max(left.peak, right.peak);
    episodes_.erase(episodes_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    episodes_.emplace_back();
    --state_.episodes;
  }
  episodes_[state_.episodes++] = {sample.begin, sample.end, 1, uint16_t(above), uint16_t(above)};
}

// Returns the stage-2 entries in use, with the time bins of those of transfers.
std::vector<CoreSketch::Entry> CoreSketch::entries() const {
  std::vector<Entry> out;
  for (uint16_t i = 0; i < state_.used[0]; ++i)
    out.push_back({&entries_[i], nullptr});
  for (uint16_t i = 0; i < state_.used[1]; ++i)
    out.push_back({&entries_[shape_.computes + i], bins_.data() + size_t{i} * shape_.bins});
  return out;
}

const SketchEntry* CoreSketch::find(const Pattern& pattern) const {
  return const_cast<CoreSketch*>(this)->lookup(pattern.packed());
}

std::vector<Episode> CoreSketch::episodes() const {
  return {episodes_.begin(), episodes_.begin() + state_.episodes};
}

}  // namespace lento::chip
