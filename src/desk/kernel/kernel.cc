// Lists lines of kernel drivers other than NVIDIA's, each with its meaning. A PCI function or another part
// in the line becomes the device of the event.
//
// Sources: drivers/net/ethernet/mellanox/mlx5/core/{events,health,pci_irq}.c, drivers/pci/pcie/aer.c,
// arch/x86/kernel/cpu/mce, drivers/edac, drivers/gpu/drm/amd/amdgpu/amdgpu_{device,ras,job}.c,
// drivers/infiniband/hw/efa, mm/oom_kill.c, kernel/hung_task.c and kernel/watchdog.c of Linux 5.15 to 6.8.
#include "desk/kernel/kernel.h"

#include "desk/read/event_form.h"
#include "desk/read/pci.h"

namespace lento::desk {
namespace {

using enum Origin;
using enum Severity;
constexpr const char* kCable = "reseat or replace cable and transceiver, look at the switch port";
constexpr const char* kSlot = "reseat the board, look at lspci -vv for the width and speed of that link";
constexpr const char* kEfa = "replace the instance (or reset the card and reload its driver)";
constexpr const char* kAmdReset = "drain the node, reset the GPU; replace it if the errors come back";

const EventForm kKernelForms[] = {
    {{"mlx5_core {pci:word}: Port module event[error]: module {module:int}, {what}",
      {"mlx5_core 0000:17:00.0: Port module event[error]: module 0, Cable error, Bus stuck (I2C or data "
       "shorted)"}},
     "mlx5/module error",
     Link,
     Warning,
     "error of a cable or transceiver",
     kCable},
    {{"mlx5_core {pci:word}: Port module event: module {module:int}, Cable unplugged",
      {"mlx5_core 0000:17:00.1: Port module event: module 1, Cable unplugged"}},
     "mlx5/unplugged",
     Link,
     Warning,
     "a cable was unplugged",
     kCable},
    {{"mlx5_core {pci:word}: {_} High temperature on sensors",
      {"mlx5_core 0000:c1:00.0: temp_warn:204:(pid 0): High temperature on sensors with bit set 0x0 0x1"}},
     "mlx5/hot",
     Hardware,
     Warning,
     "a network card is too hot",
     "check air flow and fans"},
    {{"mlx5_core {pci:word}: {_} insufficient power on the PCIe slot",
      {"mlx5_core 0000:41:00.0: mlx5_pcie_event:305:(pid 12): Detected insufficient power on the PCIe slot "
       "(27W)."}},
     "mlx5/power",
     Hardware,
     Note,
     "a network card states too little power from its slot",
     kSlot},
    {{"mlx5_core {pci:word}: {_} device's health compromised",
      {"mlx5_core 0000:86:00.0: poll_health:800:(pid 0): device's health compromised - reached miss count"}},
     "mlx5/health",
     Hardware,
     Fault,
     "a network card's firmware stopped answering",
     "reset the card (mlxfwreset); update its firmware; replace it if that comes back"},
    {{"mlx5_core {pci:word}: {_} handling bad device here",
      {"mlx5_core 0000:5e:00.0: mlx5_health_try_recover:335:(pid 2312): handling bad device here"}},
     "mlx5/health",
     Hardware,
     Fault,
     "a network card's firmware stopped answering",
     "reset the card (mlxfwreset); update its firmware; replace it if that comes back"},
    {{"mlx5_core {pci:word}: {_} timeout. Will cause a leak of a command resource",
      {"mlx5_core 0000:86:00.0: wait_func:1147:(pid 88): CREATE_MKEY(0x200) timeout. Will cause a leak of a "
       "command "
       "resource"}},
     "mlx5/command timeout",
     Hardware,
     Fault,
     "a network card does not answer commands",
     "reset the card (mlxfwreset), then look for PCIe errors of its slot"},
    {{"AER: Corrected error (?message ?)received(?:?)(? from?) {pci:word}",
      {"pcieport 0000:00:03.0: AER: Corrected error received: 0000:03:00.0",
       "pcieport 0000:3a:00.0: AER: Corrected error message received from 0000:3b:00.0"}},
     "aer/corrected",
     Link,
     Note,
     "corrected PCIe errors",
     kSlot},
    {{"AER: Uncorrect{what} error (?message ?)received(?:?)(? from?) {pci:word}",
      {"pcieport 0000:17:01.0: AER: Uncorrected (Fatal) error received: 0000:18:00.0",
       "pcieport 0000:17:01.0: AER: Uncorrectable (Fatal) error message received from 0000:18:00.0"}},
     "aer/uncorrected",
     Link,
     Fault,
     "uncorrected PCIe error",
     kSlot},
    {{"^{driver:name} {pci:word}: (?AER: ?)PCIe Bus Error: severity=Uncorrect{what}",
      {"nvidia 0000:18:00.0: AER: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer",
       "nvidia 0000:03:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, "
       "(Requester ID)",
       "mlx5_core 0000:17:00.0: PCIe Bus Error: severity=Uncorrectable (Non-Fatal), type=Transaction Layer"}},
     "aer/uncorrected",
     Link,
     Fault,
     "uncorrected PCIe error",
     kSlot},
    {{"pcieport {pci:word}: {_} Link Down", {"pcieport 0000:c0:01.1: pciehp: Slot(3-1): Link Down"}},
     "pcie/link down",
     Link,
     Fault,
     "a PCIe link went down",
     kSlot},
    {{"mce: [Hardware Error]: CPU {cpu:int}: Machine Check{_}: {_:word} Bank {bank:int}: {status:hex}",
      {"mce: [Hardware Error]: CPU 14: Machine Check: 0 Bank 7: 8c00004000010091",
       "mce: [Hardware Error]: CPU 0: Machine Check Exception: 5 Bank 5: be00000000800400"}},
     "mce/check",
     Hardware,
     Warning,
     "machine check of a processor",
     "decode it with mcelog or rasdaemon"},
    {{"EDAC {_:word} {count:int} UE {what} on {device:word}",
      {"EDAC MC1: 1 UE memory read error on CPU_SrcID#1_MC#0_Chan#0_DIMM#0 (channel:0 slot:0 page:0x0)"}},
     "edac/uncorrected",
     Hardware,
     Fault,
     "uncorrected memory error",
     "replace the memory module"},
    {{"EDAC {_:word} {count:int} CE {what} on {device:word}",
      {"EDAC MC0: 3 CE memory scrubbing error on CPU_SrcID#0_MC#1_Chan#1_DIMM#1 (channel:1 slot:1 "
       "page:0x1)"}},
     "edac/corrected",
     Hardware,
     Note,
     "corrected memory errors",
     "watch it; replace the module in time"},
    {{"temperature above threshold, cpu clock throttled",
      {"CPU23: Core temperature above threshold, cpu clock throttled (total events = 1911)",
       "CPU5: Package temperature above threshold, cpu clock throttled (total events = 3)"}},
     "cpu/hot",
     Hardware,
     Warning,
     "a processor is slowed down by heat",
     "check air flow, fans and heat sinks"},
    {{"amdgpu {pci:word}: {_} uncorrectable hardware errors detected in {block:name}",
      {"amdgpu 0000:26:00.0: amdgpu: socket: 1, die: 0, 2 uncorrectable hardware errors detected in umc "
       "block"}},
     "amdgpu/uncorrected",
     Hardware,
     Fault,
     "uncorrectable memory or logic errors of a GPU",
     kAmdReset},
    {{"amdgpu {pci:word}: {_}uncorrectable hardware error({event:word}) detected!",
      {"amdgpu 0000:68:00.0: {1}uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!",
       "amdgpu 0000:0a:00.0: amdgpu: uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!"}},
     "amdgpu/uncorrected",
     Hardware,
     Fault,
     "uncorrectable memory or logic errors of a GPU",
     kAmdReset},
    {{"amdgpu {pci:word}: {_} GPU reset begin!", {"amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!"}},
     "amdgpu/reset",
     Consequence,
     Warning,
     "a GPU was reset",
     "look for the event before it"},
    {{"amdgpu {pci:word}: {_} ring {ring:name} timeout",
      {"amdgpu 0000:0a:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=11, emitted seq=13"}},
     "amdgpu/ring timeout",
     Unclear,
     Fault,
     "a GPU's queue hangs",
     kAmdReset},
    {{"amdgpu {pci:word}: {_} device lost from bus!", {"amdgpu 0000:c8:00.0: amdgpu: device lost from bus!"}},
     "amdgpu/off bus",
     Hardware,
     Fault,
     "GPU fell off the bus",
     kAmdReset},
    {{"ut of memory: Killed process {pid:int} ({program:word})",
      {"Out of memory: Killed process 81123 (python3) total-vm:91234kB, anon-rss:8112kB",
       "Memory cgroup out of memory: Killed process 512 (python3) total-vm:9123kB, anon-rss:811kB"}},
     "memory/killed",
     Program,
     Fault,
     "the kernel killed a process for want of memory",
     "give the job more host memory, or find what grows (data loader workers)"},
    {{"oom-kill:constraint={limit:name}",
      {"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,task=python3,pid=512"}},
     "memory/killed",
     Program,
     Fault,
     "the kernel killed a process for want of memory",
     "give the job more host memory, or find what grows (data loader workers)"},
    {{"INFO: task {task:word} blocked for more than {s:int} seconds",
      {"INFO: task python:4121 blocked for more than 122 seconds."}},
     "task/blocked",
     Unclear,
     Warning,
     "a process waits in the kernel without end",
     "look at its stack below that line: often a file system or a driver"},
    {{"watchdog: BUG: soft lockup - CPU#{cpu:int} stuck for {s:int}s",
      {"watchdog: BUG: soft lockup - CPU#12 stuck for 22s! [kworker/12:1:2211]"}},
     "cpu/lockup",
     Unclear,
     Warning,
     "a processor was stuck in the kernel",
     "look at its stack below that line"},
    {{"infiniband {device:name}: Wait for completion (polling) timeout",
      {"infiniband rdmap0s6: Wait for completion (polling) timeout"}},
     "efa/no completion",
     Hardware,
     Fault,
     "a network card does not answer commands",
     kEfa},
    {{"efa {pci:word}: Wait for completion (polling) timeout",
      {"efa 0000:00:06.0: Wait for completion (polling) timeout"}},
     "efa/no completion",
     Hardware,
     Fault,
     "a network card does not answer commands",
     kEfa},
    {{"infiniband {device:name}: The device didn't send any completion for admin cmd",
      {"infiniband rdmap16s27: The device didn't send any completion for admin cmd CREATE_QP(6) status 0"}},
     "efa/no completion",
     Hardware,
     Fault,
     "a network card does not answer commands",
     kEfa},
    {{"infiniband {device:name}: Admin queue is closed", {"infiniband rdmap0s6: Admin queue is closed"}},
     "efa/closed",
     Hardware,
     Fault,
     "a network card closed its queue of commands",
     kEfa},
    {{"infiniband {device:name}: Failed to {what} command",
      {"infiniband rdmap0s6: Failed to process command CREATE_QP (opcode 6) comp_status 1 err -22"}},
     "efa/command failed",
     Unclear,
     Note,
     "a network card refused a command",
     kEfa},
    {{"efa {pci:word}: Reset indication didn't turn", {"efa 0000:00:06.0: Reset indication didn't turn off"}},
     "efa/reset failed",
     Hardware,
     Fault,
     "a network card could not be reset",
     kEfa},
    {{"infiniband {device:name}: Reset indication didn't turn",
      {"infiniband rdmap0s6: Reset indication didn't turn on"}},
     "efa/reset failed",
     Hardware,
     Fault,
     "a network card could not be reset",
     kEfa},
    {{"efa {pci:word}: Device isn't ready", {"efa 0000:00:06.0: Device isn't ready, abort com init"}},
     "efa/not ready",
     Hardware,
     Fault,
     "a network card is not ready",
     kEfa},
    {{"nfs: server {server:word} not responding", {"nfs: server 10.1.2.3 not responding, still trying"}},
     "storage/nfs",
     Operator,
     Warning,
     "a file server does not answer",
     "look at the file server and its network"},
    {{"nfs: server {server:word} OK", {"nfs: server 10.1.2.3 OK"}},
     "storage/nfs answers",
     Operator,
     Note,
     "a file server answers again",
     ""},
    {{"NVRM: GPU {pci:word}: RmInitAdapter failed!",
      {"NVRM: GPU 0000:61:00.0: RmInitAdapter failed! (0x62:0xffff:2477)"}},
     "nvrm/init",
     Hardware,
     Fault,
     "the driver could not start the GPU",
     "drain the node and reset the GPU or power-cycle the node; replace the GPU if that comes back"},
    {{"NVRM: {_}GPU is probably locked!",
      {"NVRM: krcWatchdog_IMPL: RC watchdog: GPU is probably locked!  Notify Timeout Seconds: 7"}},
     "nvrm/locked",
     Unclear,
     Fault,
     "a GPU hangs",
     "look for an Xid before that line; drain the node and reset the GPU"},
    {{"nvme {device:name}: I/O {_} timeout", {"nvme nvme2: I/O 321 QID 12 timeout, aborting"}},
     "storage/nvme",
     Hardware,
     Warning,
     "a disk does not answer",
     "look at its SMART log; replace it"},
};

const LineForm kBandwidthForm{
    "^{driver:name} {pci:word}: {now:num} Gb/s available PCIe bandwidth(?, limited by {_}(capable of "
    "{can:num} "
    "Gb/s?)",
    {"mlx5_core 0000:a8:00.0: 252.048 Gb/s available PCIe bandwidth (16.0 GT/s PCIe x16 link)",
     "mlx5_core 0000:a8:00.0: 126.016 Gb/s available PCIe bandwidth, limited by 16.0 GT/s PCIe x8 link at "
     "0000:a0:01.0 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)"}};

class Kernel : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    if (form == std::size(kKernelForms)) {
      bandwidth(match, sink);
      return;
    }
    Event event = event_of(kKernelForms[form], match);
    if (match.has("cpu") && event.kind == "mce/check")
      event.subject.device = "cpu" + match.text("cpu");
    sink.event(std::move(event));
  }

  // Writes the bandwidth of a card's path to the processor, as a state to compare: a slot of an older
  // generation limits all cards of one kind alike, a bad contact one of them.
  static void bandwidth(const Match& match, Sink& sink) {
    const double now = match.number("now").value_or(kUnknown);
    sink.set_time({});
    sink.state(
        {"available PCIe bandwidth",
         "Gb/s",
         Kind::FewValued,
         Better::Higher,
         match.text("driver"),
         Scope::Own,
         kSlot},
        now,
        {.subject = {"", pci_device(match["pci"]), ""},
         .expected = match.has("can") ? match.number("can").value_or(kUnknown) : now});
  }
};

std::vector<LineForm> kernel_lines() {
  std::vector<LineForm> forms = forms_of(kKernelForms);
  forms.push_back(kBandwidthForm);
  return forms;
}
const std::vector<LineForm> kForms = kernel_lines();

}  // namespace

const Format kKernel{
    "kernel messages",
    "kernel",
    kForms,
    Shape::Lines,
    make<Kernel>,
    nullptr,
    "kernel",
    "hardware errors that the kernel reports"};

}  // namespace lento::desk
