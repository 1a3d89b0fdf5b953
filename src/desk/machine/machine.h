// Hardware of a host beside its GPUs and its network: the event log of its management controller (ipmitool
// sel), the health of its disks (nvme smart-log) and its connections to file servers (Lustre):
// docs/formats/desk-machine.md.
#pragma once

#include "desk/read/format.h"

namespace lento::desk {

inline constexpr const char* kReplaceDisk = "copy what is on it and replace the disk";

extern const Format kIpmiSel;       // ipmitool sel list, sel elist
extern const Format kLustreImport;  // lctl get_param osc.*.import
extern const Format kNvmeSmart;     // nvme smart-log
extern const Format kSmartctl;      // smartctl -a, -H
extern const Format kSmartd;        // the log of smartd
extern const Format kUnits;         // systemctl list-units

Formats machine_formats();

}  // namespace lento::desk
