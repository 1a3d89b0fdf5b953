// One name for a PCI function, whatever the file: "4b:00.0", "0000:4b:00", "PCI:0000:4b:00.0" and
// "00000000:4B:00.0" are all "0000:4b:00.0", so that records of several tools meet at one device.
#pragma once

#include <string>
#include <string_view>

namespace lento::desk {

// The text unchanged when it is no PCI address.
std::string pci_device(std::string_view text);

}  // namespace lento::desk
