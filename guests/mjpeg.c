/* A parallel Motion-JPEG decoder: the block device holds JPEG files one after another (baseline Huffman,
 * grey or YCbCr with sampling 1 or 2, a restart marker after every row of blocks as `cjpeg -restart 1` makes
 * them). A row of blocks is the unit of work: threads take (frame, row) from a shared counter.
 * The result equals `djpeg -dct int -nosmooth` byte for byte.
 * Sources: ITU-T T.81; the integer IDCT is the 13-bit Loeffler, Ligtenberg, Moschytz algorithm (ICASSP 1989)
 * with two extra bits after the first pass. */
#include "lento.h"

enum { kMaxFrames = 256, kMaxComponents = 3, kMaxWidth = 1024, kLookBits = 8 };

typedef struct {
  uint8_t look_size[1 << kLookBits], look_value[1 << kLookBits]; /* codes of up to kLookBits bits; size 0: longer */
  int32_t max_code[18];                                          /* largest code of each length, -1: none */
  int32_t offset[17];                                            /* values index = code + offset[length] */
  uint8_t values[256];
} huffman_t;

typedef struct {
  uint8_t id, h, v, quant, dc, ac;
} component_t;

typedef struct {
  const uint8_t *begin, *end;
  uint32_t width, height, components, rows, mcus, h, v; /* h, v: largest sampling factors */
  component_t component[kMaxComponents];
  uint16_t quant[4][64];
  huffman_t dc[2], ac[2];
  const uint8_t** row_begin;
  uint8_t* pixels;
} frame_t;

