// Presets on recordings of small models of each interface: random traffic with random waiting, written as VCD
// beside the list of what was transferred.
#include "tile/block/preset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "tile/block/vcd.h"

namespace lento::tile {
namespace {

using Values = std::map<std::string, uint64_t>;

// Writes signals of a block cycle by cycle.
class Recorder {
 public:
  Recorder(const std::string& prefix, const std::map<std::string, int>& widths) {
    text_ = "$timescale 1ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n";
    int code = 0;
    for (const auto& [name, width] : widths) {
      codes_[name] = "s" + std::to_string(code++);
      text_ += "$var wire " + std::to_string(width) + " " + codes_[name] + " " + prefix + name;
      if (width > 1)
        text_ += " [" + std::to_string(width - 1) + ":0]";
      text_ += " $end\n";
    }
    text_ += "$upscope $end\n$enddefinitions $end\n";
  }
  void cycle(const Values& values) {
    text_ += "#" + std::to_string(time_) + "\n0!\n";
    for (const auto& [name, code] : codes_) {
      const auto found = values.find(name);
      std::string bits;
      for (uint64_t left = found == values.end() ? 0 : found->second; left != 0; left >>= 1)
        bits.insert(bits.begin(), left & 1 ? '1' : '0');
      text_ += "b" + (bits.empty() ? "0" : bits) + " " + code + "\n";
    }
    text_ += "#" + std::to_string(time_ + 5) + "\n1!\n";
    time_ += 10;
  }
  const std::string& text() const {
    return text_;
  }

 private:
  std::string text_;
  std::map<std::string, std::string> codes_;
  uint64_t time_ = 0;
};

// Returns "IOREG=VALUE" of every input, and "@ADDRESS" of every address, in order.
std::vector<std::string> read_with(const std::string& preset, const std::string& text) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("lento-preset-" + std::to_string(::getpid()) + ".vcd"))
          .string();
  base::write_file(path, text);
  base::ReadReport report;
  std::vector<std::string> out;
  read_vcd(path, preset_map(preset, "top.clk"), report, [&](const VcdCycle& c) {
    if (c.has_address)
      out.push_back("@" + std::to_string(c.address));
    for (int i = 0; i < 32; ++i) {
      if (c.valid >> i & 1)
        out.push_back(std::to_string(i) + "=" + std::to_string(c.data[i]));
    }
    return true;
  });
  std::filesystem::remove(path);
  return out;
}

// Draws a value for each signal.
Values draw(base::Rng& rng, const std::map<std::string, int>& widths) {
  Values out;
  for (const auto& [name, width] : widths)
    out[name] = rng.below(uint64_t{1} << std::min(width, 40)) & ((uint64_t{1} << width) - 1);
  return out;
}

// A field of an IOReg: the signal and its lowest bit.
struct Field {
  std::string signal;
  int at = 0;
};
// The IORegs of one channel, and the signals that must all be set.
struct Channel {
  std::vector<std::string> valid;
  std::map<int, std::vector<Field>> ioregs;
};

void expect_inputs(
    const std::string& preset,
    const std::string& prefix,
    const std::map<std::string, int>& widths,
    const std::vector<Channel>& channels,
    const std::string& trigger) {
  base::Rng rng(51, "tile.preset." + preset);
  Recorder recorder(prefix, widths);
  std::vector<std::string> expected;
  for (int n = 0; n < 400; ++n) {
    const Values values = draw(rng, widths);
    recorder.cycle(values);
    std::map<int, uint64_t> inputs;
    for (const Channel& channel : channels) {
      const bool moves = std::ranges::all_of(channel.valid, [&](const std::string& name) {
        return values.at(name) != 0;
      });
      if (!moves)
        continue;
      for (const auto& [ioreg, fields] : channel.ioregs) {
        for (const Field& field : fields) {
          inputs[ioreg] |= values.at(field.signal) << field.at;
          if (field.signal == trigger)
            expected.push_back("@" + std::to_string(uint32_t(values.at(trigger))));
        }
      }
    }
    for (const auto& [ioreg, value] : inputs)
      expected.push_back(std::to_string(ioreg) + "=" + std::to_string(uint32_t(value)));
  }
  EXPECT_GT(expected.size(), 200u);
  EXPECT_EQ(read_with(preset + ":top." + prefix, recorder.text()), expected) << preset;
}

