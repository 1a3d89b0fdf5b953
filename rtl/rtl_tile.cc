// Drives the Verilator model of a tile: clock, ports, commands and the loading of images.
#include "rtl_tile.h"

#include <algorithm>
#include <cstring>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "Vtile.h"
#include "Vtile___024root.h"
#pragma GCC diagnostic pop

// Verilator's run time needs this function. The RTL has no notion of time.
double sc_time_stamp() {
  return 0;
}

namespace lento::tile {
namespace {

uint32_t word_of(const std::string& bytes, size_t index) {
  uint32_t word = 0;
  if (4 * index < bytes.size())
    std::memcpy(&word, bytes.data() + 4 * index, std::min<size_t>(4, bytes.size() - 4 * index));
  return word;
}

}  // namespace

RtlTile::RtlTile()
    : rtl_(std::make_unique<Vtile>()) {
  rtl_->reset = 1;
  settle({}, {});
  clock();
  rtl_->reset = 0;
}
RtlTile::~RtlTile() {
  rtl_->final();
}

void RtlTile::write(bool code, uint32_t word_address, uint32_t word) {
  rtl_->memory_write = 1;
  rtl_->memory_is_code = code;
  rtl_->memory_address = static_cast<SData>(word_address);
  rtl_->memory_word = word;
  settle({}, {});
  clock();
  rtl_->memory_write = 0;
}

uint64_t RtlTile::load(const Image& image) {
  uint64_t cycles = 0;
  const auto& code = rtl_->rootp->tile__DOT__code__DOT__words;
  const auto& data = rtl_->rootp->tile__DOT__data__DOT__words;
  for (uint32_t i = 0; i < kCodeBytes / 4; ++i) {
    if (code[i] != word_of(image.code, i))
      write(true, i, word_of(image.code, i)), ++cycles;
  }
  for (uint32_t i = 0; i < kDataBytes / 4; ++i) {
    if (data[i] != word_of(image.data, i))
      write(false, i, word_of(image.data, i)), ++cycles;
  }
  rtl_->image_entry = static_cast<SData>(image.main_entry);
  rtl_->image_triggered = image.triggered;
  rtl_->image_mask = image.input_mask;
  rtl_->image_trigger_start = image.trigger_start;
  rtl_->image_trigger_end = image.trigger_end;
  return cycles;
}

void RtlTile::set_queue(uint32_t limit) {
  rtl_->queue_limit = static_cast<CData>(limit);
}

void RtlTile::settle(const Cycle& cycle, const std::array<uint32_t, kSoftRegs>& soft) {
  rtl_->in_valid = 0;
  rtl_->in_has_address = 0;
  if (cycle.inputs) {
    rtl_->in_valid = cycle.inputs->valid;
    rtl_->in_has_address = cycle.inputs->has_address;
    rtl_->in_address = cycle.inputs->address;
    std::memcpy(rtl_->in_data.data(), cycle.inputs->data.data(), sizeof cycle.inputs->data);
  }
  rtl_->command = static_cast<CData>(cycle.command);
  rtl_->argument = cycle.argument;
  rtl_->take = static_cast<CData>(std::min<size_t>(cycle.take, waiting()));
  std::memcpy(rtl_->soft_words.data(), soft.data(), sizeof soft);
  rtl_->clock = 0;
  rtl_->eval();
}

void RtlTile::clock() {
  rtl_->clock = 1;
  rtl_->eval();
}

std::string RtlTile::front(size_t bytes) const {
  const uint32_t word = rtl_->out_front;
  return std::string(reinterpret_cast<const char*>(&word), std::min({bytes, waiting(), size_t{4}}));
}

size_t RtlTile::waiting() const {
  return rtl_->out_waiting;
}
bool RtlTile::soft_writes() const {
  return rtl_->soft_write;
}
unsigned RtlTile::soft_index() const {
  return rtl_->soft_index;
}
uint32_t RtlTile::soft_word() const {
  return rtl_->soft_word;
}
Status RtlTile::status() const {
  return static_cast<Status>(rtl_->status);
}
uint32_t RtlTile::fetch_pc() const {
  return rtl_->fetch_pc;
}
uint32_t RtlTile::io_valid() const {
  return rtl_->io_valid;
}
uint32_t RtlTile::arrival() const {
  return rtl_->input_arrival;
}
uint32_t RtlTile::dropped(Drop cause) const {
  return rtl_->drops[size_t(cause)];
}
bool RtlTile::saturated() const {
  return rtl_->histogram_saturated;
}

bool RtlTile::store_in_mem() const {
  return rtl_->store_in_mem;
}

Fault RtlTile::fault() const {
  if (!rtl_->fault_seen)
    return {};
  return {static_cast<FaultCause>(rtl_->fault_cause), rtl_->fault_pc, rtl_->fault_address};
}

Retired RtlTile::retired() const {
  return {rtl_->retired != 0, rtl_->retired_pc, rtl_->retired_rd, rtl_->retired_value};
}

uint32_t RtlTile::scratchpad_word(size_t index) const {
  return rtl_->rootp->tile__DOT__data__DOT__words[index];
}

}  // namespace lento::tile
