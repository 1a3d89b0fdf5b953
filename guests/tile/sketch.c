/* The recorder of SLOTH (Fail-Slow Sketch) as a tile program: one probe record an input, 40 bytes in IORegs 0..9 as
 * in docs/formats/probe.md. It keeps, bit for bit, the state that chip/sketch/core_sketch.cc keeps; YPU_FINALIZE
 * sends it out in the layout of docs/formats/sketch.md.
 *
 * The first input sets capacities (kind byte 255; struct sketch_parameters in sketch_abi.h). Everything the recorder keeps
 * lies in the first 8 KiB of the scratchpad; every address into it is masked, so no record can lead out of it. */
#include "sketch_number.h"
#include "ypu.h"

#include "sketch_abi.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(1024);
YPU_DROPS_EXPECTED;

enum { WINDOW = SKETCH_WINDOW, INDEX = 512, MOST_SLOTS = SKETCH_MOST_SLOTS, MOST_EPISODES = SKETCH_MOST_EPISODES };
enum { MOST_HASHES = SKETCH_MOST_HASHES };
enum { MOST_PAIRS = WINDOW / 6, MOST_WIDENINGS = 10, SLOW_LEVEL = 29, STEP_LEVEL = 128, LEAST_CYCLES = 64 };
enum { CLOSE_AFTER = 3 };
enum { EARLIEST, HEALTHIEST, LEAST_FREQUENT, RANDOM };

struct state {
  uint32_t records[2], evictions, last, slow;
  uint16_t used[2], episodes;
  uint8_t bin_shift, streak;
  uint32_t random;
};
struct bucket {
  uint32_t key, first;
  uint16_t frequency, seen, mean, lowest;
};
struct entry {
  uint32_t key, count, first, last, mean_work;
  uint16_t mean, lowest;
};
struct episode {
  uint32_t begin, end, count;
  uint16_t mean, peak;
};
struct sample {
  uint32_t key, begin, end, level, work; /* ticks of 256 cycles; work as a float */
};

static uint8_t window[WINDOW] __attribute__((aligned(WINDOW), section(".data")));
static uint8_t slot_index[INDEX]; /* open addressing, slot + 1; 0: empty */
static struct sketch_parameters p;
static uint32_t inferences;
static struct last {
  uint32_t hash, slot;
} last_of_sample[2]; /* without a stage 1: the highest hash of each list once it is full */

#define STATE ((struct state*)window)
#define AT(type, offset) ((type*)((uint32_t)window | ((offset) & (WINDOW - 4))))
#define BYTE(offset) (*(uint8_t*)((uint32_t)window | ((offset) & (WINDOW - 1))))

static struct entry* entry_of(uint32_t slot) {
  return AT(struct entry, p.entries_at + ((slot << 4) + (slot << 3)));
}

static uint32_t bin_offset(uint32_t number) { return p.bins_at + number + (number << 1); }
static uint32_t first_bin(uint32_t slot) { return (slot - p.computes) << p.log_bins; }

/* Slot of a key, or 255. At most 254 slots are in use, so an empty place comes within 255 steps. */
static uint32_t lookup(uint32_t key) {
  uint32_t at = ypu_hash(key, 0x10121);
  uint32_t held = 0, n = 0, found;
  do {
    held = slot_index[at++ & (INDEX - 1)];
    found = (held == 0) | (entry_of(held - 1u)->key == key);
    ypu_opaque(found); /* one branch for both ends, */
    ypu_opaque(n);     /* and a count of its own */
  } while (!found && ++n < 255);
  return held == 0 ? 255 : held - 1u;
}

static void index_insert(uint32_t key, uint32_t slot) {
  uint32_t at = ypu_hash(key, 0x10121);
  for (uint32_t n = 0; n < 255 && slot_index[at & (INDEX - 1)] != 0; ++n, ++at) ypu_opaque(n);
  slot_index[at & (INDEX - 1)] = (uint8_t)(slot + 1);
}

/* Later keys move up into the hole unless their own place lies behind it. */
static void index_erase(uint32_t slot) {
  uint32_t hole = ypu_hash(entry_of(slot)->key, 0x10121);
  for (uint32_t n = 0; n < 255 && slot_index[hole & (INDEX - 1)] != slot + 1; ++n, ++hole) ypu_opaque(n);
  uint32_t at = hole;
  for (uint32_t n = 0; n < 255; ++n) {
    ypu_opaque(n);
    const uint32_t other = slot_index[++at & (INDEX - 1)] - 1u;
    if (other == ~0u) break;
    const uint32_t home = ypu_hash(entry_of(other)->key, 0x10121);
    if (((at - home) & (INDEX - 1)) < ((at - hole) & (INDEX - 1))) continue;
    slot_index[hole & (INDEX - 1)] = (uint8_t)(other + 1);
    hole = at;
  }
  slot_index[hole & (INDEX - 1)] = 0;
}

