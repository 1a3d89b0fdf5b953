/* CRC-32 by table over a random buffer, in two ways. */
#include "core.h"
static uint8_t data[65536];
static uint32_t table[256];
static uint32_t by_bit(const uint8_t* at, int n) {
  uint32_t crc = ~0u;
  for (int i = 0; i < n; ++i) {
    crc ^= at[i];
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (-(crc & 1) & 0xedb88320u);
  }
  return ~crc;
}
static uint32_t by_table(const uint8_t* at, int n) {
  uint32_t crc = ~0u;
  for (int i = 0; i < n; ++i) crc = table[(crc ^ at[i]) & 255] ^ crc >> 8;
  return ~crc;
}
int main(void) {
  uint32_t seed = 1, last = 0;
  for (int i = 0; i < 65536; ++i) data[i] = (uint8_t)next_random(&seed);
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = c >> 1 ^ (-(c & 1) & 0xedb88320u);
    table[i] = c;
  }
  for (int round = 0; round < 6; ++round) last = by_table(data, 65536);
  return last != by_bit(data, 65536);
}
