// Lines of kernel drivers that no catalogue lists. All drivers share two things: where they name the part
// ("driver PCI-ADDRESS port: ", "nvme nvme3: ", "I/O error, dev sda,", "device sdb1"), and a few phrases for
// what is lost. A phrase decides what the line means, the place decides which part it is about.
//
//   line = DRIVER PCI [PORT] ":" any | DRIVER PART ":" any | any "dev" PART any | PART ":" any
//
// A link that goes down once and comes back, as at boot, is no fault. Records of the platform's firmware
// (GHES) span lines with one number, "{3}[Hardware Error]:", and state their own severity and memory module.
//
// Sources: drivers/{nvme,scsi,ata,net,infiniband,iommu,pci,accel,gpu/drm}, block, fs/{ext4,xfs} and
// kernel/rcu of Linux 5.4 to 6.12, drivers/firmware/efi/cper.c; rasdaemon 0.8.
#include <algorithm>
#include <map>

#include "desk/kernel/kernel.h"
#include "desk/read/host_parts.h"
#include "desk/read/pci.h"

namespace lento::desk {
namespace {

using enum Origin;
using enum Severity;

struct Alarm {
  LineForm form;
  Severity severity;
  Origin origin;
  const char* meaning;
  const char* action;
};

constexpr const char* kDisk = "look at its SMART log and its slot; replace it";
constexpr const char* kCard =
    "reset the card and look for PCIe errors of its slot; replace it if that comes back";
constexpr const char* kPlug = "reseat or replace cable and transceiver, look at the other end of the link";
constexpr const char* kSeat = "reseat the board, look at lspci -vv for the width and speed of that link";
constexpr const char* kStack = "look at the stack below that line: often a driver or a file system";
constexpr const char* kModule = "replace the memory module";
constexpr const char* kFiles = "check the file system and the disk below it";

const Alarm kAlarms[] = {
    {{"controller is down; will reset", {"nvme nvme3: controller is down; will reset: CSTS=0xffffffff"}},
     Fault,
     Hardware,
     "a disk does not answer",
     kDisk},
    {{"Removing after probe failure", {"nvme nvme3: Removing after probe failure status: -19"}},
     Fault,
     Hardware,
     "a disk is gone",
     kDisk},
    {{"Device not ready; aborting", {"nvme nvme1: Device not ready; aborting initialisation, CSTS=0x0"}},
     Fault,
     Hardware,
     "a disk does not answer",
     kDisk},
    {{"rejecting I/O to offline device", {"sd 4:0:0:0: rejecting I/O to offline device"}},
     Fault,
     Hardware,
     "a disk is gone",
     kDisk},
    {{"I/O error",
      {"blk_update_request: I/O error, dev nvme3n1, sector 812", "I/O error, dev sda, sector 1"}},
     Fault,
     Hardware,
     "a disk gives errors",
     kDisk},
    {{"edium error", {"blk_update_request: critical medium error, dev sdb, sector 9"}},
     Fault,
     Hardware,
     "a disk gives errors",
     kDisk},
    {{"Medium Error", {"sd 0:0:0:0: [sda] tag#12 Sense Key : Medium Error [current]"}},
     Fault,
     Hardware,
     "a disk gives errors",
     kDisk},
    {{"hard resetting link", {"ata3: hard resetting link"}}, Warning, Link, "a disk's link was reset", kDisk},
    {{"EXT4-fs error", {"EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm x: reading"}},
     Fault,
     Hardware,
     "a file system is damaged",
     kFiles},
    {{"metadata I/O error", {"XFS (dm-2): metadata I/O error in \"xfs_buf_ioend\" at daddr 0x11"}},
     Fault,
     Hardware,
     "a file system is damaged",
     kFiles},
    {{"Corruption of in-memory data", {"XFS (sdb1): Corruption of in-memory data detected."}},
     Fault,
     Hardware,
     "a file system is damaged",
     kFiles},
    {{"emounting filesystem read-only", {"EXT4-fs (sda1): Remounting filesystem read-only"}},
     Fault,
     Hardware,
     "a file system became read-only",
     kFiles},
    {{"Connection to {server:word} (at {_:word}) was lost",
      {"Lustre: scratch-OST0004-osc-ffff9f1c: Connection to scratch-OST0004 (at 10.1.2.3@o2ib) was lost; in "
       "progress operations"}},
     Warning,
     Operator,
     "the connection to a file server was lost",
     "look at that server and the network to it"},
    {{"Connection restored to {server:word}",
      {"Lustre: scratch-OST0004-osc-ffff9f1c: Connection restored to scratch-OST0004 (at 10.1.2.3@o2ib)"}},
     Note,
     Operator,
     "the connection to a file server was restored",
     ""},
    {{"This client was evicted by {server:name}",
      {"LustreError: 167-0: scratch-OST0004-osc-ffff9f1c: This client was evicted by scratch-OST0004; in "
       "progress operations using this service will fail."}},
     Warning,
     Operator,
     "a file server evicted this client",
     "look at that server and the network to it"},
    {{"LustreError: {_:word} {_:word} operation {_:word} to node {server:word} failed",
      {"LustreError: 11-0: scratch-OST0004-osc-ffff9f1c: operation ost_read to node 10.4.0.17@o2ib failed: "
       "rc = "
       "-107"}},
     Warning,
     Operator,
     "an operation of a file server failed",
     "look at that server and the network to it"},
    {{"Disk failure on {port:name}, disabling device",
      {"md/raid1:md0: Disk failure on nvme0n1p2, disabling device."}},
     Fault,
     Hardware,
     "failed and was taken out of its array",
     kDisk},
    {{"exception Emask", {"ata3.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen"}},
     Warning,
     Link,
     "errors on the link of a disk",
     kDisk},
    {{"Uncorrected hardware memory error",
      {"Memory failure: Uncorrected hardware memory error in user-access"}},
     Fault,
     Hardware,
     "uncorrected memory error",
     kModule},
    {{"Memory failure: 0x{_:hex}: recovery action", {"Memory failure: 0x12a: recovery action for dirty LRU"}},
     Fault,
     Hardware,
     "uncorrected memory error",
     kModule},
    {{"^Uncorrected error$", {"Uncorrected error"}},  // mcelog, a line of a record
     Fault,
     Hardware,
     "uncorrected hardware error",
     kModule},
    {{"hard LOCKUP", {"NMI watchdog: Watchdog detected hard LOCKUP on cpu 12", "hard LOCKUP on cpu 1"}},
     Fault,
     Unclear,
     "a processor was stuck in the kernel",
     kStack},
    {{"rcu{_} detected stalls on CPUs/tasks", {"rcu: INFO: rcu_sched detected stalls on CPUs/tasks:"}},
     Warning,
     Unclear,
     "a processor was stuck in the kernel",
     kStack},
    {{"self-detected stall on CPU", {"rcu: INFO: rcu_sched self-detected stall on CPU"}},
     Warning,
     Unclear,
     "a processor was stuck in the kernel",
     kStack},
    {{"Kernel panic - not syncing", {"Kernel panic - not syncing: Fatal exception in interrupt"}},
     Fault,
     Unclear,
     "the kernel stopped",
     kStack},
    {{"BUG: unable to handle", {"BUG: unable to handle page fault for address: ffffdead"}},
     Fault,
     Unclear,
     "the kernel failed",
     kStack},
    {{"NETDEV WATCHDOG: {port:word}", {"NETDEV WATCHDOG: ens1f0 (bnxt_en): transmit queue 3 timed out"}},
     Fault,
     Hardware,
     "a network card does not send",
     kCard},
    {{"Abnormal AE occurred", {"irdma 0000:17:00.0: Abnormal AE occurred, qp_id=12 ae_id=0x0504"}},
     Warning,
     Unclear,
     "a network card reports an abnormal event",
     kCard},
    {{"irmware not responding", {"bnxt_en 0000:17:00.0 ens1: Firmware not responding, status: 0x8000"}},
     Fault,
     Hardware,
     "a network card's firmware stopped answering",
     kCard},
    {{"Malicious Driver Detection", {"ice 0000:17:00.0: Malicious Driver Detection event 1 by TCLAN"}},
     Warning,
     Unclear,
     "a network card stopped a queue",
     kCard},
    {{"DPC: containment event", {"pcieport 0000:3a:00.0: DPC: containment event, status:0x1f01"}},
     Fault,
     Hardware,
     "a PCIe link was cut off after an error",
     kSeat},
    {{"AER: device recovery failed", {"pcieport 0000:3a:00.0: AER: device recovery failed"}},
     Fault,
     Hardware,
     "a PCIe device did not recover",
     kSeat},
    {{"config space inaccessible",
      {"nvidia 0000:17:00.0: Unable to change power state from D3cold to D0, "
       "device inaccessible (config space inaccessible)"}},
     Fault,
     Hardware,
     "a PCIe device is gone",
     kSeat},
    {{"DMAR: DRHD: handling fault status", {"DMAR: DRHD: handling fault status reg 2"}},
     Warning,
     Unclear,
     "a device touched memory that is not its own",
     "look at the driver of that device"},
    {{"Event logged [IO_PAGE_FAULT", {"AMD-Vi: Event logged [IO_PAGE_FAULT device=c1:00.0 domain=0x1]"}},
     Warning,
     Unclear,
     "a device touched memory that is not its own",
     "look at the driver of that device"},
    {{"critical temperature reached", {"thermal thermal_zone0: critical temperature reached (105 C)"}},
     Fault,
     Hardware,
     "too hot",
     "check air flow and fans"},
    {{"device is going to be hard-reset", {"habanalabs 0000:19:00.0: device is going to be hard-reset"}},
     Fault,
     Hardware,
     "an accelerator was reset",
     "drain the node; replace the card if that comes back"},
    {{"GPU HANG: ecode", {"i915 0000:00:02.0: [drm] GPU HANG: ecode 12:1:85dffffb"}},
     Fault,
     Unclear,
     "a GPU hangs",
     "drain the node, reset the GPU"},
};

// Indices of the forms of lines that have a meaning only together with others.
constexpr size_t kLinkDown = std::size(kAlarms);
constexpr size_t kLinkUp = kLinkDown + 5;
constexpr size_t kRecord = kLinkUp + 7;
const LineForm kStateForms[] = {
    {"Link is Down", {"bnxt_en 0000:17:00.0 ens1f0np0: NIC Link is Down"}},
    {"Link is down", {"i40e 0000:17:00.0 ens1f0: NIC Link is down"}},
    {"Link DOWN", {"mlx5_core 0000:ab:00.0 mlx5_5: Port: 1 Link DOWN"}},
    {": Link down", {"mlx5_core 0000:5e:00.0 ens3f0np0: Link down"}},
    {"link status definitely down", {"bond0: (slave eth2): link status definitely down, disabling slave"}},
    {"Link is Up", {"bnxt_en 0000:17:00.0 ens1f0np0: NIC Link is Up, 100000 Mbps full duplex"}},
    {"Link is up", {"ice 0000:17:00.0 ens1f0np0: NIC Link is up 100 Gbps Full Duplex"}},
    {"Link ACTIVE", {"mlx5_core 0000:ab:00.0 mlx5_5: Port: 1 Link ACTIVE"}},
    {"Link INIT", {"mlx5_core 0000:ab:00.0 mlx5_5: Port: 1 Link INIT"}},
    {": Link up", {"mlx5_core 0000:ab:00.0 ens1f0np0: Link up"}},
    {"link status definitely up", {"bond0: (slave eth2): link status definitely up, 25000 Mbps full duplex"}},
    {"link becomes ready", {"IPv6: ADDRCONF(NETDEV_CHANGE): ib0: link becomes ready"}},
    {"[Hardware Error]: event severity: {severity:word}",
     {"{3}[Hardware Error]: event severity: recoverable"}},
    {"[Hardware Error]: fru_text: {module}", {"{3}[Hardware Error]:  fru_text: B1"}},
    {"[Hardware Error]: DIMM location: {module}", {"{3}[Hardware Error]:   DIMM location: CPU 1 DIMM 5"}},
    {"[Hardware Error]: section_type: {section}", {"{3}[Hardware Error]:   section_type: memory error"}},
};

std::vector<LineForm> alarm_forms() {
  std::vector<LineForm> forms;
  for (const Alarm& alarm : kAlarms)
    forms.push_back(alarm.form);
  forms.insert(forms.end(), std::begin(kStateForms), std::end(kStateForms));
  return forms;
}

bool is_figure_of_part(char c) {
  return c >= '0' && c <= '9';
}

// Returns the disk of a device name: nvme3 for "nvme3n1", sda for "sda1".
std::string disk_of(std::string_view name) {
  size_t end = name.size();
  if (name.starts_with("nvme")) {
    end = 4;
    while (end < name.size() && is_figure_of_part(name[end]))
      ++end;
  } else if (name.starts_with("sd")) {
    end = std::min(name.find_first_of("0123456789"), name.size());
  }
  return std::string(name.substr(0, end));
}

// Returns whether a word may be the name of a hardware part ("nvme3", "ens1f0"): it begins with a letter and
// holds a digit.
bool may_be_part(std::string_view word) {
  const bool has_letter = word.find_first_of("abcdefghijklmnopqrstuvwxyz") == 0;
  return has_letter && word.find_first_of("0123456789") != word.npos &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == word.npos;
}

std::string_view inside(std::string_view line, std::string_view open, std::string_view close) {
  const size_t begin = line.find(open);
  if (begin == line.npos)
    return {};
  line.remove_prefix(begin + open.size());
  return line.substr(0, line.find_first_of(close));
}

// Returns the hardware part that a line of the kernel is about, as a name for Subject::device, or "". A PCI
// address is taken instead of the port behind it, because other lines have the address alone.
std::string part_of(std::string_view line) {
  for (const std::string_view open : {" dev ", "(device ", ": [", "-fs (", "XFS (", "(slave "})
    if (const std::string_view name = inside(line, open, ",) ]"); name.starts_with("sd") || may_be_part(name))
      return disk_of(name);
  constexpr int kMostWords = 4;
  for (int i = 0; i < kMostWords && !line.empty(); ++i) {
    const size_t end = std::min(line.find(' '), line.size());
    std::string_view word = line.substr(0, end);
    const bool is_last = word.ends_with(":");
    if (is_last)
      word.remove_suffix(1);
    const bool is_address =
        word.size() > 8 && std::ranges::count(word, ':') == 2 && word.find('.') != word.npos;
    if (is_address)
      return pci_device(word);
    if (may_be_part(word) && is_last)
      return disk_of(word);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return "";
}

// Returns the first word of a line that is the name of a host, or "". Events of a fabric's manager name hosts
// among other words: "Link is down,dgx057 HCA-3 / 1".
std::string host_in(std::string_view line) {
  while (!line.empty()) {
    const size_t end = std::min(line.find_first_of(" /:,()[]\"'"), line.size());
    if (is_host_word(line.substr(0, end)))
      return std::string(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return "";
}

struct LinkState {
  int downs = 0;
  bool is_down = false;
  Event event;
  std::string line;  // the first that states that it went down
  int64_t number = 0;
  Moment time;
};

struct FirmwareRecord {
  std::string severity;
  std::string module;
  std::string section;
  Subject subject;
  std::string line;
  int64_t number = 0;
  Moment time;
};

class Alarms : public Reader {
  static constexpr size_t kMost = 4096;  // ports, records
  static constexpr size_t kMostText = 160;

  void take(size_t form, const Match& match, Sink& sink) override {
    if (form >= kRecord)
      record(form - kRecord, match, sink);
    else if (form >= kLinkDown)
      link(form < kLinkUp, sink);
    else
      alarm(kAlarms[form], match, sink);
  }

  static void alarm(const Alarm& alarm, const Match& match, Sink& sink) {
    const std::string part = match.has("port") ? match.text("port") : part_of(sink.line());
    // A floppy or optical drive without a medium gives errors when the kernel probes it.
    if (part.starts_with("fd") ||
        (part.starts_with("sr") && part.find_first_not_of("0123456789", 2) == part.npos))
      return;
    // A line that holds a phrase for broken hardware and names no hardware may be of another program.
    if (part.empty() && std::string_view(alarm.meaning).starts_with("a ") && alarm.origin == Hardware)
      return;
    Event event;
    event.kind = std::string("kernel/") + alarm.meaning;
    event.severity = alarm.severity;
    event.origin = alarm.origin;
    event.subject.device = part;
    event.meaning = alarm.meaning;
    if (match.has("server")) {
      event.meaning += " (" + match.text("server") + ")";
      event.fields.emplace_back("server", match.text("server"));
    }
    if (const std::string_view mount = inside(sink.line(), "Lustre: ", ": "); !mount.empty())
      event.fields.emplace_back("mount", std::string(mount));
    event.action = alarm.action;
    sink.event(std::move(event));
  }

  void link(bool is_down, Sink& sink) {
    const std::string port = part_of(sink.line());
    const std::string host = port.empty() && sink.subject().host.empty() ? host_in(sink.line()) : "";
    if (port.empty() && host.empty() && is_down) {  // perhaps of another program
      Event event;
      event.kind = "unread/state";
      event.meaning = sink.line().substr(0, kMostText);
      sink.event(std::move(event));
    }
    if ((port.empty() && host.empty()) || links_.size() == kMost)
      return;
    const std::string& of = host.empty() ? sink.subject().host : host;
    LinkState& state = links_[{of, port}];
    state.is_down = is_down;
    if (!is_down)
      return;
    if (state.downs++ > 0)
      return;
    state.event.subject = {of, port, ""};
    state.line = sink.line();
    state.number = sink.number();
    state.time = sink.time();
  }

  // Takes a line of a record, "{3}[Hardware Error]: ...". Lines of one record share the number in front.
  void record(size_t what, const Match& match, Sink& sink) {
    const std::string key = sink.subject().host + std::string(sink.line().substr(0, sink.line().find('[')));
    if (what == 0) {
      flush(records_[key], sink);
      records_[key] = {
          match.text("severity"),
          "",
          "",
          sink.subject(),
          std::string(sink.line()),
          sink.number(),
          sink.time()};
      if (records_.size() == kMost)
        records_.clear();
      return;
    }
    const auto at = records_.find(key);
    if (at == records_.end())
      return;
    if (what == 3)
      at->second.section = match.text("section");
    else
      at->second.module = match.text("module");
  }

  static void flush(const FirmwareRecord& record, Sink& sink) {
    if (record.severity.empty())
      return;
    const bool is_corrected = record.severity == "corrected" || record.severity == "info";
    const bool is_memory = record.section.empty() || record.section.starts_with("memory");
    sink.at(record.line, record.number, record.subject, record.time);
    Event event;
    event.kind = is_corrected ? "ghes/corrected" : "ghes/uncorrected";
    event.severity = is_corrected ? Note : Fault;
    event.origin = Hardware;
    event.subject = {record.subject.host, record.module, ""};
    event.meaning = (is_corrected ? "corrected " : "uncorrected ") +
                    (is_memory ? "memory error" : record.section) + " that the firmware reports";
    event.action = is_memory ? kModule : kSeat;
    sink.event(std::move(event));
  }

  void end(Sink& sink) override {
    for (auto& [port, state] : links_) {
      if (state.downs == 0)
        continue;
      sink.at(state.line, state.number, {state.event.subject.host, "", ""}, state.time);
      state.event.kind = "link/down";
      state.event.severity = state.downs > 1 || state.is_down ? Warning : Note;
      state.event.origin = Link;
      state.event.meaning = state.downs > 1 ? "its link went down " + std::to_string(state.downs) + " times"
                            : state.is_down ? "its link went down and did not come back"
                                            : "its link went down once and came back";
      state.event.action = kPlug;
      sink.event(std::move(state.event));
    }
    for (const auto& [key, record] : records_)
      flush(record, sink);
  }

  std::map<std::pair<std::string, std::string>, LinkState> links_;
  std::map<std::string, FirmwareRecord> records_;
};

const std::vector<LineForm> kAlarmForms = alarm_forms();

}  // namespace

const Format kAlarmLines{
    "messages of drivers",
    "kernel",
    kAlarmForms,
    Shape::Lines,
    make<Alarms>,
    nullptr,
    {},
    "what drivers of the kernel lost"};

}  // namespace lento::desk
