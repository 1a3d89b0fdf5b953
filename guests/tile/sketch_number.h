/* Arithmetic of the recorder on a core without multiplier: logarithms, running means, IEEE single precision.
 * Every loop has a constant bound, every result is that of the C++ code (chip/sketch) to the bit. */
#ifndef SKETCH_NUMBER_H_
#define SKETCH_NUMBER_H_

#include "ypu.h"

struct wide {
  uint32_t low;
  uint32_t high;
};

/* floor(256 log2(1 + i/256)) and round(65536 / i), as in chip/sketch/level.h and core_sketch.cc. */
static const uint8_t log_table[256] = {
    0,   1,   2,   4,   5,   7,   8,   9,   11,  12,  14,  15,  16,  18,  19,  21,  22,  23,  25,  26,
    27,  29,  30,  31,  33,  34,  35,  37,  38,  39,  40,  42,  43,  44,  46,  47,  48,  49,  51,  52,
    53,  54,  56,  57,  58,  59,  61,  62,  63,  64,  65,  67,  68,  69,  70,  71,  73,  74,  75,  76,
    77,  78,  80,  81,  82,  83,  84,  85,  87,  88,  89,  90,  91,  92,  93,  94,  96,  97,  98,  99,
    100, 101, 102, 103, 104, 105, 106, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120,
    121, 122, 123, 124, 125, 126, 127, 128, 129, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 140,
    141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160,
    161, 162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 173, 174, 175, 176, 177, 178,
    179, 180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188, 189, 190, 191, 192, 193, 194, 194, 195,
    196, 197, 198, 199, 200, 200, 201, 202, 203, 204, 205, 205, 206, 207, 208, 209, 209, 210, 211, 212,
    213, 214, 214, 215, 216, 217, 218, 218, 219, 220, 221, 222, 222, 223, 224, 225, 225, 226, 227, 228,
    229, 229, 230, 231, 232, 232, 233, 234, 235, 235, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243,
    244, 245, 245, 246, 247, 247, 248, 249, 250, 250, 251, 252, 253, 253, 254, 255,
};
static const uint32_t reciprocal[65] = {
    0,    65536, 32768, 21845, 16384, 13107, 10923, 9362, 8192, 7282, 6554, 5958, 5461,
    5041, 4681,  4369,  4096,  3855,  3641,  3449,  3277, 3121, 2979, 2849, 2731, 2621,
    2521, 2427,  2341,  2260,  2185,  2114,  2048,  1986, 1928, 1872, 1820, 1771, 1725,
    1680, 1638,  1598,  1560,  1524,  1489,  1456,  1425, 1394, 1365, 1337, 1311, 1285,
    1260, 1237,  1214,  1192,  1170,  1150,  1130,  1111, 1092, 1074, 1057, 1040, 1024,
};

static int greater(struct wide a, struct wide b) {
  return a.high != b.high ? a.high > b.high : a.low > b.low;
}
static struct wide minus(struct wide a, struct wide b) {
  return (struct wide){a.low - b.low, a.high - b.high - (a.low < b.low)};
}
static uint32_t ticks(struct wide cycles) {
  return cycles.high >> 8 ? ~0u : cycles.high << 24 | cycles.low >> 8;
}

/* x shifted left until bit 31 is set; *by counts. x is not 0. */
static uint32_t normalise(uint32_t x, int32_t* by) {
  int32_t n = 0;
  if (!(x >> 16))
    x <<= 16, n += 16;
  if (!(x >> 24))
    x <<= 8, n += 8;
  if (!(x >> 28))
    x <<= 4, n += 4;
  if (!(x >> 30))
    x <<= 2, n += 2;
  if (!(x >> 31))
    x <<= 1, n += 1;
  *by = n;
  return x;
}

/* The 32 leading bits of x (not 0), bit 31 set; what lies below is or-ed into bit 0. *top: its leading bit.
 */
static uint32_t leading(struct wide x, int32_t* top) {
  int32_t by;
  if (x.high == 0) {
    const uint32_t out = normalise(x.low, &by);
    *top = 31 - by;
    return out;
  }
  const uint32_t high = normalise(x.high, &by);
  *top = 63 - by;
  const uint32_t in = by ? x.low >> ((32 - by) & 31) : 0, rest = x.low << by;
  return high | in | (rest != 0);
}

static struct wide at_least_one(struct wide x) {
  return x.low | x.high ? x : (struct wide){1, 0};
}

static uint32_t top_bit(struct wide x) {
  int32_t top;
  leading(at_least_one(x), &top);
  return (uint32_t)top;
}

static int32_t log2_of(struct wide x) {
  int32_t top;
  const uint32_t bits = leading(at_least_one(x), &top);
  return (top << 8) + log_table[bits >> 23 & 255];
}

/* a times b; a has 16 bits. */
static uint32_t multiply(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (a &= 0xffff; a != 0; a >>= 1, b <<= 1) {
    if (a & 1)
      sum += b;
  }
  return sum;
}
static uint32_t multiply_wide(uint32_t a, uint32_t b) {
  return multiply(a, b) + (multiply(a >> 16, b) << 16);
}

/* a times b for a of 4 bits, and a / b with a quotient of 12 bits, without branches. */
static uint32_t weighted(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 4; ++i, a >>= 1, b <<= 1)
    sum += b & (0 - (a & 1));
  return sum;
}
static uint32_t divide(uint32_t a, uint32_t b) {
  uint32_t out = 0;
  b <<= 11;
  for (uint32_t i = 0; i < 12; ++i, b >>= 1) {
    uint32_t fits = a >= b;
    ypu_opaque(fits);
    a -= b & (0 - fits);
    out = out << 1 | fits;
  }
  return out;
}
static uint32_t remainder(uint32_t a, uint32_t b, uint32_t bits) {
  uint32_t rest = 0;
  for (uint32_t i = bits; i-- > 0;) {
    rest = rest << 1 | (a >> i & 1);
    if (rest >= b)
      rest -= b;
  }
  return rest;
}

