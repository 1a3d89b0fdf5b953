/* Drives a tile through its registers (docs/formats/tile-registers.md): loads an image, gives the commands,
 * takes the output. C99, no memory of its own, no system calls but in lento_tile_map_uio.
 *
 * The tile checks no signature: check the image with `lento tile check` before. Not thread safe; one host at
 * a time.
 */
#ifndef LENTO_TILE_H_
#define LENTO_TILE_H_

#include <stddef.h>
#include <stdint.h>

#include "lento_tile_map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bus: both functions return 0, or another value when the bus answered with an error. */
typedef struct lento_tile {
  void* device;
  int (*write)(void* device, uint32_t offset, uint32_t word);
  int (*read)(void* device, uint32_t offset, uint32_t* word);
} lento_tile;

typedef enum lento_tile_result {
  LENTO_TILE_OK = 0,
  LENTO_TILE_BUS_ERROR, /* the bus answered with an error */
  LENTO_TILE_NO_TILE,   /* ID is not that of a tile */
  LENTO_TILE_BAD_IMAGE, /* not an image, or cut short */
  LENTO_TILE_FAULT,     /* the program stopped with a fault: see the register FAULT */
  LENTO_TILE_TIMEOUT    /* the state was not reached in as many reads of STATUS as were allowed */
} lento_tile_result;

enum {
  LENTO_TILE_UNDEFINED,
  LENTO_TILE_PAUSED,
  LENTO_TILE_READY,
  LENTO_TILE_RUNNING,
  LENTO_TILE_FINALIZES,
  LENTO_TILE_ERROR = 8
};

/* Resets the tile, writes code and data of an image (a whole .ypu file) and begins it: `init` runs. `queue`
 * inputs may wait while main runs. */
lento_tile_result lento_tile_load(const lento_tile* tile, const uint8_t* image, size_t bytes, uint32_t queue);

/* Commands of Bryt section 4.2. Addresses are those of the block's trigger. */
lento_tile_result lento_tile_start(const lento_tile* tile, uint32_t address);
lento_tile_result lento_tile_stop(const lento_tile* tile, uint32_t address);
lento_tile_result lento_tile_pause(const lento_tile* tile);
lento_tile_result lento_tile_resume(const lento_tile* tile);
lento_tile_result lento_tile_finalize(const lento_tile* tile);

lento_tile_result lento_tile_status(const lento_tile* tile, uint32_t* status);

/* Reads STATUS until it is `status`, at most `reads` times. */
lento_tile_result lento_tile_wait(const lento_tile* tile, uint32_t status, uint32_t reads);

/* Takes at most `room` bytes of output that wait now; `*taken` says how many. */
lento_tile_result lento_tile_output(const lento_tile* tile, uint8_t* out, size_t room, size_t* taken);

#ifdef __linux__
/* Maps the first region of a UIO device such as /dev/uio0 and fills in `tile`. Returns 0, or -1 with errno.
 */
int lento_tile_map_uio(const char* path, lento_tile* tile);
void lento_tile_unmap_uio(lento_tile* tile);
#endif

#ifdef __cplusplus
}
#endif

#endif
