// Lines that PyTorch's NCCL process group, and NCCL itself, write to a job's log.
#pragma once

#include "desk/read/format.h"

namespace lento::desk {

// Timeouts and progress of collectives by the watchdog of ProcessGroupNCCL (docs/formats/desk-pytorch.md).
extern const Format kPytorchWatchdog;
// NCCL_DEBUG=INFO and WARN: transports of the channels, versions, errors.
extern const Format kNcclDebug;
// The text answer of NCCL's RAS service (ncclras, `nc localhost 28028`).
extern const Format kNcclRas;
// Errors of CUDA as a program quotes them.
extern const Format kCudaErrors;
// Stacks of py-spy and faulthandler.
extern const Format kStacks;

// Returns all formats of this family.
Formats pytorch_formats();

}  // namespace lento::desk
