#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(120);
YPU_OUTPUT(1, 120);

YPU_MAIN {
  uint32_t crc = ypu_io(0) & 0xff;
  for (uint32_t i = 0; i < 8; ++i) crc = crc & 0x80 ? (crc << 1) ^ 0x07 : crc << 1;
  ypu_put8(crc);
}
