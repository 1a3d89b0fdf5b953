// Writes the record of a run to a temporary folder, where Verilator compiles the RTL that ships with the
// driver of rtl/replay.cc. Cost of the replay: 4 million cycles a second.
#include "tile/rtl_run.h"

#include <cstring>
#include <sstream>

#include "base/error.h"
#include "embedded/tile_rtl.h"

namespace lento::tile {
namespace {

std::string folder_text(const TempFolder& folder, const std::string& name) {
  return base::read_file(folder / name, uint64_t{4} << 30);
}

// Compiles the RTL with its driver to the program `replay` in the folder.
void build(const TempFolder& folder) {
  std::vector<std::string> command = {
      "verilator",
      "--cc",
      "--exe",
      "--build",
      "-O3",
      "--x-assign",
      "fast",
      "--x-initial",
      "fast",
      "--noassert",
      "-Wno-fatal",
      "--top-module",
      "tile",
      "-CFLAGS",
      "-O1",
      "-Mdir",
      folder / "",
      "-o",
      "replay",
      folder / "replay.cc",
      folder / "tile_pkg.sv"};
  for (const std::string_view name : embedded::tile_rtl_names()) {
    const std::string path = folder / std::string(name);
    base::write_file(path, embedded::tile_rtl(name));
    if (name.ends_with(".sv") && name != "tile_pkg.sv")
      command.push_back(path);
  }
  const int rc = run_program(command, folder / "log");
  if (rc == 127)
    throw base::Error({"--rtl"}, "cannot run 'verilator'", "install verilator and g++");
  if (rc != 0)
    throw base::Error({"--rtl"}, "verilator fails on the tile's RTL:\n" + folder_text(folder, "log"));
}

}  // namespace

RtlRun::RtlRun(const Image& image, uint32_t queue)
    : record_(folder_ / "record") {
  if (queue > kRtlQueue)
    throw base::Error({"--queue"}, "the RTL keeps at most 4 waiting inputs", "--queue 4, or leave out --rtl");
  const auto add_memory = [&](std::string bytes, uint32_t size) {
    bytes.resize(size);
    record_.write(bytes);
  };
  add_memory(image.code, kCodeBytes);
  add_memory(image.data, kDataBytes);
  for (const uint32_t word :
       {image.main_entry,
        uint32_t{image.triggered},
        image.input_mask,
        image.trigger_start,
        image.trigger_end,
        queue})
    add_word(word);
}

void RtlRun::add_word(uint32_t word) {
  char bytes[4];
  std::memcpy(bytes, &word, 4);
  record_.write({bytes, 4});
}

void RtlRun::record(const Tile& unit, const TileInputs* inputs, size_t taken) {
  state_ = uint8_t(uint8_t(unit.status()) | unit.retired().valid << 4);
  const uint8_t command = uint8_t(uint8_t(command_) | (inputs ? 8 : 0));
  const size_t before = unit.output_waiting() + taken;  // of what is taken after this cycle
  const char head[4] = {char(command), char(take_), char(state_), char(before)};
  record_.write({head, 4});
  if (inputs) {
    add_word(inputs->valid);
    add_word(inputs->address);
    record_.write(inputs->has_address ? std::string_view("\1", 1) : std::string_view("\0", 1));
    for (uint32_t i = 0; i < kIoRegs; ++i) {
      if (inputs->valid >> i & 1)
        add_word(inputs->data[i]);
    }
  }
  command_ = command_ == HostCommand::Image ? HostCommand::Resume : HostCommand::None;
  take_ = taken;
  waiting_ = before;
}

RtlRun::Outcome RtlRun::replay() {
  // The bytes that were still to leave after the last cycle do so while the tile rests.
  while (waiting_ > 0) {
    take_ = std::min(waiting_, kPathBytes);
    waiting_ -= take_;
    const char head[4] = {0, char(take_), char(state_ & 15), char(waiting_)};
    record_.write({head, 4});
  }
  record_.commit();
  build(folder_);
  if (run_program({folder_ / "replay", folder_ / "record", folder_ / "output"}, folder_ / "log") != 0)
    throw base::Error({"--rtl"}, "the replay on the RTL fails: " + folder_text(folder_, "log"));
  Outcome out;
  std::istringstream log(folder_text(folder_, "log"));
  log >> out.cycles >> out.different >> out.first_different;
  for (uint64_t& dropped : out.dropped)
    log >> dropped;
  out.output = folder_text(folder_, "output");
  return out;
}

void add_rtl_outcome(
    const RtlRun::Outcome& rtl,
    const Tile& unit,
    const std::string& output,
    finding::Diagnosis& d) {
  const bool same_drops = rtl.dropped == unit.counters().dropped;
  if (rtl.different == 0 && same_drops && rtl.output == output) {
    d.facts.emplace_back(
        "RTL under Verilator",
        "the same in all " + std::to_string(rtl.cycles) + " cycles: STATUS, retirements, " +
            std::to_string(output.size()) + " bytes out, drops");
    return;
  }
  finding::Finding f;
  f.subject = "RTL";
  f.category = "rtl";
  f.score = 1;
  f.summary = "The RTL differs from the model: in " + std::to_string(rtl.different) + " of " +
              std::to_string(rtl.cycles) + " cycles, first in cycle " + std::to_string(rtl.first_different) +
              (same_drops ? "" : ", it lost other inputs") +
              (rtl.output == output ? "" : ", its output differs") + ".";
  f.evidence.push_back({"cycles that differ", double(rtl.different), "cycles", "Verilator"});
  f.next_step = "report it: both follow one specification, and neither is to be trusted here";
  d.findings.push_back(std::move(f));
}

}  // namespace lento::tile
