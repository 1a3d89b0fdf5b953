// NCCL_DEBUG=INFO writes the transport of each channel, by which a host without GPUDirect RDMA or a GPU that
// talks through shared memory shows among its peers. The prefix "host:pid:tid [device]" is peeled before.
//
//   channel = "NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA"
//   warning = "NCCL WARN" text | "Connection closed by remote peer" HOST "<" PORT ">"
//
// Source: the transports of NCCL 2.18 to 2.27 (net, net_ib, p2p, shm).
#include "desk/pytorch/pytorch.h"

namespace lento::desk {
namespace {

enum DebugForm {
  Network,
  Local,
  Version,
  NoNetwork,
  Retries,
  AsyncError,
  Closed,
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
    {"NET/IB : {_} Got completion from peer {peer:word} with status={status:int}",
     {"NCCL WARN NET/IB : mlx5_3:1 Got completion from peer 10.0.0.7<33444> with status=12 opcode=0 len=0 "
      "vendor err "
      "129 (Send) localGid fe80::1"}},
    {"NET/IB : {device:name}:{port:int} Got async event : {what}",
     {"NCCL WARN NET/IB : mlx5_2:1 Got async event : port error"}},
    {"onnection closed by remote peer {peer:word}",
     {"misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer gpu4.cluster<55693>",
      "NCCL WARN Net : Connection closed by remote peer 10.0.0.4<41410>"}},
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

// "NET/IB/3/GDRDMA" without the number of the device: peers use different ones.
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
      default:
        sink.event(event_of(form, match, sink.line()));
    }
  }

  // A channel is a state of the GPU that set it up.
  static Sink::Place own(const Sink& sink) {
    return {sink.subject()};
  }

  // The word that follows a label, which some versions write without a blank between; "" without the label.
  static std::string word_after(std::string_view line, std::string_view label) {
    const size_t at = line.find(label);
    if (at == line.npos)
      return "";
    std::string_view rest = line.substr(at + label.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return std::string(rest.substr(0, rest.find(' ')));
  }

  static Event event_of(size_t form, const Match& match, std::string_view line) {
    Event event;
    event.kind = "job/nccl warning";
    event.severity = Severity::Note;
    event.meaning = "NCCL warned: " + match.text("what");
    event.action = "the logs of all ranks: the earliest error in them is the cause";
    if (form == NoNetwork) {
      event.kind = "nccl/no InfiniBand";
      event.severity = Severity::Warning;
      event.origin = Origin::Link;
      event.meaning = "NCCL found no RDMA device";
      event.action = "check that the RDMA driver is loaded and that the container has /dev/infiniband";
    } else if (form == Retries) {
      event.kind = "nccl/completion error";
      event.severity = Severity::Fault;
      event.origin = Origin::Link;
      event.meaning =
          "an RDMA operation failed, status " + match.text("status") +
          (match["status"] == "12" ? " (retries exceeded: the peer or the path does not answer)" : "");
      event.action = "look at the counters of both ports, and whether the peer had died before";
      event.fields = {
          {"peer", match.text("peer")},
          {"status", match.text("status")},
          {"remote gid", word_after(line, "remoteGids")},
          {"hca", word_after(line, " hca")}};
    } else if (form == AsyncError) {
      event.kind = "nccl/port event";
      event.severity = Severity::Warning;
      event.origin = Origin::Link;
      event.subject.device = match.text("device");
      event.meaning = "an RDMA port reported: " + match.text("what");
      event.action = "check cable, transceiver and switch port";
    } else if (form == Closed) {
      event.kind = "collective/closed";
      event.meaning = "its connection was closed by the peer";
      event.fields = {{"peer", match.text("peer")}};
    }
    return event;
  }
};

}  // namespace

const Format kNcclDebug{"NCCL debug log", "pytorch", kNcclDebugForms, Shape::Lines, make<NcclDebug>, nullptr};

}  // namespace lento::desk
