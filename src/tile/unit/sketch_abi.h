/* The interface between the recorder's program (guests/tile/sketch.c) and its input, in C for both. Records
 * are 40 bytes in IORegs 0 to 9 (docs/formats/probe.md); the first input has SKETCH_CONFIGURE for a kind and
 * holds the capacities. */
#ifndef LENTO_TILE_UNIT_SKETCH_ABI_H_
#define LENTO_TILE_UNIT_SKETCH_ABI_H_

enum {
  SKETCH_WINDOW = 0x2000, /* bytes of state */
  SKETCH_CONFIGURE = 255,
  SKETCH_MOST_SLOTS = 127,
  SKETCH_MOST_EPISODES = 8,
  SKETCH_MOST_HASHES = 4,
  SKETCH_MOST_BINS = 64,
  SKETCH_STATE_BYTES = 32, /* of the state's head; buckets follow */
  SKETCH_BUCKET_BYTES = 16,
  SKETCH_ENTRY_BYTES = 24,
  SKETCH_BIN_BYTES = 3,
  SKETCH_EPISODE_BYTES = 16
};

struct sketch_parameters {
  uint16_t hashes;
  uint16_t buckets;
  uint16_t computes;
  uint16_t transfers;
  uint16_t entries_at;
  uint16_t bins_at;
  uint16_t episodes_at;
  uint16_t end;
  uint8_t log_bins, episodes, bin_shift, coarse; /* coarse: 1 when a pattern spans two octaves */
  uint32_t threshold;
  uint8_t eviction;
  uint8_t as_printed;
  uint16_t nominal;
  uint32_t random;
  uint32_t salt; /* of a sample, follows from `random`: the tile has no multiplier */
  uint32_t kind; /* SKETCH_CONFIGURE in the low byte */
};

#endif
