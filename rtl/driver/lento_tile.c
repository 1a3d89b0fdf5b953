/* The driver of lento_tile.h. The layout of an image is that of docs/formats/tile-image.md: a header of 68
 * bytes, four sections' entries of 72 bytes, then code, data, soft logic and metadata without gaps. */
#include "lento_tile.h"

#include <string.h>

#ifdef __linux__
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

enum {
  HEADER_BYTES = 68,
  ENTRY_BYTES = 72,
  SECTIONS = 4,
  CODE_BYTES = 0x2000,
  DATA_BYTES = 0x8000
};
enum {
  FLAGS_AT = 36,
  TRIGGER_START_AT = 40,
  TRIGGER_END_AT = 44,
  MAIN_AT = 48,
  MASK_AT = 52
};
enum {
  BEGIN_IMAGE = 1,
  START,
  STOP,
  PAUSE,
  RESUME,
  FINALIZE,
  RESET
};

static uint32_t word_at(const uint8_t* bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static lento_tile_result write_register(const lento_tile* tile, uint32_t offset, uint32_t word) {
  return tile->write(tile->device, offset, word) ? LENTO_TILE_BUS_ERROR : LENTO_TILE_OK;
}
static lento_tile_result read_register(const lento_tile* tile, uint32_t offset, uint32_t* word) {
  return tile->read(tile->device, offset, word) ? LENTO_TILE_BUS_ERROR : LENTO_TILE_OK;
}

/* Writes a whole memory: the section, then zeros. */
static lento_tile_result
fill(const lento_tile* tile, uint32_t window, uint32_t size, const uint8_t* bytes, uint32_t count) {
  uint32_t at;
  lento_tile_result result = LENTO_TILE_OK;
  for (at = 0; at < size && result == LENTO_TILE_OK; at += 4) {
    uint8_t word[4] = {0, 0, 0, 0};
    if (at < count)
      memcpy(word, bytes + at, count - at < 4 ? count - at : 4);
    result = write_register(tile, window + at, word_at(word));
  }
  return result;
}

static lento_tile_result expect_tile(const lento_tile* tile) {
  uint32_t id = 0;
  const lento_tile_result result = read_register(tile, LENTO_TILE_AT_ID, &id);
  return result == LENTO_TILE_OK && id != LENTO_TILE_ID_VALUE ? LENTO_TILE_NO_TILE : result;
}

lento_tile_result
lento_tile_load(const lento_tile* tile, const uint8_t* image, size_t bytes, uint32_t queue) {
  const size_t contents = HEADER_BYTES + SECTIONS * ENTRY_BYTES;
  uint32_t code, data;
  size_t i;
  lento_tile_result result = expect_tile(tile);
  if (result != LENTO_TILE_OK)
    return result;
  if (bytes < contents || memcmp(image, "YPUIMG\r\n", 8) != 0 || word_at(image + 8) != 1)
    return LENTO_TILE_BAD_IMAGE;
  code = word_at(image + HEADER_BYTES + 4);
  data = word_at(image + HEADER_BYTES + ENTRY_BYTES + 4);
  if (code > CODE_BYTES || data > DATA_BYTES || bytes - contents < (size_t)code + data)
    return LENTO_TILE_BAD_IMAGE;

  result = write_register(tile, LENTO_TILE_AT_COMMAND, RESET);
  if (result == LENTO_TILE_OK)
    result = fill(tile, LENTO_TILE_AT_CODE, CODE_BYTES, image + contents, code);
  if (result == LENTO_TILE_OK)
    result = fill(tile, LENTO_TILE_AT_DATA, DATA_BYTES, image + contents + code, data);
  {
    const uint32_t fields[][2] = {
        {LENTO_TILE_AT_ENTRY, word_at(image + MAIN_AT) | (word_at(image + FLAGS_AT) & 1u) << 31},
        {LENTO_TILE_AT_MASK, word_at(image + MASK_AT)},
        {LENTO_TILE_AT_TRIGGER_START, word_at(image + TRIGGER_START_AT)},
        {LENTO_TILE_AT_TRIGGER_END, word_at(image + TRIGGER_END_AT)},
        {LENTO_TILE_AT_QUEUE, queue},
        {LENTO_TILE_AT_COMMAND, BEGIN_IMAGE}};
    for (i = 0; i < sizeof fields / sizeof fields[0] && result == LENTO_TILE_OK; ++i)
      result = write_register(tile, fields[i][0], fields[i][1]);
  }
  return result;
}

static lento_tile_result command(const lento_tile* tile, uint32_t what, uint32_t argument) {
  const lento_tile_result result = write_register(tile, LENTO_TILE_AT_ARGUMENT, argument);
  return result == LENTO_TILE_OK ? write_register(tile, LENTO_TILE_AT_COMMAND, what) : result;
}
lento_tile_result lento_tile_start(const lento_tile* tile, uint32_t address) {
  return command(tile, START, address);
}
lento_tile_result lento_tile_stop(const lento_tile* tile, uint32_t address) {
  return command(tile, STOP, address);
}
lento_tile_result lento_tile_pause(const lento_tile* tile) {
  return command(tile, PAUSE, 0);
}
lento_tile_result lento_tile_resume(const lento_tile* tile) {
  return command(tile, RESUME, 0);
}
lento_tile_result lento_tile_finalize(const lento_tile* tile) {
  return command(tile, FINALIZE, 0);
}

lento_tile_result lento_tile_status(const lento_tile* tile, uint32_t* status) {
  return read_register(tile, LENTO_TILE_AT_STATUS, status);
}

lento_tile_result lento_tile_wait(const lento_tile* tile, uint32_t status, uint32_t reads) {
  for (; reads > 0; --reads) {
    uint32_t now = 0;
    const lento_tile_result result = lento_tile_status(tile, &now);
    if (result != LENTO_TILE_OK || now == status)
      return result;
    if (now == LENTO_TILE_ERROR)
      return LENTO_TILE_FAULT;
  }
  return LENTO_TILE_TIMEOUT;
}

lento_tile_result lento_tile_output(const lento_tile* tile, uint8_t* out, size_t room, size_t* taken) {
  uint32_t waiting = 0;
  lento_tile_result result = read_register(tile, LENTO_TILE_AT_WAITING, &waiting);
  *taken = 0;
  /* A read takes whole words while there are any: what fits no more is left for the next call. */
  while (result == LENTO_TILE_OK && waiting > 0) {
    const uint32_t count = waiting < 4 ? waiting : 4;
    uint32_t word = 0, i;
    if (room - *taken < count)
      break;
    result = read_register(tile, LENTO_TILE_AT_OUTPUT, &word);
    for (i = 0; i < count && result == LENTO_TILE_OK; ++i)
      out[(*taken)++] = (uint8_t)(word >> 8 * i);
    waiting -= count;
  }
  return result;
}

#ifdef __linux__
static int write_mapped(void* device, uint32_t offset, uint32_t word) {
  ((volatile uint32_t*)device)[offset / 4] = word;
  return 0;
}
static int read_mapped(void* device, uint32_t offset, uint32_t* word) {
  *word = ((volatile uint32_t*)device)[offset / 4];
  return 0;
}

int lento_tile_map_uio(const char* path, lento_tile* tile) {
  void* device;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return -1;
  device = mmap(NULL, LENTO_TILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (device == MAP_FAILED)
    return -1;
  tile->device = device;
  tile->write = write_mapped;
  tile->read = read_mapped;
  return 0;
}

void lento_tile_unmap_uio(lento_tile* tile) {
  munmap(tile->device, LENTO_TILE_BYTES);
  tile->device = NULL;
}
#endif
