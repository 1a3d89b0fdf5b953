// github.com/parttimenerd/ebpf-verifier-errors/issues/5: six characters are looked for in the last 128.
// expect: accepted
#include "ypu.h"
YPU_INPUTS(0x1);
YPU_ARRIVAL(8192);
YPU_OUTPUT(4, 8192);

static uint8_t text[128];
static uint32_t end;

YPU_MAIN {
  text[end] = ypu_io(0);
  end = (end + 1) & 127;
  uint32_t found = 128;
  for (uint32_t i = 0; i <= 122; i++) {
    if (text[i] == 'H' && text[i + 1] == 'o' && text[i + 2] == 's' && text[i + 3] == 't' && text[i + 4] == ':' && text[i + 5] == ' ') {
      found = i;
      break;
    }
  }
  ypu_put32(found);
}
