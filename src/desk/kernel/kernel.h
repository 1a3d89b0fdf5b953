// Lines that the Linux kernel and its drivers write when hardware or a program goes wrong (dmesg, journalctl
// -k, /var/log/messages, kern.log): docs/formats/desk-kernel.md.
#pragma once

#include "desk/read/format.h"

namespace lento::desk {

extern const Format kNvidiaKernel;   // NVRM Xid and NVSwitch SXid
extern const Format kKernel;         // mlx5, PCIe AER, machine checks, amdgpu, memory, stuck tasks
extern const Format kAlarmLines;     // lost parts, in phrases that drivers share
extern const Format kFabricManager;  // errors of NVSwitches in the log of the fabric manager

Formats kernel_formats();

// An entry of NVIDIA's catalogue of Xid errors.
struct Xid {
  int code;
  Origin origin;
  Severity severity;
  const char* meaning;
  const char* action;
};
// Returns the entry of a code, or nullptr when the catalogue lacks it.
const Xid* xid(int64_t code);

}  // namespace lento::desk
