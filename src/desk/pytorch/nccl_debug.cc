// Reads the lines of NCCL_DEBUG=INFO with the transport of each channel. They show a host without GPUDirect
// RDMA, or a GPU that communicates through shared memory, in comparison with its peers. The prefix
// "host:pid:tid [device]" has been removed already.
//
//   channel = "NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA"
//   failed  = "Got completion from peer" HOST "<" PORT "> with" status any {detail}
//   status  = "status=" N | "status=" NAME "(" N ")" | "error" N
//   detail  = "localGid" WORD | "remoteGids" WORD | "hca" WORD
//   address = ("OOB" | "Bootstrap : Using") INTERFACE ":" ADDRESS "<"
//   rings   = "NCCL INFO Connected all rings"
//   warning = "NCCL WARN" text | "Connection closed by remote peer" HOST "<" PORT ">"
//
// Source: the transports of NCCL 2.18 to 2.28 (net, net_ib, p2p, shm).
#include <algorithm>
#include <set>

#include "desk/pytorch/pytorch.h"

namespace lento::desk {
namespace {

enum DebugForm {
  Network,
  Local,
  Version,
  NoNetwork,
  Completion,
  OutOfBand,
  Bootstrap,
  AsyncError,
  Closed,
  Rings,
  Warn,
};

const LineForm kNcclDebugForms[] = {
    {"NCCL INFO Channel {channel:name} : {from:int}[{_:word}] -> {to:int}[{_:word}] [{way:name}] via "
     "{path:word}",
     {"NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA",
      "NCCL INFO Channel 01/0 : 3[1b000] -> 4[43000] [receive] via NET/Socket/0",
      "NCCL INFO Channel 02/1 : 9[1] -> 2[2] [send] via NET/AWS Libfabric/1/GDRDMA"}},
    {"NCCL INFO Channel {channel:name} : {from:int}[{_:word}] -> {to:int}[{_:word}] via {path:word}",
     {"NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM",
      "NCCL INFO Channel 03 : 2[2] -> 3[3] via SHM/direct/direct",
      "NCCL INFO Channel 00/0 : 1[19000] -> 2[3b000] via P2P/IPC/read"}},
    {"NCCL version {version:word}", {"NCCL version 2.21.5+cuda12.4"}},
    {"NCCL INFO NET/IB : No device found", {"NCCL INFO NET/IB : No device found."}},
    {"Got completion from peer {peer:word} with {rest}",
     {"NCCL WARN NET/IB : mlx5_3:1 Got completion from peer 10.0.0.7<33444> with status=12 opcode=0 len=0 "
      "vendor err 129 (Send) localGid fe80::1 remoteGidsfe80::7 hca mlx5_3",
      "NCCL WARN NET/IB : Got completion from peer 10.2.0.5<33092> with error 12, opcode 0, len 0, vendor "
      "err 129",
      "NCCL WARN NET/IB: Got completion from peer 10.0.0.7<40554> with status=IBV_WC_RETRY_EXC_ERR(12) "
      "opcode=IBV_WC_RECV_RDMA_WITH_IMM(129) vendor_err=129 localGid ::ffff:1.1.2.2 remoteGids::ffff:1.1.1.4 "
      "hca "
      "mlx5_1"}},
    {"OOB {_:name}:{address:word}<",
     {"NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.2.0.4<0>"}},
    {"Bootstrap : Using {_:name}:{address:word}<", {"NCCL INFO Bootstrap : Using eth0:10.2.0.4<0>"}},
    {"NET/IB : (?{device:name}:{port:int} ?)Got async event : {what}",
     {"NCCL WARN NET/IB : mlx5_2:1 Got async event : port error",
      "NCCL WARN NET/IB : Got async event : port error"}},
    {"onnection closed by remote peer {peer:word}",
     {"misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer gpu4.cluster<55693>",
      "NCCL WARN Net : Connection closed by remote peer 10.0.0.4<41410>"}},
    {"NCCL INFO Connected all rings", {"NCCL INFO Connected all rings"}},
    {"NCCL WARN {what}", {"NCCL WARN Cuda failure 'out of memory'"}},
};

const Quantity kNetwork{
    "network transport of NCCL",
    "",
    Kind::FewValued,
    Better::Same,
    "",
    Scope::Own,
    "compare what is loaded and set there with a peer: nvidia-peermem or dma-buf, NCCL_NET_GDR_LEVEL, the "
    "PCIe path from "
    "GPU to NIC (ACS)"};
const Quantity kLocal{
    "local transport of NCCL",
    "",
    Kind::FewValued,
    Better::Same,
    "",
    Scope::Own,
    "compare nvidia-smi topo -m and nvidia-smi nvlink -s with a peer, and whether containers share IPC"};
const Quantity
    kVersion{"NCCL version", "", Kind::FewValued, Better::Same, "", Scope::Own, "use one version everywhere"};

// Returns the transport without the device number, which differs between peers: "NET/IB/3/GDRDMA" becomes
// "NET/IB/GDRDMA".
std::string transport(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    const bool is_number = part.find_first_not_of("0123456789()") == part.npos;
    if (!is_number && part != "Shared")
      out += (out.empty() ? "" : "/") + std::string(part);
    path = slash == path.npos ? std::string_view() : path.substr(slash + 1);
  }
  return out;
}

class NcclDebug : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    switch (form) {
      case Network:
        sink.state(kNetwork, transport(match["path"]), own(sink));
        return;
      case Local:
        sink.state(kLocal, transport(match["path"]), own(sink));
        return;
      case Version:
        sink.state(kVersion, match.text("version"), {{sink.subject().host, "", ""}});
        return;
      case Completion:
        sink.event(completion(match));
        return;
      case OutOfBand:
      case Bootstrap: {
        Event event;
        event.kind = "collective/address";
        event.subject = {sink.subject().host, "", ""};
        event.fields = {{"address", match.text("address")}};
        if (!event.subject.host.empty())
          sink.event(std::move(event));
        if (started_.size() < kMostStarted)
          started_.insert(sink.subject());
        return;
      }
      case Rings:
        if (connected_.size() < kMostStarted)
          connected_.insert(sink.subject());
        return;
      case Warn:
        if (is_known_warning(match["what"]))
          return;
        [[fallthrough]];
      default:
        sink.event(event_of(form, match));
    }
  }

  // A log in which all GPUs that started also connected shows that the start went well.
  void end(Sink& sink) override {
    if (started_.size() > 1 && started_ == connected_)
      sink.covers("the start of NCCL on " + std::to_string(started_.size()) + " GPUs");
  }

  static bool is_known_warning(std::string_view what) {
    for (const std::string_view known :
         {"Got completion from peer ", "Got async event", "closed by remote peer"})
      if (what.find(known) != what.npos)
        return true;
    return false;
  }

  // Returns the word after `name` in the details of a failed completion.
  static std::string detail(std::string_view rest, std::string_view name) {
    const size_t at = rest.find(name);
    if (at == rest.npos)
      return "";
    std::string_view word = rest.substr(at + name.size());
    word.remove_prefix(std::min(word.find_first_not_of(" "), word.size()));
    return std::string(word.substr(0, word.find_first_of(" ,")));
  }

  // Returns the number of the status, "12" of "status=12" and of "status=IBV_WC_RETRY_EXC_ERR(12)".
  static std::string code(std::string_view rest) {
    std::string word = detail(rest, "status=");
    if (word.empty())
      word = detail(rest, "error ");
    if (const size_t open = word.find('('); open != word.npos)
      word = word.substr(open + 1);
    return word.substr(0, word.find_first_not_of("0123456789"));
  }

  // Makes the event of a failed completion. completions.cc decides which end is at fault.
  static Event completion(const Match& match) {
    const std::string_view rest = match["rest"];
    std::string peer = match.text("peer");
    peer = peer.substr(0, peer.find('<'));
    const bool many = rest.find("remoteGids") != rest.npos;
    Event event;
    event.kind = "collective/completion error";
    event.severity = Severity::Warning;
    event.origin = Origin::Link;
    event.fields = {
        {"peer", peer},
        {"status", code(rest)},
        {"local", detail(rest, "localGid ")},
        {"remote", detail(rest, many ? "remoteGids" : "remoteGid")},
        {"card", detail(rest, "hca ")}};
    return event;
  }

  // Returns the subject of a channel's transport: the GPU that set the channel up and wrote the line.
  static Sink::Place own(const Sink& sink) {
    return {sink.subject()};
  }

  // Returns whether a warning is RCCL's advice on how a host is set up, which it gives at each start.
  static bool is_advice(std::string_view what) {
    constexpr std::string_view kAdvice[] = {
        "NUMA auto balancing",
        "Missing \"iommu=pt\"",
        "HSA_FORCE_FINE_GRAIN"};
    return std::ranges::any_of(kAdvice, [&](std::string_view text) {
      return what.find(text) != what.npos;
    });
  }

  // Returns the event for a warning of NCCL.
  static Event event_of(size_t form, const Match& match) {
    Event event;
    event.kind = "job/nccl warning";
    event.severity = Severity::Note;
    event.meaning = "NCCL warned: " + match.text("what");
    if (is_advice(match["what"]))
      event.kind = "nccl/advice";
    event.action = "the logs of all ranks: the earliest error in them is the cause";
    if (form == NoNetwork) {
      event.kind = "nccl/no InfiniBand";
      event.severity = Severity::Warning;
      event.origin = Origin::Link;
      event.meaning = "NCCL found no RDMA device";
      event.action = "check that the RDMA driver is loaded and that the container has /dev/infiniband";
    } else if (form == AsyncError) {
      // Names of ibv_event_type_str. All others (port active, SM change, client reregistration) are routine.
      const std::string what = match.text("what");
      const bool is_error = what.find("error") != what.npos || what.find("failed") != what.npos ||
                            what.find("catastrophic") != what.npos || what.find("violation") != what.npos;
      event.kind = is_error ? "nccl/port event" : "nccl/port notice";
      event.severity = is_error ? Severity::Warning : Severity::Note;
      event.origin = Origin::Link;
      event.subject.device = match.text("device");
      event.meaning = "an RDMA port reported: " + what;
      event.action = "check cable, transceiver and switch port";
    } else if (form == Closed) {
      event.kind = "collective/closed";
      event.meaning = "its connection was closed by the peer";
      event.fields = {{"peer", match.text("peer")}};
    }
    return event;
  }

  static constexpr size_t kMostStarted = size_t{1} << 16;
  std::set<Subject> started_;  // that stated their address
  std::set<Subject> connected_;
};

}  // namespace

const Format kNcclDebug{"NCCL debug log", "pytorch", kNcclDebugForms, Shape::Lines, make<NcclDebug>, nullptr};

}  // namespace lento::desk
