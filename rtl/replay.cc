// Runs the tile's RTL, compiled by Verilator, on the cycles that `lento tile run --rtl` recorded of its
// model, and compares both in every cycle (format of the record: src/tile/rtl_run.h).
//
// usage: replay RECORD OUTPUT    writes the bytes of the output FIFO, prints
//   CYCLES DIFFERENT FIRST DROPS[5]     FIRST is the first different cycle
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "Vtile.h"
#include "Vtile___024root.h"

// Verilator's run time needs this function. The RTL has no notion of time.
double sc_time_stamp() {
  return 0;
}

namespace {

FILE* opened(const char* path, const char* mode) {
  FILE* file = std::fopen(path, mode);
  if (!file)
    std::perror(path), std::exit(1);
  return file;
}

// Reads `count` bytes. Returns false at the end of the file.
bool read(FILE* file, void* to, size_t count) {
  return std::fread(to, 1, count, file) == count;
}

uint32_t word(FILE* file) {
  uint32_t out = 0;
  if (!read(file, &out, 4))
    std::fprintf(stderr, "the record is cut\n"), std::exit(1);
  return out;
}

void read_inputs(FILE* record, Vtile& tile) {
  tile.in_valid = word(record);
  tile.in_address = word(record);
  uint8_t has_address = 0;
  read(record, &has_address, 1);
  tile.in_has_address = has_address;
  for (int i = 0; i < 32; ++i) {
    if (tile.in_valid >> i & 1)
      tile.in_data[i] = word(record);
  }
}

void clock(Vtile& tile) {
  tile.clock = 1;
  tile.eval();
  tile.clock = 0;
  tile.eval();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3)
    return 2;
  FILE* record = opened(arguments[1], "rb");
  FILE* output = opened(arguments[2], "wb");
  Vtile tile;
  tile.reset = 1;
  clock(tile);
  tile.reset = 0;
  for (int i = 0; i < 2048; ++i)
    tile.rootp->tile__DOT__code__DOT__words[i] = word(record);
  for (int i = 0; i < 8192; ++i)
    tile.rootp->tile__DOT__data__DOT__words[i] = word(record);
  tile.image_entry = word(record);
  tile.image_triggered = word(record);
  tile.image_mask = word(record);
  tile.image_trigger_start = word(record);
  tile.image_trigger_end = word(record);
  tile.queue_limit = word(record);

  unsigned long long cycles = 0, different = 0, first = 0;
  for (std::array<uint8_t, 4> head; read(record, head.data(), head.size()); ++cycles) {
    const auto [command, take, expected, waiting] = head;
    tile.command = command & 7;
    tile.in_valid = tile.in_has_address = 0;
    if (command & 8)
      read_inputs(record, tile);
    tile.take = take;
    tile.eval();
    std::fwrite(&tile.out_front, 1, take, output);
    const bool retired = tile.retired;
    clock(tile);
    if ((tile.status | retired << 4) != expected || tile.out_waiting != waiting)
      first = different++ == 0 ? cycles : first;
  }
  std::printf("%llu %llu %llu", cycles, different, first);
  for (int i = 0; i < 5; ++i)
    std::printf(" %u", tile.drops[i]);
  std::printf("\n");
  tile.final();
  return std::fclose(output);
}
