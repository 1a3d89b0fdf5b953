// Gives a PCI function one name, so that records of several tools refer to the same device: "4b:00.0",
// "0000:4b:00", "PCI:0000:4b:00.0" and "00000000:4B:00.0" all become "0000:4b:00.0".
#pragma once

#include <string>
#include <string_view>

namespace lento::desk {

// Returns the text unchanged when it is not a PCI address.
std::string pci_device(std::string_view text);

}  // namespace lento::desk
