// Errors that CUDA and ROCm return to a program, as PyTorch quotes them. An uncorrectable error of memory or
// of NVLink is a fault of the GPU of that rank. An error of the program itself (an illegal access, an
// assertion, memory that ran out) ends the job and names no part.
//
// Sources: the error strings of CUDA 11 to 13 (cudaGetErrorString); c10/cuda of PyTorch 1.13 to 2.8.
#include "desk/pytorch/pytorch.h"
#include "desk/read/event_form.h"

namespace lento::desk {
namespace {

using enum Origin;
using enum Severity;
constexpr const char* kOwnError =
    "run the failing rank with CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer; the earliest error of all ranks "
    "is the cause";
constexpr const char* kLessMemory =
    "look at which rank holds more than the others (torch.cuda.memory_summary)";

const EventForm kCudaErrorForms[] = {
    {{"uncorrectable ECC error encountered",
      {"RuntimeError: CUDA error: uncorrectable ECC error encountered",
       "transport/p2p.cc:289 NCCL WARN Cuda failure 'uncorrectable ECC error encountered'"}},
     "cuda/ecc",
     Hardware,
     Fault,
     "uncorrectable memory error of its GPU",
     "drain its host, look for Xid 48, 63, 94 and 95 in its kernel log, reset the GPU; replace it if it "
     "comes back"},
    {{"uncorrectable NVLink error detected",
      {"RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution"}},
     "cuda/nvlink",
     Link,
     Fault,
     "uncorrectable NVLink error of its GPU",
     "look at nvidia-smi nvlink -e and the kernel log of its host, reset its GPUs"},
    {{"Error 802: system not yet initialized",
      {"RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized"}},
     "cuda/fabric",
     Unclear,
     Fault,
     "the NVLink fabric of its GPUs is not initialised",
     "look whether the fabric manager runs there in the version of the driver (systemctl status "
     "nvidia-fabricmanager), and at nvidia-smi -q: Fabric, State"},
    {{"HW Exception by GPU {device:word} (Agent handle: {_:hex}) reason{why}",
      {"HW Exception by GPU node-9 (Agent handle: 0x631351bb5a20) reason :GPU Hang"}},
     "hsa/exception",
     Hardware,
     Fault,
     "the runtime of ROCm reports an exception of its hardware",
     "look at the kernel log of that host for amdgpu and at amd-smi; rocminfo lists the nodes and their "
     "GPUs"},
    {{"CUDA error: an illegal memory access",
      {"RuntimeError: CUDA error: an illegal memory access was encountered"}},
     "job/illegal access",
     Program,
     Note,
     "a kernel of the program accessed memory that is not its own",
     kOwnError},
    {{"CUDA error: device-side assert", {"RuntimeError: CUDA error: device-side assert triggered"}},
     "job/assertion",
     Program,
     Note,
     "an assertion in a kernel of the program failed",
     kOwnError},
    {{"CUDA error: unspecified launch failure", {"RuntimeError: CUDA error: unspecified launch failure"}},
     "job/launch failure",
     Program,
     Note,
     "a kernel of the program failed",
     kOwnError},
    {{"CUDA error: misaligned address", {"RuntimeError: CUDA error: misaligned address"}},
     "job/misaligned",
     Program,
     Note,
     "a kernel of the program used a misaligned address",
     kOwnError},
    {{"CUDA out of memory.", {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."}},
     "job/GPU memory",
     Program,
     Note,
     "the memory of a GPU ran out",
     kLessMemory},
};

const std::vector<LineForm> kCudaForms = forms_of(kCudaErrorForms);

}  // namespace

const Format kCudaErrors{
    "errors of CUDA and ROCm",
    "pytorch",
    kCudaForms,
    Shape::Lines,
    make<EventLines<kCudaErrorForms>>};

}  // namespace lento::desk
