/* Outstanding requests of four masters, one record for each change of the maximum. */
#include "ypu.h"
YPU_INPUTS(0x3);
YPU_ARRIVAL(64);
YPU_OUTPUT(2, 64);
typedef struct { uint8_t now, most; uint16_t total; } master_t;
static master_t masters[4];
YPU_MAIN {
  if (ypu_valid & 1) {
    master_t *m = &masters[ypu_io(0) & 3];
    m->total++;
    if (++m->now > m->most) { m->most = m->now; ypu_put8(ypu_io(0) & 3); ypu_put8(m->most); }
  }
  if (ypu_valid & 2) { master_t *m = &masters[ypu_io(1) & 3]; if (m->now) m->now--; }
}
