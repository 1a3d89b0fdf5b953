// Implements the memory-mapped registers of a tile for host software (host.h). An image is written word by
// word into a window of bounded size. The load command passes it to the gate, and only an accepted image
// reaches the tile.
#include "tile/unit/device.h"

#include <cstring>

#include "base/error.h"

namespace lento::tile {

void Device::load(uint32_t bytes) {
  refusal_ = bytes > window_.size() ? "fewer bytes were written than the image has" : "";
  std::string image = window_.substr(0, bytes);
  window_.clear();
  if (refusal_.empty())
    refusal_ = gate_(image);
  if (!refusal_.empty())
    return;
  try {
    tile_.config_image(parse_image(image, "image"));
  } catch (const base::Error& error) {
    refusal_ = error.what();
  }
}

void Device::command(uint32_t value) {
  switch (value) {
    case YPU_DO_LOAD:
      return load(argument_);
    case YPU_DO_START:
      return tile_.config_start(argument_);
    case YPU_DO_STOP:
      return tile_.config_stop(argument_);
    case YPU_DO_PAUSE:
      return tile_.pause();
    case YPU_DO_RESUME:
      return tile_.resume();
    case YPU_DO_FINALIZE:
      return tile_.finalize();
    case YPU_DO_RESET:
      return tile_.reset();
    default:
      return;
  }
}

void Device::write(uint32_t offset, uint32_t value) {
  if (offset == YPU_COMMAND)
    command(value);
  if (offset == YPU_ARGUMENT)
    argument_ = value;
  if (offset == YPU_IMAGE && window_.size() < kMaxImage) {
    char bytes[4];
    std::memcpy(bytes, &value, 4);
    window_.append(bytes, 4);
  }
}

uint32_t Device::read(uint32_t offset) const {
  if (offset == YPU_STATUS)
    return uint32_t(tile_.status());
  return offset == YPU_RESULT ? !refusal_.empty() : 0;
}

ypu_bus Device::bus() {
  return {
      this,
      [](void* device, uint32_t offset, uint32_t value) {
        static_cast<Device*>(device)->write(offset, value);
      },
      [](void* device, uint32_t offset) {
        return static_cast<const Device*>(device)->read(offset);
      }};
}

}  // namespace lento::tile

namespace {

void order(const ypu_bus* bus, uint32_t command, uint32_t argument = 0) {
  bus->write(bus->device, YPU_ARGUMENT, argument);
  bus->write(bus->device, YPU_COMMAND, command);
}

}  // namespace

extern "C" {

int YPU_CONFIG_IMAGE(const ypu_bus* bus, const void* image, size_t bytes) {
  const auto* at = static_cast<const char*>(image);
  for (size_t i = 0; i < bytes; i += 4) {
    uint32_t word = 0;
    std::memcpy(&word, at + i, bytes - i < 4 ? bytes - i : 4);
    bus->write(bus->device, YPU_IMAGE, word);
  }
  order(bus, YPU_DO_LOAD, uint32_t(bytes));
  return bus->read(bus->device, YPU_RESULT) != 0;
}
void YPU_CONFIG_START(const ypu_bus* bus, uint32_t address) {
  order(bus, YPU_DO_START, address);
}
void YPU_CONFIG_STOP(const ypu_bus* bus, uint32_t address) {
  order(bus, YPU_DO_STOP, address);
}
void YPU_PAUSE(const ypu_bus* bus) {
  order(bus, YPU_DO_PAUSE);
}
void YPU_RESUME(const ypu_bus* bus) {
  order(bus, YPU_DO_RESUME);
}
void YPU_FINALIZE(const ypu_bus* bus) {
  order(bus, YPU_DO_FINALIZE);
}
uint32_t YPU_READ_STATUS(const ypu_bus* bus) {
  return bus->read(bus->device, YPU_STATUS);
}
}
