/* Byte offsets of a tile's registers. Written by rtl/bus/make_map.py from registers.csv. */
/* clang-format off */
#ifndef LENTO_TILE_MAP_H_
#define LENTO_TILE_MAP_H_

#define LENTO_TILE_ID_VALUE 0x4c544f31u
#define LENTO_TILE_BYTES 0x10000u  /* of the whole map */
#define LENTO_TILE_AT_ID 0x0000u  /* 0x4c544f31: a tile of this map */
#define LENTO_TILE_AT_STATUS 0x0004u  /* state of the tile (tile-isa.md): 0 undefined; 1 paused; 2 waits for an input; 3 runs; 4 finalizes; 8 error */
#define LENTO_TILE_AT_COMMAND 0x0008u  /* 1 begin the image that was written; 2 start; 3 stop; 4 pause; 5 resume; 6 finalize; 7 reset */
#define LENTO_TILE_AT_ARGUMENT 0x000cu  /* address for start and stop; written before the command */
#define LENTO_TILE_AT_ENTRY 0x0010u  /* byte address of main; bit 31: the trigger is on */
#define LENTO_TILE_AT_MASK 0x0014u  /* input registers whose arrival starts main */
#define LENTO_TILE_AT_TRIGGER_START 0x0018u  /* address that opens the trigger */
#define LENTO_TILE_AT_TRIGGER_END 0x001cu  /* address that closes the trigger */
#define LENTO_TILE_AT_QUEUE 0x0020u  /* inputs that may wait while main runs; fixed while it runs */
#define LENTO_TILE_AT_FAULT 0x0024u  /* last fault since the image: 1 illegal instruction; 2 load; 3 store; 4 fetch outside the map */
#define LENTO_TILE_AT_FAULT_ADDRESS 0x0028u  /* address (or word) of that fault */
#define LENTO_TILE_AT_FLAGS 0x002cu  /* a region runs; an accumulator of the histogram is full */
#define LENTO_TILE_AT_DROPS_RUNNING 0x0030u  /* inputs dropped because main ran and the queue was full */
#define LENTO_TILE_AT_DROPS_PAUSED 0x0034u  /* inputs dropped while paused */
#define LENTO_TILE_AT_DROPS_UNTRIGGERED 0x0038u  /* inputs outside the trigger */
#define LENTO_TILE_AT_DROPS_FINALIZING 0x003cu  /* inputs dropped while finalizing */
#define LENTO_TILE_AT_DROPS_ERROR 0x0040u  /* inputs dropped after a fault */
#define LENTO_TILE_AT_WAITING 0x0044u  /* bytes in the output FIFO */
#define LENTO_TILE_AT_OUTPUT 0x0048u  /* the oldest bytes of the output FIFO; a read takes up to four of them */
#define LENTO_TILE_AT_INTERRUPT 0x004cu  /* raises the interrupt line while output waits; while the tile is in error */
#define LENTO_TILE_AT_TAPS 0x0050u  /* how many of the first input registers have a tap */
#define LENTO_TILE_AT_TAP_MASK 0x0100u  /* of tap 0 (tap n is 16 n bytes further): bits of the signal that count */
#define LENTO_TILE_AT_TAP_EQUALS 0x0104u  /* value that is compared */
#define LENTO_TILE_AT_TAP_MODE 0x0108u  /* on; compares with TAP_EQUALS; when 0 level 1 rising 2 falling 3 change; takes 0 value 1 count 2 cycle 3 gap; peaks: only words above all before */
#define LENTO_TILE_AT_TAP_COUNT 0x010cu  /* events since the image */
#define LENTO_TILE_AT_CODE 0x2000u  /* code memory; only while undefined */
#define LENTO_TILE_AT_DATA 0x8000u  /* scratchpad; only while undefined */

#endif
