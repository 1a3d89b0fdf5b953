#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(48); YPU_OUTPUT(1, 48);
static uint8_t length;
YPU_MAIN {
  if (ypu_io(0) & 1) { if (length < 255) length++; }
  else if (length) { ypu_put8(length); length = 0; }
}