TEST(Preset, RvfiGivesEachRetiredInstruction) {
  expect_inputs(
      "rvfi",
      "core_",
      {{"rvfi_valid", 1},     {"rvfi_order", 40},    {"rvfi_insn", 32},      {"rvfi_trap", 1},
       {"rvfi_halt", 1},      {"rvfi_intr", 1},      {"rvfi_mode", 2},       {"rvfi_rs1_addr", 5},
       {"rvfi_rs2_addr", 5},  {"rvfi_rd_addr", 5},   {"rvfi_rs1_rdata", 32}, {"rvfi_rs2_rdata", 32},
       {"rvfi_rd_wdata", 32}, {"rvfi_pc_rdata", 32}, {"rvfi_pc_wdata", 32},  {"rvfi_mem_addr", 32},
       {"rvfi_mem_rmask", 4}, {"rvfi_mem_wmask", 4}, {"rvfi_mem_rdata", 32}, {"rvfi_mem_wdata", 32}},
      {{{"rvfi_valid"},
        {{0, {{"rvfi_pc_rdata"}}},
         {1, {{"rvfi_insn"}}},
         {2, {{"rvfi_rd_wdata"}}},
         {3, {{"rvfi_mem_addr"}}},
         {4, {{"rvfi_mem_wdata"}}},
         {5, {{"rvfi_mem_rdata"}}},
         {6,
          {{"rvfi_rd_addr"},
           {"rvfi_rs1_addr", 5},
           {"rvfi_rs2_addr", 10},
           {"rvfi_trap", 15},
           {"rvfi_intr", 16},
           {"rvfi_halt", 17},
           {"rvfi_mode", 18}}},
         {7, {{"rvfi_mem_rmask"}, {"rvfi_mem_wmask", 8}}},
         {8, {{"rvfi_pc_wdata"}}},
         {9, {{"rvfi_rs1_rdata"}}},
         {10, {{"rvfi_rs2_rdata"}}}}}},
      "rvfi_pc_rdata");
}

// A block of two half-words has an even iretire, which is valid all the same.
TEST(Preset, ETraceGivesEachBlockOfInstructions) {
  expect_inputs(
      "etrace",
      "",
      {{"itype", 4},
       {"cause", 6},
       {"tval", 40},
       {"priv", 2},
       {"iaddr", 32},
       {"iretire", 2},
       {"ilastsize", 1}},
      {{{"iretire"},
        {{0, {{"iaddr"}}},
         {1, {{"iretire"}, {"ilastsize", 8}, {"itype", 12}, {"priv", 16}, {"cause", 20}}},
         {2, {{"tval"}}}}}},
      "iaddr");
}

const std::map<std::string, int> kAxi = {
    {"awvalid", 1}, {"awready", 1}, {"awaddr", 32}, {"awlen", 8},   {"awsize", 3},  {"awburst", 2},
    {"awid", 4},    {"wvalid", 1},  {"wready", 1},  {"wdata", 32},  {"wstrb", 4},   {"wlast", 1},
    {"bvalid", 1},  {"bready", 1},  {"bresp", 2},   {"bid", 4},     {"arvalid", 1}, {"arready", 1},
    {"araddr", 40}, {"arlen", 8},   {"arsize", 3},  {"arburst", 2}, {"arid", 4},    {"rvalid", 1},
    {"rready", 1},  {"rdata", 32},  {"rresp", 2},   {"rlast", 1},   {"rid", 4}};

TEST(Preset, AxiGivesEachHandshake) {
  expect_inputs(
      "axi4",
      "m_axi_",
      kAxi,
      {{{"awvalid", "awready"},
        {{0, {{"awaddr"}}}, {1, {{"awlen"}, {"awsize", 8}, {"awburst", 11}, {"awid", 16}}}}},
       {{"wvalid", "wready"}, {{2, {{"wdata"}}}, {3, {{"wlast"}, {"wstrb", 1}}}}},
       {{"bvalid", "bready"}, {{4, {{"bresp"}, {"bid", 16}}}}},
       {{"arvalid", "arready"},
        {{5, {{"araddr"}}}, {6, {{"arlen"}, {"arsize", 8}, {"arburst", 11}, {"arid", 16}}}}},
       {{"rvalid", "rready"}, {{7, {{"rdata"}}}, {8, {{"rlast"}, {"rresp", 1}, {"rid", 16}}}}}},
      "awaddr");
}

