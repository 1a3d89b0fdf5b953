#include "ypu.h"
YPU_INPUTS(0x1); YPU_ARRIVAL(64); YPU_OUTPUT(4, 64);
enum { IDLE, ADDR, DATA, RESP, ERR };
static uint8_t state; static uint32_t stuck;
YPU_MAIN {
  uint32_t v = ypu_io(0);
  switch (state) {
    case IDLE: if (v & 1) state = ADDR; break;
    case ADDR: if (v & 2) state = DATA; else if (v & 16) state = ERR; break;
    case DATA: if (v & 4) state = RESP; break;
    case RESP: if (v & 8) state = IDLE; break;
    default: ypu_put32(++stuck); state = IDLE;
  }
}
