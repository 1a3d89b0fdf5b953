#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(2, 64);
enum { IDLE, HEADER, PAYLOAD };
static uint8_t state; static uint16_t remaining;
YPU_MAIN {
  uint8_t byte = ypu_io(0);
  switch (state) {
    case IDLE: if (byte == 0x7e) state = HEADER; break;
    case HEADER: remaining = byte; state = remaining ? PAYLOAD : IDLE; break;
    case PAYLOAD:
      if (byte == 0x7e) { ypu_put16(remaining); state = HEADER; }
      else if (--remaining == 0) state = IDLE;
      break;
    default: state = IDLE;
  }
}
