// Runs the C++ model and the RTL of a tile side by side and compares outputs, registers and memories in
// every cycle.
#include "lockstep.h"

#include <cstring>

namespace lento::tile {

Lockstep::Lockstep(uint32_t queue)
    : model_(TileOptions{64, queue}) {
  model_.memory().soft = &soft_;
  rtl_.set_queue(queue);
}

void Lockstep::load(const Image& image) {
  image_ = image;
  step({nullptr, Command::Reset});
  for (uint64_t left = rtl_.load(image); left > 0; --left)
    model_.step(nullptr);
  step({nullptr, Command::Image});
}

void Lockstep::command(const Cycle& cycle) {
  switch (cycle.command) {
    case Command::Image:
      return model_.config_image(image_);
    case Command::Start:
      return model_.config_start(cycle.argument);
    case Command::Stop:
      return model_.config_stop(cycle.argument);
    case Command::Pause:
      return model_.pause();
    case Command::Resume:
      return model_.resume();
    case Command::Finalize:
      return model_.finalize();
    case Command::Reset:
      return model_.reset();
    case Command::None:
      return;
  }
}

void Lockstep::expect(const char* what, uint64_t model, uint64_t rtl) {
  if (model == rtl || !difference_.empty())
    return;
  difference_ = std::string(what) + ": model " + std::to_string(model) + ", RTL " + std::to_string(rtl) +
                " in cycle " + std::to_string(model_.counters().cycles) + ", fetch at " +
                std::to_string(model_.fetch_pc()) + ", last retired at " +
                std::to_string(model_.retired().pc);
}

void Lockstep::compare(const Retired& retired) {
  const Retired& wanted = model_.retired();
  expect("retired", wanted.valid, retired.valid);
  if (wanted.valid) {
    expect("retired pc", wanted.pc, retired.pc);
    expect("retired register", wanted.rd, retired.rd);
    if (wanted.rd)
      expect("retired value", wanted.value, retired.value);
  }
  expect("STATUS", uint64_t(model_.status()), uint64_t(rtl_.status()));
  expect("pc", model_.fetch_pc(), rtl_.fetch_pc());
  expect("valid bits", model_.memory().valid, rtl_.io_valid());
  expect("arrival", model_.memory().arrival, rtl_.arrival());
  expect("bytes waiting", model_.output_waiting(), rtl_.waiting());
  expect("saturated", model_.histogram().saturated(), rtl_.saturated());
  for (int i = 0; i < kDrops; ++i)
    expect(
        drop_name(static_cast<Drop>(i)).data(),
        model_.counters().dropped[size_t(i)],
        rtl_.dropped(static_cast<Drop>(i)));
  const Fault fault = rtl_.fault();
  expect("fault", uint64_t(model_.fault().cause), uint64_t(fault.cause));
  expect("fault pc", model_.fault().pc, fault.pc);
  expect("fault address", model_.fault().address, fault.address);
}

bool Lockstep::step(const Cycle& cycle) {
  soft_.values[compared_++ % kSoftRegs] += 0x9e3779b9;
  if (cycle.take > 0 && rtl_.front(cycle.take) != model_.drain(cycle.take))
    expect("output bytes", 0, 1);
  rtl_.settle(cycle, soft_.values);
  const Retired retired = rtl_.retired();
  const bool writes = rtl_.soft_writes();
  const unsigned index = rtl_.soft_index();
  const uint32_t word = rtl_.soft_word();
  rtl_.clock();

  soft_.written.reset();
  command(cycle);
  model_.step(cycle.inputs);
  expect("soft-logic write", soft_.written.has_value(), writes);
  if (soft_.written) {
    expect("soft-logic register", soft_.written->first, index);
    expect("soft-logic word", soft_.written->second, word);
    soft_.values[soft_.written->first] = soft_.written->second;
  }
  compare(retired);
  return same();
}

std::string Lockstep::memory_difference() {
  for (int n = 0; same() && rtl_.store_in_mem(); ++n) {
    if (n == 1000)
      return "";  // a hardware loop of nothing but stores
    step({nullptr, Command::None, 0, 4});
  }
  const auto& bytes = model_.memory().scratchpad;
  for (size_t i = 0; i < kDataBytes / 4; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, bytes.data() + 4 * i, 4);
    if (word != rtl_.scratchpad_word(i))
      return "scratchpad word " + std::to_string(i);
  }
  return difference_;
}

}  // namespace lento::tile
