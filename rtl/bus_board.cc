// Implements the bus masters of bus_board.h. Each follows the rules of its bus: a request does not change
// until it is taken, and an answer is taken after a random wait. The caller sees three equal interfaces.
#include "bus_board.h"

#include "base/error.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "Vtile_axi_lite.h"
#include "Vtile_tilelink.h"
#include "Vtile_wishbone.h"
#pragma GCC diagnostic pop

// Verilator's run time needs this function. The RTL has no notion of time.
double sc_time_stamp() {
  return 0;
}

namespace lento::tile {

constexpr int kMostCycles = 1000;  // limit of a wait; a tile answers in the next cycle

template <class Top>
Board<Top>::Board(uint64_t seed)
    : rng_(seed, "tile.bus"),
      top_(std::make_unique<Top>()) {
  top_->reset = 1;
  tick();
  tick();
  top_->reset = 0;
}

template <class Top>
Board<Top>::~Board() {
  top_->final();
}

template <class Top>
bool Board<Top>::irq() const {
  return top_->irq;
}

template <class Top>
void Board<Top>::tick() {
  top_->in_valid = 0;
  const auto drive = [&](const TileInputs& inputs) {
    top_->in_valid = inputs.valid;
    std::memcpy(top_->in_data.data(), inputs.data.data(), sizeof inputs.data);
  };
  const bool takes = Status(top_->status) == Status::ActivePaused;
  if (free_running_) {
    drive(free_running_());
  } else if (takes && !offered_.empty() && rng_.below(3) == 0) {
    drive(offered_.front());
    offered_.pop_front();
  }
  top_->clock = 0;
  top_->eval();
  top_->clock = 1;
  top_->eval();
}

template <class Top>
void Board<Top>::wait_at_random() {
  for (uint64_t n = some_cycles(); n > 0; --n)
    tick();
}

// Lets combinational outputs follow the signals of the host before the clock's edge.
template <class Top>
void settle(Top& top) {
  top.clock = 0;
  top.eval();
}

template <>
std::optional<uint32_t> Board<Vtile_axi_lite>::access(const Access& access) {
  wait_at_random();
  Vtile_axi_lite& top = *top_;
  if (!access.is_write) {
    top.s_axi_arvalid = 1;
    top.s_axi_araddr = SData(access.offset);
    for (int n = 0;; ++n) {
      LENTO_CHECK(n < kMostCycles, "AXI takes the address of a read");
      settle(top);
      const bool taken = top.s_axi_arready;
      tick();
      if (taken)
        break;
    }
    top.s_axi_arvalid = 0;
    wait_at_random();
    LENTO_CHECK(top.s_axi_rvalid, "AXI answers a read and holds the answer");
    top.s_axi_rready = 1;
    settle(top);
    const uint32_t word = top.s_axi_rdata;
    const bool is_error = top.s_axi_rresp != 0;
    tick();
    top.s_axi_rready = 0;
    return is_error ? std::nullopt : std::optional(word);
  }
  // Address and data are sent in any order, each after its own random wait.
  uint64_t address_in = some_cycles(), data_in = some_cycles();
  bool address_taken = false, data_taken = false;
  top.s_axi_awaddr = SData(access.offset);
  top.s_axi_wdata = access.word;
  top.s_axi_wstrb = CData(access.lanes);
  for (int n = 0; !address_taken || !data_taken; ++n) {
    LENTO_CHECK(n < kMostCycles, "AXI takes a write");
    top.s_axi_awvalid = address_in == 0 && !address_taken;
    top.s_axi_wvalid = data_in == 0 && !data_taken;
    settle(top);
    address_taken |= top.s_axi_awvalid && top.s_axi_awready;
    data_taken |= top.s_axi_wvalid && top.s_axi_wready;
    tick();
    address_in -= address_in > 0;
    data_in -= data_in > 0;
  }
  top.s_axi_awvalid = top.s_axi_wvalid = 0;
  wait_at_random();
  LENTO_CHECK(top.s_axi_bvalid, "AXI answers a write and holds the answer");
  top.s_axi_bready = 1;
  settle(top);
  const bool is_error = top.s_axi_bresp != 0;
  tick();
  top.s_axi_bready = 0;
  return is_error ? std::nullopt : std::optional(0u);
}

template <>
std::optional<uint32_t> Board<Vtile_wishbone>::access(const Access& access) {
  Vtile_wishbone& top = *top_;
  wait_at_random();
  top.wb_cyc = 1;
  wait_at_random();  // a cycle may begin before its first strobe
  top.wb_stb = 1;
  top.wb_we = access.is_write;
  top.wb_adr = SData(access.offset);
  top.wb_sel = CData(access.lanes);
  top.wb_dat_write = access.word;
  for (int n = 0;; ++n) {
    LENTO_CHECK(n < kMostCycles, "Wishbone ends a cycle");
    settle(top);
    const bool ack = top.wb_ack;
    const bool err = top.wb_err;
    const uint32_t word = top.wb_dat_read;
    LENTO_CHECK(!(ack && err), "Wishbone ends a cycle once");
    tick();
    if (!ack && !err)
      continue;
    top.wb_stb = 0;
    top.wb_cyc = rng_.below(2) == 0;  // the host may keep the bus
    return err ? std::nullopt : std::optional(access.is_write ? 0 : word);
  }
}

template <>
std::optional<uint32_t> Board<Vtile_tilelink>::access(const Access& access) {
  constexpr int kPut = 0, kPutParts = 1, kGet = 4, kWord = 2;
  Vtile_tilelink& top = *top_;
  wait_at_random();
  top.tl_a_valid = 1;
  top.tl_a_opcode = access.is_write ? (access.lanes == 0xf ? kPut : kPutParts) : kGet;
  top.tl_a_size = kWord;
  top.tl_a_mask = CData(access.lanes);
  top.tl_a_source = CData(rng_.below(256));
  top.tl_a_address = SData(access.offset);
  top.tl_a_data = access.word;
  const auto source = top.tl_a_source;
  for (int n = 0;; ++n) {
    LENTO_CHECK(n < kMostCycles, "TileLink takes a request");
    settle(top);
    const bool taken = top.tl_a_ready;
    tick();
    if (taken)
      break;
  }
  top.tl_a_valid = 0;
  wait_at_random();
  LENTO_CHECK(top.tl_d_valid && top.tl_d_source == source, "TileLink answers whom it owes an answer");
  LENTO_CHECK(
      top.tl_d_opcode == (access.is_write ? 0 : 1) && top.tl_d_size == kWord,
      "TileLink answers in kind");
  top.tl_d_ready = 1;
  settle(top);
  const uint32_t word = top.tl_d_data;
  const bool is_denied = top.tl_d_denied;
  tick();
  top.tl_d_ready = 0;
  return is_denied ? std::nullopt : std::optional(access.is_write ? 0 : word);
}

template class Board<Vtile_axi_lite>;
template class Board<Vtile_wishbone>;
template class Board<Vtile_tilelink>;

}  // namespace lento::tile
