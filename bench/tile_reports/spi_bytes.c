// Bytes of an SPI word, most significant bit first. Bit 0: MOSI; bit 1: chip select, low when selected.
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(64);
YPU_OUTPUT(4, 64);

static uint32_t bits, word;

YPU_MAIN {
  const uint32_t in = ypu_io(0);
  if (in & 2) {
    bits = 0;
    return;
  }
  word = word << 1 | (in & 1);
  if (++bits == 8) {
    ypu_put32(word & 255);
    bits = 0;
  }
}
