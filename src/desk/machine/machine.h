// Hardware of a host beside its GPUs and its network: the event log of its management controller (ipmitool
// sel) and the health of its disks (nvme smart-log): docs/formats/desk-machine.md.
#pragma once

#include "desk/read/format.h"

namespace lento::desk {

extern const Format kIpmiSel;    // ipmitool sel list, sel elist
extern const Format kNvmeSmart;  // nvme smart-log
extern const Format kSmartd;     // the log of smartd
extern const Format kUnits;      // systemctl list-units

Formats machine_formats();

}  // namespace lento::desk