struct bin {
  uint32_t mean, count, lowest;
};
static struct bin get_bin(uint32_t offset) {
  const uint32_t high = BYTE(offset + 1);
  return (struct bin){BYTE(offset) | (high & 15) << 8, high >> 4, BYTE(offset + 2)};
}
static void set_bin(uint32_t offset, struct bin b) {
  BYTE(offset) = (uint8_t)b.mean;
  BYTE(offset + 1) = (uint8_t)((b.mean >> 8) | b.count << 4);
  BYTE(offset + 2) = (uint8_t)b.lowest;
}

static void add_to_bin(uint32_t offset, uint32_t level) {
  struct bin b = get_bin(offset);
  if (b.count < 15) ++b.count;
  b.mean = b.count == 1 ? level : running_mean(b.mean, level, b.count);
  const uint32_t low = level < 16 ? 1 : level >> 4;
  if (b.lowest == 0 || low < b.lowest) b.lowest = low;
  set_bin(offset, b);
}

static struct bin merged(struct bin a, struct bin b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  const uint32_t n = a.count + b.count;
  a.mean = divide(weighted(a.count, a.mean) + weighted(b.count, b.mean) + (n >> 1), n);
  a.count = n < 15 ? n : 15;
  if (b.lowest < a.lowest) a.lowest = b.lowest;
  return a;
}

/* All bins become twice as wide; the upper half of each entry's row is free again. */
static void widen_once(void) {
  const uint32_t half = (1u << p.log_bins) >> 1, pairs = (uint32_t)p.transfers << p.log_bins >> 1;
  uint32_t to = p.bins_at, from = p.bins_at, in_row = 0;
  const uint32_t row = half + (half << 1);
  for (uint32_t n = 0; n < MOST_PAIRS; ++n) {
    if (n < pairs) {
      const struct bin sum = merged(get_bin(from), get_bin(from + 3));
      set_bin(to, sum);
      /* What was read is cleared, unless the row's lower half is still being written there. */
      if (2 * in_row >= half) set_bin(from, (struct bin){0, 0, 0}), set_bin(from + 3, (struct bin){0, 0, 0});
      from += 6, to += 3;
      if (++in_row == half) in_row = 0, to += row;
    }
  }
  ++STATE->bin_shift;
}

/* Until `tick` falls into a bin; ten doublings at once are the most that one record gets. */
static void widen(uint32_t tick) {
  for (uint32_t n = 0; n < MOST_WIDENINGS; ++n) {
    if ((tick >> ((STATE->bin_shift - 8) & 31)) >> p.log_bins == 0) return;
    widen_once();
  }
}

static __attribute__((noinline)) void update(uint32_t slot, const struct sample* s) {
  struct entry* e = entry_of(slot);
  const uint32_t n = ++e->count, weight = n < 64 ? n : 64;
  if (n == 1) e->first = s->begin, e->lowest = (uint16_t)s->level, e->mean = (uint16_t)s->level;
  if (s->end > e->last) e->last = s->end;
  if (s->level < e->lowest) e->lowest = (uint16_t)s->level;
  e->mean = (uint16_t)running_mean(e->mean, s->level, weight);
  e->mean_work = float_towards(e->mean_work, s->work, weight);
  if (slot < p.computes) return;
  widen(s->begin);
  uint32_t bin = s->begin >> ((STATE->bin_shift - 8) & 31);
  ypu_opaque(bin);
  if (bin >> p.log_bins == 0) add_to_bin(bin_offset(first_bin(slot) + bin), s->level);
}

static int32_t unhealthiness(uint32_t slot) {
  const struct entry* e = entry_of(slot);
  uint32_t worst = e->mean;
  const uint32_t bins = slot < p.computes ? 0 : 1u << p.log_bins;
  uint32_t offset = bin_offset(first_bin(slot));
  for (uint32_t i = 0; i < 64; ++i, offset += 3) {
    if (i < bins) {
      const struct bin b = get_bin(offset);
      if (b.count > 0 && b.mean > worst) worst = b.mean;
    }
  }
  return (int32_t)worst - e->lowest;
}

static uint32_t place(uint32_t key, uint32_t seed) {
  uint32_t x = (key + seed) * 0x85ebca6bu;
  x ^= x >> 15;
  x *= 0xc2b2ae35u;
  return x ^ x >> 16;
}

