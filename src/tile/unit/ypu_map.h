/* The tile's map, in C for its programs (guests/tile/ypu.h includes it) and for Lento: each address is
 * defined only here. docs/formats/tile-isa.md describes it. */
#ifndef LENTO_TILE_UNIT_YPU_MAP_H_
#define LENTO_TILE_UNIT_YPU_MAP_H_

enum {
  YPU_MAP_CODE_BYTES = 0x2000, /* code from 0; not readable */
  YPU_MAP_FINISH = 0x1fc0,     /* where finish begins: word 0x7F0 */
  YPU_MAP_IO = 0x4000,         /* 32 IORegs, read only */
  YPU_MAP_VALID = 0x4080,      /* their valid bits, read only */
  YPU_MAP_SOFT = 0x5000,       /* 8 registers of the soft logic */
  YPU_MAP_CONTROL = 0x6000,    /* STATUS, TS, TE, ADDR: one word each, read only */
  YPU_MAP_CYCLE = 0x6010,      /* the running cycle, 64 bits, read only */
  YPU_MAP_DROPS = 0x6018,      /* dropped inputs by cause, five words, read only */
  YPU_MAP_ARRIVAL = 0x602c,    /* the cycle in which what the IORegs hold arrived, low 32 bits, read only */
  YPU_MAP_CONTROL_BYTES = 0x30,
  YPU_MAP_OUT = 0x7000,  /* output FIFO, 4 KiB, write only: appends 1, 2 or 4 bytes */
  YPU_MAP_DATA = 0x8000, /* scratchpad */
  YPU_MAP_DATA_BYTES = 0x8000
};

#endif
