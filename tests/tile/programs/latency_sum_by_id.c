#include "ypu.h"
YPU_INPUTS(0x3); YPU_ARRIVAL(96); YPU_OUTPUT(4, 96);
struct open { uint32_t when; uint8_t busy; };
static struct open open_[16];
static uint32_t total, worst;
YPU_MAIN {
  struct open *o = &open_[ypu_io(0) & 15];
  if (ypu_io(1) & 1) { o->when = ypu_arrival; o->busy = 1; return; }
  if (!o->busy) return;
  o->busy = 0;
  uint32_t took = ypu_arrival - o->when;
  total += took;
  if (took > worst) { worst = took; ypu_put32(took); }
}
