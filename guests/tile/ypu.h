/* Programs for the tile: signals in, output out, the extra instructions. C, freestanding, RV32I.
 *
 *   #include "ypu.h"
 *   YPU_INPUTS(0x1);                 // IORegs whose arrival starts main (bit i: IOReg i)
 *   YPU_ARRIVAL(8);                  // an input comes at most every 8 tile cycles
 *   YPU_OUTPUT(4, 8);                // at most 4 bytes leave per 8 cycles
 *   YPU_MAIN { ypu_put32(ypu_io(0)); }
 *
 * YPU_INIT runs once after loading, YPU_FINISH (16 instructions at most) at YPU_FINALIZE; both are optional.
 */
#ifndef YPU_H_
#define YPU_H_

#include <stdint.h>

#include "ypu_map.h"

#define YPU_INIT __attribute__((section(".text.ypu_init"), used)) void ypu_init(void)
#define YPU_MAIN __attribute__((section(".text.ypu_main"), used)) void ypu_main(void)
#define YPU_FINISH __attribute__((section(".text.ypu_finish"), used)) void ypu_finish(void)

/* Declarations that `lento tile build` copies into the image's header. */
#define YPU_DECLARE(name, value) __asm__(".globl ypu_declare_" #name "\n.set ypu_declare_" #name ", " #value)
#define YPU_INPUTS(mask) YPU_DECLARE(inputs, mask)
#define YPU_ARRIVAL(cycles) YPU_DECLARE(arrival, cycles)
#define YPU_OUTPUT(bytes, cycles)   \
  YPU_DECLARE(output_bytes, bytes); \
  YPU_DECLARE(output_cycles, cycles)
#define YPU_DROPS_EXPECTED YPU_DECLARE(drops, 1)

#define ypu_io(i) (*(volatile const uint32_t*)(YPU_MAP_IO + 4 * (i)))
#define ypu_valid (*(volatile const uint32_t*)YPU_MAP_VALID)
#define ypu_soft(i) (*(volatile uint32_t*)(YPU_MAP_SOFT + 4 * (i)))
#define ypu_cycle (*(volatile const uint32_t*)YPU_MAP_CYCLE)

/* The cycle in which the input in the IORegs arrived, however long it waited before main began (low 32 bits,
 * like ypu_cycle): differences of arrivals are what times are to be measured by. Of a streaming main: the
 * last one. */
#define ypu_arrival (*(volatile const uint32_t*)YPU_MAP_ARRIVAL)

#define ypu_put32(value) (*(volatile uint32_t*)YPU_MAP_OUT = (uint32_t)(value))
#define ypu_put16(value) (*(volatile uint16_t*)YPU_MAP_OUT = (uint16_t)(value))
#define ypu_put8(value) (*(volatile uint8_t*)YPU_MAP_OUT = (uint8_t)(value))

/* Hides a value from the compiler: keeps a loop's counter apart, where the verifier finds the bound. */
#define ypu_opaque(value) __asm__("" : "+r"(value))

static inline uint32_t ypu_hash(uint32_t value, uint32_t mask) {
  uint32_t out;
  __asm__(".insn r 0x0b, 0, 0, %0, %1, %2" : "=r"(out) : "r"(value), "r"(mask));
  return out;
}
#define ypu_hist(low, high) __asm__ volatile(".insn r 0x0b, 1, 0, x0, %0, %1" : : "r"(low), "r"(high))
static inline uint32_t ypu_hist_read(uint32_t bucket) {
  uint32_t out;
  __asm__ volatile(".insn i 0x0b, 3, %0, %1, 0" : "=r"(out) : "r"(bucket));
  return out;
}
/* mode 0 add, 1 XOR hash by mask, 2 quantise: sign, then (magnitude >> shift) - base clamped to 0..63. */
#define ypu_hist_config(word) __asm__ volatile(".insn i 0x0b, 4, x0, %0, 0" : : "r"(word))
#define YPU_HIST_ADD 0u
#define YPU_HIST_HASH(mask) (1u << 16 | (mask))
#define YPU_HIST_QUANTISE(shift, base) (2u << 16 | (base) << 4 | (shift))
#define ypu_emit(format) __asm__ volatile(".insn i 0x0b, 5, x0, x0, " #format)

/* Does nothing for `cycles` cycles, at least one. */
static inline void ypu_pause(uint32_t cycles) {
  __asm__ volatile(".insn i 0x0b, 6, x0, %0, 1\n\tnop" : : "r"(cycles));
}

/* Takes IORegs 2*pair and 2*pair+1 into the histogram unit, (count << shift) times, one input a cycle. */
#define ypu_stream(pair, count, shift) \
  __asm__ volatile(".insn i 0x0b, 7, x" #shift ", x1, " #count "\n.insn i 0x0b, 2, x0, x0, " #pair)
/* The same, then the output, `windows` times: two nested hardware loops, no bubbles. */
#define ypu_stream_windows(windows, pair, count, shift, format)                                       \
  __asm__ volatile(".insn i 0x0b, 7, x0, x3, " #windows "\n.insn i 0x0b, 7, x" #shift ", x1, " #count \
                   "\n.insn i 0x0b, 2, x0, x0, " #pair "\n.insn i 0x0b, 5, x0, x0, " #format)

#endif