/* For weights below 64. The mask is in the code, whatever the compiler knows: the verifier sees it. */
static uint32_t part_of(uint32_t weight) {
  ypu_opaque(weight);
  return reciprocal[weight & 63];
}

/* mean moved by 1/weight of the way to level. */
static uint32_t running_mean(uint32_t mean, uint32_t level, uint32_t weight) {
  const int32_t way = (int32_t)(level - mean);
  if (weight == 64)
    return mean + (uint32_t)((way + 32) >> 6);
  const uint32_t step = multiply((uint32_t)(way < 0 ? -way : way), part_of(weight));
  return mean + (uint32_t)(((int32_t)(way < 0 ? 0 - step : step) + 32768) >> 16);
}

static struct wide plus(struct wide a, struct wide b) {
  const uint32_t low = a.low + b.low;
  return (struct wide){low, a.high + b.high + (low < a.low)};
}
static struct wide multiply_long(uint32_t a, uint32_t b) { /* a has 16 bits */
  struct wide sum = {0, 0}, term = {b, 0};
  for (a &= 0xffff; a != 0; a >>= 1) {
    if (a & 1)
      sum = plus(sum, term);
    term = plus(term, term);
  }
  return sum;
}

/* (a * na + b * nb) / (na + nb), rounded down; a and b have 16 bits. */
static uint32_t weighted_mean(uint32_t a, uint32_t na, uint32_t b, uint32_t nb) {
  struct wide sum = plus(multiply_long(a, na), multiply_long(b, nb));
  struct wide step = plus((struct wide){na, 0}, (struct wide){nb, 0});
  for (uint32_t i = 0; i < 16; ++i)
    step = plus(step, step);
  uint32_t out = 0;
  for (uint32_t i = 0; i < 17; ++i) {
    out <<= 1;
    if (!greater(step, sum))
      sum = minus(sum, step), out |= 1;
    step = (struct wide){step.low >> 1 | step.high << 31, step.high >> 1};
  }
  return out;
}

/* Rounds x * 2^(exponent - 158) (bit 31 of x set, exponent biased) to nearest, ties to even. */
static uint32_t float_pack(uint32_t sign, int32_t exponent, uint32_t x) {
  if (exponent <= 0) {
    const uint32_t by = (uint32_t)(1 - exponent);
    x = by > 31 ? 1 : x >> by | ((x << ((32 - by) & 31)) != 0);
    exponent = 1;
  }
  const uint32_t rest = x & 255;
  uint32_t out = ((uint32_t)(exponent - 1) << 23) + (x >> 8);
  if (rest > 128 || (rest == 128 && (out & 1)))
    ++out;
  return sign | out;
}

static uint32_t float_of(struct wide x) {
  if ((x.low | x.high) == 0)
    return 0;
  int32_t top;
  const uint32_t bits = leading(x, &top);
  return float_pack(0, top + 127, bits);
}

static uint32_t float_add(uint32_t a, uint32_t b) {
  if ((b & 0x7fffffff) > (a & 0x7fffffff)) { /* |a| >= |b| from here on */
    const uint32_t swap = a;
    a = b, b = swap;
  }
  int32_t ea = a >> 23 & 255;
  int32_t eb = b >> 23 & 255;
  uint32_t ma = (a & 0x7fffff) << 7, mb = (b & 0x7fffff) << 7;
  if (ea)
    ma |= 1u << 30;
  else
    ea = 1;
  if (eb)
    mb |= 1u << 30;
  else
    eb = 1;
  const uint32_t by = (uint32_t)(ea - eb);
  if (by > 31)
    mb = mb != 0;
  else if (by > 0)
    mb = mb >> by | ((mb << ((32 - by) & 31)) != 0);
  const uint32_t sum = (a ^ b) >> 31 ? ma - mb : ma + mb;
  if (sum == 0)
    return 0;
  int32_t shift;
  const uint32_t x = normalise(sum, &shift);
  return float_pack(a & 0x80000000u, ea + 1 - shift, x);
}

/* a times round(65536 / weight) / 65536. */
static uint32_t float_scaled(uint32_t a, uint32_t weight) {
  const uint32_t sign = a & 0x80000000u;
  int32_t exponent = a >> 23 & 255;
  int32_t top;
  uint32_t m = a & 0x7fffff;
  if (exponent)
    m |= 1u << 23;
  else
    exponent = 1;
  if (m == 0)
    return sign;
  struct wide product = {m << 10, m >> 22};
  if (weight != 64) {
    const uint32_t r = part_of(weight);
    const uint32_t high = multiply(m >> 12, r);
    const uint32_t low = multiply(m & 0xfff, r);
    product = plus((struct wide){low, 0}, (struct wide){high << 12, high >> 20});
  }
  const uint32_t bits = leading(product, &top);
  return float_pack(sign, exponent + top - 39, bits);
}

/* mean + (value - mean) / weight, rounded as the C++ expression rounds. */
static uint32_t float_towards(uint32_t mean, uint32_t value, uint32_t weight) {
  if (mean == value)
    return mean;
  return float_add(mean, float_scaled(float_add(value, mean ^ 0x80000000u), weight));
}

#endif