static uint32_t victim(uint32_t begin, uint32_t count) {
  if (p.eviction == RANDOM) {
    STATE->random = multiply_wide(STATE->random, 1664525u) + 1013904223u;
    return begin + remainder(STATE->random >> 8, count, 24);
  }
  uint32_t best = begin, least = 0;
  for (uint32_t n = 0; n < MOST_SLOTS; ++n) {
    if (n < count) {
      const struct entry* e = entry_of(begin + n);
      const uint32_t rank = p.eviction == EARLIEST         ? e->first
                            : p.eviction == LEAST_FREQUENT ? e->count
                                                           : (uint32_t)unhealthiness(begin + n) + 0x80000000u;
      if (n == 0 || rank < least) best = begin + n, least = rank;
    }
  }
  return best;
}

/* Of transfers four times as large twice as many are kept. */
static uint32_t place_in_sample(uint32_t key) {
  return place(key, p.salt) >> (key >> 17 & 31);
}

/* Of a list that is full: whom the sample holds last. */
static void note_last_of_sample(struct last* last, uint32_t begin, uint32_t count) {
  last->hash = 0;
  for (uint32_t n = 0; n < MOST_SLOTS && n < count; ++n) {
    ypu_opaque(n);
    const uint32_t hash = place_in_sample(entry_of(begin + n)->key);
    if (n == 0 || hash > last->hash) last->hash = hash, last->slot = begin + n;
  }
}

static void clear_row(uint32_t offset) {
  const uint32_t bins = 1u << p.log_bins;
  for (uint32_t i = 0; i < 64; ++i, offset += 3) {
    if (i < bins) set_bin(offset, (struct bin){0, 0, 0});
  }
}

static uint32_t new_entry(uint32_t key) {
  const uint32_t list = (key >> 22 & 3) != 0, begin = list ? p.computes : 0;
  const uint32_t capacity = list ? p.transfers : p.computes;
  uint32_t slot = begin + STATE->used[list];
  if (STATE->used[list] < capacity) {
    ++STATE->used[list];
  } else {
    slot = p.hashes == 0 ? last_of_sample[list].slot : victim(begin, capacity);
    ++STATE->evictions;
    index_erase(slot);
    if (list) clear_row(bin_offset(first_bin(slot)));
  }
  struct entry* e = entry_of(slot);
  e->key = key;
  e->count = e->first = e->last = e->mean_work = 0;
  e->mean = e->lowest = 0;
  index_insert(key, slot);
  if (p.hashes == 0 && STATE->used[list] == capacity)
    note_last_of_sample(&last_of_sample[list], begin, capacity);
  return slot;
}

/* Into an entry: first a bucket's summary, when it saw more than this record, then the record. */
static void store(uint32_t slot, const struct bucket* b, const struct sample* s) {
  if (b->seen > 1) {
    const struct sample before = {s->key, b->first, b->first, b->mean, s->work};
    update(slot, &before);
    entry_of(slot)->count += b->seen - 2u;
    entry_of(slot)->lowest = b->lowest;
  }
  update(slot, s);
}

static void count_in(struct bucket* b, const struct sample* s) {
  const uint16_t level = (uint16_t)s->level;
  if (b->key == s->key) {
    if (b->frequency < 0xffff) ++b->frequency;
    if (b->seen < 0xffff) ++b->seen;
    b->mean = (uint16_t)running_mean(b->mean, level, b->seen < 15 ? b->seen : 15);
    if (level < b->lowest) b->lowest = level;
  } else if (b->key == 0) {
    *b = (struct bucket){s->key, s->begin, 1, 1, level, level};
  } else if (--b->frequency == 0) {
    *b = (struct bucket){0, 0, 0, 0, 0, 0};
  }
}

/* Counts the record in its buckets; the first that is full enough, or one with key 0. */
static struct bucket stage_one(const struct sample* s) {
  struct bucket ripe = {0, 0, 0, 0, 0, 0};
  uint32_t row = sizeof(struct state), seed = 0;
  for (uint32_t i = 0; i < MOST_HASHES; ++i, seed += 0x9e3779b9u, row += (uint32_t)p.buckets << 4) {
    if (i < p.hashes) {
      struct bucket* b = AT(struct bucket, row + ((place(s->key, seed) & (p.buckets - 1u)) << 4));
      count_in(b, s);
      if (b->key == s->key && b->frequency >= p.threshold && ripe.key == 0) {
        ripe = *b;
        if (!p.as_printed) *b = (struct bucket){0, 0, 0, 0, 0, 0};
      }
    }
  }
  return ripe;
}

