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

// Returns the entry of a code in NVIDIA's catalogue of Xid errors, or nullptr when the catalogue does not
// hold it.
struct Xid {
  int code;
  Origin origin;
  Severity severity;
  const char* meaning;
  const char* action;
};
const Xid* xid(int64_t code);

}  // namespace lento::desk