static const uint8_t zigzag[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
                                   41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
                                   30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

static frame_t* frames[kMaxFrames];
static uint32_t frame_count;
static LENTO_ALIGNED volatile uint32_t next_frame, next_row;
static LENTO_ALIGNED barrier_t prepared;

static unsigned word(const uint8_t* at) { return (unsigned)at[0] << 8 | at[1]; }

static void fail(const char* what) {
  print("mjpeg: ");
  print(what);
  print("\n");
  guest_exit(2);
}

/* --- headers --- */

static void build_table(huffman_t* t, const uint8_t* counts, const uint8_t* values, unsigned total) {
  memcpy(t->values, values, total);
  memset(t->look_size, 0, sizeof t->look_size);
  int32_t code = 0;
  unsigned index = 0;
  for (int length = 1; length <= 16; ++length) {
    t->offset[length] = (int32_t)index - code;
    for (unsigned i = 0; i < counts[length - 1]; ++i, ++index, ++code) {
      if (length > kLookBits) continue;
      const unsigned first = (unsigned)code << (kLookBits - length);
      for (unsigned j = 0; j < 1u << (kLookBits - length) && first + j < 1u << kLookBits; ++j) {
        t->look_size[first + j] = (uint8_t)length;
        t->look_value[first + j] = values[index];
      }
    }
    t->max_code[length] = counts[length - 1] ? code - 1 : -1;
    code <<= 1;
  }
  t->max_code[17] = 0x7fffffff;
}

static void read_huffman(frame_t* f, const uint8_t* at, const uint8_t* end) {
  while (at + 17 <= end) {
    const unsigned where = at[0];
    unsigned total = 0;
    for (int i = 1; i <= 16; ++i) total += at[i];
    if (total > 256 || at + 17 + total > end || (where & 15) > 1 || where >> 4 > 1) fail("a bad Huffman table");
    build_table(where >> 4 ? &f->ac[where & 1] : &f->dc[where & 1], at + 1, at + 17, total);
    at += 17 + total;
  }
}

static void read_quantisation(frame_t* f, const uint8_t* at, const uint8_t* end) {
  while (at + 65 <= end) {
    const unsigned wide = at[0] >> 4, table = at[0] & 3;
    ++at;
    if (at + (wide ? 128 : 64) > end) fail("a bad quantisation table");
    for (int i = 0; i < 64; ++i, at += wide ? 2 : 1) f->quant[table][zigzag[i]] = (uint16_t)(wide ? word(at) : at[0]);
  }
}

static void read_frame_header(frame_t* f, const uint8_t* at, const uint8_t* end) {
  if (at + 6 > end || at[0] != 8) fail("not 8 bits a sample");
  f->height = word(at + 1), f->width = word(at + 3), f->components = at[5];
  if ((f->components != 1 && f->components != 3) || at + 6 + 3 * f->components > end) fail("neither grey nor YCbCr");
  if (f->width == 0 || f->height == 0 || f->width > kMaxWidth) fail("a size out of range");
  f->h = f->v = 1;
  for (unsigned i = 0; i < f->components; ++i) {
    component_t* c = &f->component[i];
    const uint8_t* from = at + 6 + 3 * i;
    c->id = from[0], c->h = from[1] >> 4, c->v = from[1] & 15, c->quant = from[2] & 3;
    if (f->components == 1) c->h = c->v = 1;
    if (c->h < 1 || c->h > 2 || c->v < 1 || c->v > 2 || (i > 0 && (c->h != 1 || c->v != 1))) fail("a sampling factor not supported");
    if (c->h > f->h) f->h = c->h;
    if (c->v > f->v) f->v = c->v;
  }
  f->mcus = (f->width + 8 * f->h - 1) / (8 * f->h);
  f->rows = (f->height + 8 * f->v - 1) / (8 * f->v);
}

/* Returns where the coded rows begin. */
static const uint8_t* read_headers(frame_t* f) {
  const uint8_t* at = f->begin + 2;
  while (at + 4 <= f->end) {
    if (at[0] != 0xff) fail("a marker is missing");
    const unsigned marker = at[1], length = word(at + 2);
    const uint8_t *body = at + 4, *end = at + 2 + length;
    if (length < 2 || end > f->end) fail("a segment is cut off");
    if (marker == 0xdb) read_quantisation(f, body, end);
    if (marker == 0xc4) read_huffman(f, body, end);
    if (marker == 0xc0) read_frame_header(f, body, end);
    if (marker == 0xc1 || marker == 0xc2) fail("not baseline");
    if (marker == 0xdd && (f->width == 0 || word(body) != f->mcus)) fail("restart markers are not one a row of blocks");
    if (marker == 0xda) {
      if (f->width == 0 || body[0] != f->components) fail("scans of single components are not supported");
      for (unsigned i = 0; i < f->components; ++i) f->component[i].dc = body[2 + 2 * i] >> 4 & 1, f->component[i].ac = body[2 + 2 * i] & 1;
      return end;
    }
    at = end;
  }
  fail("no picture data");
  return 0;
}

/* Where each row begins: behind the restart markers. */
static void find_rows(frame_t* f, const uint8_t* at) {
  uint32_t row = 0;
  f->row_begin[row++] = at;
  for (; at + 1 < f->end && row < f->rows; ++at) {
    if (at[0] == 0xff && (at[1] & 0xf8) == 0xd0) f->row_begin[row++] = at + 2;
  }
  if (row != f->rows) fail("restart markers are missing: use cjpeg -restart 1");
}

/* --- entropy decoding --- */

typedef struct {
  const uint8_t *at, *end;
  uint32_t bits;
  int count;
} reader_t;

static void refill(reader_t* r) {
  const uint8_t* at = r->at;
  uint32_t bits = r->bits;
  int count = r->count;
  for (; count <= 24; count += 8) {
    unsigned byte = 0;
    if (at < r->end) {
      byte = *at;
      if (byte == 0xff && at + 1 < r->end && at[1] != 0) {
        byte = 0; /* a marker: the row ends here */
      } else {
        at += byte == 0xff ? 2 : 1;
      }
    }
    bits |= byte << (24 - count);
  }
  r->at = at, r->bits = bits, r->count = count;
}

static inline unsigned take(reader_t* r, int count) {
  if (r->count < count) refill(r);
  const unsigned value = r->bits >> (32 - count);
  r->bits <<= count, r->count -= count;
  return value;
}

static unsigned huffman_decode(reader_t* r, const huffman_t* t) {
  if (r->count < 16) refill(r);
  const unsigned look = r->bits >> (32 - kLookBits);
  int length = t->look_size[look];
  if (length) {
    r->bits <<= length, r->count -= length;
    return t->look_value[look];
  }
  length = kLookBits + 1;
  while (length <= 16 && (int32_t)(r->bits >> (32 - length)) > t->max_code[length]) ++length;
  if (length > 16) return 0; /* damaged: zero, as djpeg does */
  const int32_t code = (int32_t)(r->bits >> (32 - length));
  r->bits <<= length, r->count -= length;
  return t->values[(code + t->offset[length]) & 255];
}

static inline int32_t extend(unsigned value, int size) {
  return value < 1u << (size - 1) ? (int32_t)value - (1 << size) + 1 : (int32_t)value;
}

static void decode_block(reader_t* r, const frame_t* f, const component_t* c, int32_t* last_dc, int16_t* block) {
  const uint16_t* quant = f->quant[c->quant];
  int size = (int)huffman_decode(r, &f->dc[c->dc]) & 15;
  if (size) *last_dc += extend(take(r, size), size);
  block[0] = (int16_t)(*last_dc * quant[0]);
  for (int k = 1; k < 64; ++k) {
    const unsigned symbol = huffman_decode(r, &f->ac[c->ac]);
    size = symbol & 15;
    k += symbol >> 4;
    if (size == 0) {
      if (symbol != 0xf0) break;
      continue;
    }
    const int32_t value = extend(take(r, size), size);
    if (k < 64) block[zigzag[k]] = (int16_t)(value * quant[zigzag[k]]);
  }
}

/* --- inverse transform --- */

#define FIX_0_298631336 2446
#define FIX_0_390180644 3196
#define FIX_0_541196100 4433
#define FIX_0_765366865 6270
#define FIX_0_899976223 7373
#define FIX_1_175875602 9633
#define FIX_1_501321110 12299
#define FIX_1_847759065 15137
#define FIX_1_961570560 16069
#define FIX_2_053119869 16819
#define FIX_2_562915447 20995
#define FIX_3_072711026 25172

static inline int32_t descale(int32_t value, int bits) { return (value + (1 << (bits - 1))) >> bits; }
static inline uint8_t clamp(int32_t value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

/* One 8-point transform; the results are even[i] +- odd[i], not yet scaled down. */
static inline __attribute__((always_inline)) void transform(const int32_t in[8], int32_t even[4], int32_t odd[4]) {
  const int32_t z1 = (in[2] + in[6]) * FIX_0_541196100;
  const int32_t t2 = z1 - in[6] * FIX_1_847759065, t3 = z1 + in[2] * FIX_0_765366865;
  const int32_t t0 = (int32_t)((uint32_t)(in[0] + in[4]) << 13), t1 = (int32_t)((uint32_t)(in[0] - in[4]) << 13);
  even[0] = t0 + t3, even[3] = t0 - t3, even[1] = t1 + t2, even[2] = t1 - t2;
  const int32_t z5 = (in[7] + in[3] + in[5] + in[1]) * FIX_1_175875602;
  const int32_t a = (in[7] + in[1]) * -FIX_0_899976223, b = (in[5] + in[3]) * -FIX_2_562915447;
  const int32_t c = (in[7] + in[3]) * -FIX_1_961570560 + z5, d = (in[5] + in[1]) * -FIX_0_390180644 + z5;
  odd[3] = in[7] * FIX_0_298631336 + a + c, odd[2] = in[5] * FIX_2_053119869 + b + d;
  odd[1] = in[3] * FIX_3_072711026 + b + c, odd[0] = in[1] * FIX_1_501321110 + a + d;
}

static __attribute__((noinline)) void idct(const int16_t* block, uint8_t* out, unsigned stride) {
  int32_t work[64], even[4], odd[4];
  for (int column = 0; column < 8; ++column) {
    const int16_t* from = block + column;
    const int32_t in[8] = {from[0], from[8], from[16], from[24], from[32], from[40], from[48], from[56]};
    transform(in, even, odd);
    for (int i = 0; i < 4; ++i) {
      work[8 * i + column] = descale(even[i] + odd[i], 11);
      work[8 * (7 - i) + column] = descale(even[i] - odd[i], 11);
    }
  }
  for (int row = 0; row < 8; ++row, out += stride) {
    transform(work + 8 * row, even, odd);
    uint32_t left = 0, right = 0; /* whole words: the write buffer takes a word as fast as a byte */
    for (int i = 0; i < 4; ++i) {
      left |= (uint32_t)clamp(descale(even[i] + odd[i], 18) + 128) << (8 * i);
      right |= (uint32_t)clamp(descale(even[i] - odd[i], 18) + 128) << (24 - 8 * i);
    }
    ((uint32_t*)out)[0] = left, ((uint32_t*)out)[1] = right;
  }
}

/* --- a row of blocks --- */

typedef struct {
  uint8_t* plane[kMaxComponents]; /* one row of blocks of each component */
  uint8_t* chroma[2];             /* one line of chrominance at full width */
  uint8_t* line;                  /* one finished line of pixels */
} scratch_t;

static void decode_planes(const frame_t* f, uint32_t row, scratch_t* s) {
  reader_t reader = {f->row_begin[row], f->end, 0, 0};
  int32_t last_dc[kMaxComponents] = {0, 0, 0};
  LENTO_ALIGNED int16_t block[64];
  for (uint32_t mcu = 0; mcu < f->mcus; ++mcu) {
    for (unsigned i = 0; i < f->components; ++i) {
      const component_t* c = &f->component[i];
      const unsigned stride = f->mcus * 8 * c->h;
      for (unsigned y = 0; y < c->v; ++y) {
        for (unsigned x = 0; x < c->h; ++x) {
          memset(block, 0, sizeof block);
          decode_block(&reader, f, c, &last_dc[i], block);
          idct(block, s->plane[i] + 8 * y * stride + 8 * (mcu * c->h + x), stride);
        }
      }
    }
  }
}

/* YCbCr to RGB with 16 fractional bits, by table; chrominance is repeated, not smoothed. */
static int32_t red_of_cr[256], green_of_cr[256], green_of_cb[256], blue_of_cb[256];

static void build_colour_tables(void) {
  for (int i = 0; i < 256; ++i) {
    const int32_t x = i - 128;
    red_of_cr[i] = (91881 * x + 32768) >> 16;
    blue_of_cb[i] = (116130 * x + 32768) >> 16;
    green_of_cr[i] = -46802 * x + 32768;
    green_of_cb[i] = -22554 * x;
  }
}

/* One line of chrominance at full width. */
static const uint8_t* upsample(const frame_t* f, const uint8_t* from, uint8_t* to) {
  if (f->h == 1) return from;
  for (unsigned x = 0; x < f->width; x += 2, to += 2) to[0] = to[1] = *from++;
  return to - ((f->width + 1) & ~1u);
}

static void convert_line(const frame_t* f, unsigned y, const scratch_t* s) {
  const unsigned stride = f->mcus * 8 * f->component[0].h, chroma = (y >> (f->v - 1)) * f->mcus * 8;
  const uint8_t *luma = s->plane[0] + y * stride;
  const uint8_t *cb = upsample(f, s->plane[1] + chroma, s->chroma[0]), *cr = upsample(f, s->plane[2] + chroma, s->chroma[1]);
  uint8_t* out = s->line;
  for (unsigned x = 0; x < f->width; ++x) {
    const int32_t v = luma[x];
    *out++ = clamp(v + red_of_cr[cr[x]]);
    *out++ = clamp(v + ((green_of_cb[cb[x]] + green_of_cr[cr[x]]) >> 16));
    *out++ = clamp(v + blue_of_cb[cb[x]]);
  }
}

static void decode_row(frame_t* f, uint32_t row, scratch_t* s) {
  decode_planes(f, row, s);
  const unsigned lines = 8 * f->v, bytes = f->width * f->components;
  for (unsigned y = 0; y < lines && row * lines + y < f->height; ++y) {
    const uint8_t* from = s->line;
    if (f->components == 1) {
      from = s->plane[0] + y * f->mcus * 8;
    } else {
      convert_line(f, y, s);
    }
    memcpy(f->pixels + (row * lines + y) * bytes, from, bytes);
  }
}

/* --- threads --- */

static void worker(void* argument) {
  scratch_t* scratch = argument;
  for (uint32_t i; (i = atomic_add(&next_frame, 1)) < frame_count;) find_rows(frames[i], read_headers(frames[i]));
  barrier_wait(&prepared);
  const uint32_t rows = frames[0]->rows;
  for (uint32_t i; (i = atomic_add(&next_row, 1)) < frame_count * rows;) decode_row(frames[i / rows], i % rows, scratch);
}

/* Splits the stream into pictures; all have the size of the first. */
static void find_frames(const uint8_t* at, const uint8_t* end) {
  while (at + 4 < end && at[0] == 0xff && at[1] == 0xd8 && frame_count < kMaxFrames) {
    frame_t* f = allocate(sizeof *f);
    f->begin = at;
    for (at += 2; at + 1 < end && !(at[0] == 0xff && at[1] == 0xd9);) ++at;
    f->end = at + 2;
    at += 2;
    frames[frame_count++] = f;
  }
  if (frame_count == 0) fail("the disk holds no JPEG picture");
}

int main(void) {
  const uint32_t bytes = disk_bytes(), sectors = (bytes + 511) / 512;
  uint8_t* stream = allocate(512 * sectors + 1);
  if (disk_read(stream, 0, sectors) != 0) fail("the disk cannot be read");
  find_frames(stream, stream + bytes);
  frame_t first = *frames[0];
  read_headers(&first);
  for (uint32_t i = 0; i < frame_count; ++i) {
    frames[i]->row_begin = allocate(4 * first.rows);
    frames[i]->pixels = allocate(first.width * first.height * first.components);
  }
  build_colour_tables();
  const unsigned threads = hart_count();
  barrier_init(&prepared, threads);
  thread_t thread[64];
  scratch_t* scratch[64] = {0};
  for (unsigned t = 0; t < threads; ++t) {
    scratch[t] = allocate(sizeof(scratch_t));
    for (unsigned i = 0; i < first.components; ++i) scratch[t]->plane[i] = allocate(first.mcus * 64 * first.component[i].h * first.component[i].v);
    scratch[t]->line = allocate(3 * kMaxWidth);
    for (int i = 0; i < 2; ++i) scratch[t]->chroma[i] = allocate(kMaxWidth + 1);
  }
  for (unsigned t = 1; t < threads; ++t) thread_create(&thread[t], worker, scratch[t]);
  worker(scratch[0]);
  for (unsigned t = 1; t < threads; ++t) thread_join(&thread[t]);
  for (uint32_t i = 0; i < frame_count; ++i) {
    if (frames[i]->width != first.width || frames[i]->height != first.height) fail("pictures of different sizes");
    frame_commit(frames[i]->pixels, first.width, first.height, first.components);
  }
  return 0;
}
