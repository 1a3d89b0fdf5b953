// Links as the tools of the operating system and of the network cards show them: PCIe (lspci), InfiniBand and
// Ethernet ports (ibstatus, ibstat, mlxlink, ethtool) and their counters (ethtool -S, perfquery, rdma
// statistic, /sys/class/infiniband): docs/formats/desk-link.md.
#pragma once

#include <string>
#include <string_view>

#include "desk/read/format.h"

namespace lento::desk {

extern const Format kPcieLinks;      // lspci -vv
extern const Format kPorts;          // ibstatus, ibstat, ethtool
extern const Format kMlxlink;        // mlxlink
extern const Format kFabricLinks;    // iblinkinfo
extern const Format kPortCounters;   // ethtool -S, perfquery, rdma statistic, sysfs
extern const Format kQueryErrors;    // ibqueryerrors
extern const Format kNetdevs;        // ibdev2netdev
extern const Format kSockets;        // ss -ti
extern const Format kSubnetManager;  // opensm.log, nvlsm.log

Formats link_formats();

// Returns "mlx5_0" for the first port of a card, "mlx5_0/2" for the second.
std::string port_device(std::string_view card, std::string_view port);

// Writes a counter of a port under the name that its tool gives it. Names that are not in the table of
// src/desk/link/counters.cc are left out.
void write_port_counter(std::string_view name, std::string_view value, const Subject& port, Sink& sink);

}  // namespace lento::desk