TEST(Preset, AxiLiteUsesTheIORegsOfAxi) {
  std::map<std::string, int> widths = kAxi;
  std::erase_if(widths, [](const auto& signal) {
    return signal.first.ends_with("id") && !signal.first.ends_with("valid");
  });
  for (const char* name : {"awlen", "awsize", "awburst", "arlen", "arsize", "arburst", "wlast", "rlast"})
    widths.erase(name);
  expect_inputs(
      "axi4-lite",
      "s_",
      widths,
      {{{"awvalid", "awready"}, {{0, {{"awaddr"}}}}},
       {{"wvalid", "wready"}, {{2, {{"wdata"}}}, {3, {{"wstrb", 1}}}}},
       {{"bvalid", "bready"}, {{4, {{"bresp"}}}}},
       {{"arvalid", "arready"}, {{5, {{"araddr"}}}}},
       {{"rvalid", "rready"}, {{7, {{"rdata"}}}, {8, {{"rresp", 1}}}}}},
      "awaddr");
}

TEST(Preset, TileLinkGivesEachBeat) {
  for (const std::string bits : {"", "bits_"}) {
    std::map<std::string, int> widths = {{"a_valid", 1}, {"a_ready", 1}, {"d_valid", 1}, {"d_ready", 1}};
    const std::map<std::string, int> fields = {
        {"opcode", 3},
        {"size", 3},
        {"source", 8},
        {"data", 32},
        {"address", 32},
        {"mask", 4},
        {"denied", 1}};
    for (const auto& [name, width] : fields) {
      if (name != "denied")
        widths["a_" + bits + name] = width;
      if (name != "address" && name != "mask")
        widths["d_" + bits + name] = width;
    }
    const auto channel = [&](const std::string& letter) {
      return letter + "_" + bits;
    };
    expect_inputs(
        bits.empty() ? "tilelink" : "tilelink-chisel",
        "tl_",
        widths,
        {{{"a_valid", "a_ready"},
          {{0, {{channel("a") + "address"}}},
           {1, {{channel("a") + "opcode"}, {channel("a") + "size", 4}, {channel("a") + "source", 8}}},
           {2, {{channel("a") + "data"}}},
           {3, {{channel("a") + "mask"}}}}},
         {{"d_valid", "d_ready"},
          {{4,
            {{channel("d") + "opcode"},
             {channel("d") + "size", 4},
             {channel("d") + "source", 8},
             {channel("d") + "denied", 31}}},
           {5, {{channel("d") + "data"}}}}}},
        "a_" + bits + "address");
  }
}

// A master that only reads has no channels to write, and this one has no `arsize` and `arburst` either.
TEST(Preset, ChannelsThatTheRecordingLacksAreLeftOut) {
  std::map<std::string, int> widths{{"rdata", 32}, {"rlast", 1}, {"rresp", 2}};
  for (const char* signal : {"addr", "len", "id"})
    widths[std::string("ar") + signal] = 8;
  widths["rid"] = 8;
  for (const char* signal : {"arvalid", "arready", "rvalid", "rready"})
    widths[signal] = 1;
  Recorder recorder("m_", widths);
  recorder.cycle({{"araddr", 7}, {"arvalid", 1}, {"arready", 1}});
  EXPECT_EQ(read_with("axi4:top.m_", recorder.text()), (std::vector<std::string>{"5=7", "6=0"}));
  EXPECT_THAT(
      [&] {
        read_with("axi4:top.s_", recorder.text());
      },
      testing::ThrowsMessage<base::Error>(testing::HasSubstr("no signal 'top.s_awvalid'")));
}

TEST(Preset, AnUnknownNameOrSignalIsRefused) {
  EXPECT_THAT(
      [] {
        preset_map("axi5:top.", "top.clk");
      },
      testing::ThrowsMessage<base::Error>(testing::HasSubstr("no preset 'axi5'")));
  Recorder recorder("core_", {{"rvfi_valid", 1}});
  EXPECT_THAT(
      [&] {
        read_with("rvfi:top.core_", recorder.text());
      },
      testing::ThrowsMessage<base::Error>(testing::HasSubstr("rvfi_pc_rdata")));
}

}  // namespace
}  // namespace lento::tile
