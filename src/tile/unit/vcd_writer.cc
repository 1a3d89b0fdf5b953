// Writes the tile's signals as a VCD file, with one time unit for each tile cycle and only those values that
// changed.
#include "tile/unit/vcd_writer.h"

namespace lento::tile {
namespace {

struct Signal {
  const char* name;
  int width;
};
constexpr Signal kSignal[] = {
    {"status", 4},
    {"fetch_pc", 32},
    {"retired", 1},
    {"retired_pc", 32},
    {"retired_rd", 5},
    {"retired_value", 32},
    {"output_waiting", 32},
    {"dropped", 32}};

std::string change(uint32_t value, int width, int index) {
  std::string out = "b";
  for (int bit = width - 1; bit >= 0; --bit)
    out += value >> bit & 1 ? '1' : '0';
  return out + " " + char('!' + index) + "\n";
}

}  // namespace

VcdWriter::VcdWriter(const std::string& path)
    : file_(path) {
  std::string head = "$timescale 1ns $end\n$scope module tile $end\n";
  for (int i = 0; i < kSignals; ++i) {
    head += "$var wire " + std::to_string(kSignal[i].width) + " " + char('!' + i) + " " + kSignal[i].name +
            " $end\n";
  }
  file_.write(head + "$upscope $end\n$enddefinitions $end\n");
}

void VcdWriter::sample(const Tile& tile) {
  const Retired& r = tile.retired();
  const uint32_t now[kSignals] = {
      uint32_t(tile.status()),
      tile.fetch_pc(),
      r.valid,
      r.pc,
      r.rd,
      r.value,
      uint32_t(tile.output_waiting()),
      uint32_t(tile.counters().total_dropped())};
  std::string text;
  for (int i = 0; i < kSignals; ++i) {
    if (time_ == 0 || now[i] != last_[i])
      text += change(now[i], kSignal[i].width, i);
    last_[i] = now[i];
  }
  if (!text.empty())
    file_.write("#" + std::to_string(time_) + "\n" + text);
  ++time_;
}

}  // namespace lento::tile
