#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(40);
YPU_OUTPUT(4, 40);

enum { IDLE, ADDRESS, DATA, ACK };
static uint32_t state;
YPU_MAIN {
  const uint32_t in = ypu_io(0) & 3;
  switch (state) {
    case IDLE: if (in == 1) state = ADDRESS; break;
    case ADDRESS: state = in == 2 ? DATA : IDLE; break;
    case DATA: state = in == 3 ? ACK : DATA; break;
    default: ypu_put32(ypu_arrival); state = IDLE; break;
  }
}