/* Makes room for an episode: the two neighbours with the least time between them become one. */
static void merge_episodes(void) {
  struct episode* e = AT(struct episode, p.episodes_at);
  uint32_t best = 0, least = 0;
  for (uint32_t i = 0; i + 1 < MOST_EPISODES; ++i) {
    const uint32_t gap = e[i + 1].begin - e[i].end;
    if (i + 1 < p.episodes && (i == 0 || gap < least)) best = i, least = gap;
  }
  struct episode* left = AT(struct episode, p.episodes_at + (best << 4));
  left->mean = (uint16_t)weighted_mean(left->mean, left->count, left[1].mean, left[1].count);
  const uint32_t sum = left->count + left[1].count;
  left->count = sum < left->count ? ~0u : sum;
  left->end = left[1].end;
  if (left[1].peak > left->peak) left->peak = left[1].peak;
  for (uint32_t i = 1; i + 1 < MOST_EPISODES; ++i) {
    if (i > best && i + 1 < p.episodes) e[i] = e[i + 1];
  }
  --STATE->episodes;
}

static void open_episode(const struct sample* s, uint32_t above) {
  if (STATE->episodes == p.episodes) {
    if (p.episodes == 1) {
      struct episode* only = AT(struct episode, p.episodes_at);
      only->end = s->end;
      ++only->count;
      return;
    }
    merge_episodes();
  }
  const uint32_t at = STATE->episodes++;
  *AT(struct episode, p.episodes_at + (at << 4)) =
      (struct episode){s->begin, s->end, 1, (uint16_t)above, (uint16_t)above};
}

static void compute_episode(const struct sample* s) {
  if (p.episodes == 0) return;
  const int32_t above = (int32_t)s->level - p.nominal;
  const int open = STATE->episodes > 0 && STATE->streak < CLOSE_AFTER;
  if (above <= SLOW_LEVEL) {
    if (STATE->streak < CLOSE_AFTER) ++STATE->streak;
    return;
  }
  ++STATE->slow;
  STATE->streak = 0;
  if (!open) return open_episode(s, (uint32_t)above);
  struct episode* e = AT(struct episode, p.episodes_at + ((STATE->episodes - 1u) << 4));
  if (above > (int32_t)e->mean + STEP_LEVEL || above + STEP_LEVEL < (int32_t)e->mean)
    return open_episode(s, (uint32_t)above);
  if (s->end > e->end) e->end = s->end;
  if (e->count < ~0u) ++e->count;
  e->mean = (uint16_t)running_mean(e->mean, (uint32_t)above, e->count < 64 ? e->count : 64);
  if (above > e->peak) e->peak = (uint16_t)above;
}

static void configure(void) {
  uint32_t* to = (uint32_t*)&p;
  for (uint32_t i = 0; i < 9; ++i) to[i] = ypu_io(i);
  p.log_bins &= 7;
  STATE->bin_shift = p.bin_shift;
  STATE->random = p.random;
  last_of_sample[0].hash = last_of_sample[1].hash = ~0u;
}

static void insert(void) {
  const struct wide begin = {ypu_io(0), ypu_io(1)}, end = {ypu_io(2), ypu_io(3)}, work = {ypu_io(4), ypu_io(5)};
  const uint32_t kind = ypu_io(9) & 3, octave = top_bit(work) & ~(uint32_t)p.coarse;
  const struct wide took = greater(end, begin) ? minus(end, begin) : (struct wide){1, 0};
  int32_t level = log2_of(took) - log2_of(work) + (kind == 0 ? 14 : 7) * 256;
  level = level < 1 ? 1 : level > 4095 ? 4095 : level;
  const uint32_t subject = kind == 0 ? ypu_io(6) & 0xffff : octave << 16 | ypu_io(8) >> 16;
  const struct sample s = {1u << 31 | kind << 22 | subject, ticks(begin), ticks(end), (uint32_t)level,
                           float_of(work)};
  if (++STATE->records[0] == 0) ++STATE->records[1];
  if (s.end > STATE->last) STATE->last = s.end;
  if (ypu_io(7) >= inferences) inferences = ypu_io(7) + 1;
  if (kind == 0 && !greater(begin, end) && (took.high != 0 || took.low >= LEAST_CYCLES)) compute_episode(&s);
  struct bucket ripe = {0, 0, 0, 0, 0, 0};
  uint32_t slot = lookup(s.key);
  if (slot == 255 && place_in_sample(s.key) > last_of_sample[kind != 0].hash) return;
  if (p.hashes != 0 && (slot == 255 || p.as_printed)) ripe = stage_one(&s);
  if (slot != 255) {
    ripe.seen = 0;
  } else {
    if (p.hashes != 0 && ripe.key == 0) return;
    slot = new_entry(s.key);
  }
  store(slot, &ripe, &s);
}

YPU_MAIN {
  if ((ypu_io(9) & 255) == SKETCH_CONFIGURE) return configure();
  insert();
}

static __attribute__((noinline)) void send(void) {
  ypu_put32(inferences);
  for (uint32_t at = 0; at < WINDOW; at += 4) {
    if (at < p.end) ypu_put32(*AT(uint32_t, at));
  }
}
YPU_FINISH { send(); }
