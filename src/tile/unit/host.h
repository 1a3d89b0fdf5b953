/* The host's interface to a tile, named as in Bryt section 4.2: six calls over memory-mapped registers.
 *
 *   offset  register
 *   0x00    COMMAND  write: 1 load the image window, 2 start, 3 stop, 4 pause, 5 resume, 6 finalize, 7 reset
 *   0x04    ARGUMENT the address for start and stop, the byte count for load
 *   0x08    STATUS   read: the tile's state (4 bits)
 *   0x0c    RESULT   read: 0 the last load was accepted, 1 it was refused
 *   0x10    IMAGE    write: the next word of the image (little-endian)
 *
 * Plain C; the bus is two functions, so the same code drives the model, an RTL simulation or a device.
 * For programs that link Lento: no command drives a tile through it.
 */
#ifndef LENTO_TILE_UNIT_HOST_H_
#define LENTO_TILE_UNIT_HOST_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  YPU_COMMAND = 0x00,
  YPU_ARGUMENT = 0x04,
  YPU_STATUS = 0x08,
  YPU_RESULT = 0x0c,
  YPU_IMAGE = 0x10
};
enum {
  YPU_DO_LOAD = 1,
  YPU_DO_START,
  YPU_DO_STOP,
  YPU_DO_PAUSE,
  YPU_DO_RESUME,
  YPU_DO_FINALIZE,
  YPU_DO_RESET
};

typedef struct ypu_bus {
  void* device;
  void (*write)(void* device, uint32_t offset, uint32_t value);
  uint32_t (*read)(void* device, uint32_t offset);
} ypu_bus;

/* 0, or 1 when the tile refuses the image (signature, policy, format). */
int YPU_CONFIG_IMAGE(const ypu_bus* bus, const void* image, size_t bytes);
void YPU_CONFIG_START(const ypu_bus* bus, uint32_t address);
void YPU_CONFIG_STOP(const ypu_bus* bus, uint32_t address);
void YPU_PAUSE(const ypu_bus* bus);
void YPU_RESUME(const ypu_bus* bus);
void YPU_FINALIZE(const ypu_bus* bus);
uint32_t YPU_READ_STATUS(const ypu_bus* bus);

#ifdef __cplusplus
}
#endif

#endif
