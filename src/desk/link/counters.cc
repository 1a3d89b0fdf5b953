// Counters of network ports. Each tool and driver has its own spelling: one table brings them to few
// quantities, compared among hosts or ports.
//
// The side of a counter is its meaning. A host that sends pause frames, drops in its receive buffers or has
// no buffer posted is slow to take data and holds up its senders. A host that receives pauses, handles
// congestion notifications (CNP) or waits for credits is held up by somebody else, so that those are read and
// never judged. Congestion notifications sent and packets marked (ECN) point at the path to the host.
//
//   ethtool -S     = "     tx_prio3_pause: 10"
//   perfquery      = heading "SymbolErrorCounter:..............0"
//   heading        = "# Port counters: Lid 5 port 1 ..." | "#" HOST DEVICE "at" TIME
//   sysfs          = "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:0"
//   rdma statistic = "link mlx5_0/1 rx_write_requests 0 ... out_of_buffer 0 ..."
//
// Source: Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst and
// Documentation/ABI/stable/sysfs-class-infiniband of Linux 6.6; the statistics of the drivers bnxt_en and
// ice; infiniband-diags 39 (perfquery).
#include <algorithm>
#include <deque>

#include "base/number.h"
#include "desk/link/link.h"

namespace lento::desk {
namespace {

constexpr const char* kSlowHost =
    "this host takes data too slowly and holds up its senders: look at its PCIe link (lspci -vv), IOMMU, "
    "NUMA "
    "placement and memory bandwidth, and at GPUDirect RDMA";
constexpr const char* kBadCable =
    "reseat or replace cable and transceiver, look at the other end of the link";
constexpr const char* kPath =
    "look at the switch port towards this host: its rate, its queues, and how many send to it at once";

struct Meaning {
  const char* name;
  Better better;
  const char* advice;
};
constexpr Meaning kPauseSent{"pause frames sent", Better::Lower, kSlowHost};
constexpr Meaning kPauseReceived{"pause frames received", Better::Neither, ""};
constexpr Meaning kDropped{"packets dropped in the receive buffer", Better::Lower, kSlowHost};
constexpr Meaning kNoBuffer{"packets without a posted buffer", Better::Lower, kSlowHost};
constexpr Meaning kPciStall{"PCIe buffer overflows", Better::Lower, kSlowHost};
constexpr Meaning kSymbols{"symbol errors", Better::Lower, kBadCable};
constexpr Meaning kDamaged{"damaged packets received", Better::Lower, kBadCable};
constexpr Meaning kDown{"times the link went down", Better::Lower, kBadCable};
constexpr Meaning kRecovered{"times the link retrained", Better::Lower, kBadCable};
constexpr Meaning kLost{"packets out of sequence", Better::Lower, kPath};
constexpr Meaning kTimeouts{"acknowledgements that came too late", Better::Lower, kPath};
constexpr Meaning kSendDrops{"packets dropped on sending", Better::Lower, kPath};
constexpr Meaning kMarked{"packets marked as congested (ECN)", Better::Lower, kPath};
constexpr Meaning kCnpSent{"congestion notifications sent", Better::Lower, kPath};
constexpr Meaning kCnpHandled{"congestion notifications handled", Better::Neither, ""};
constexpr Meaning kWaits{"waits for credits", Better::Neither, ""};

struct Counter {
  const char* spelling;  // "{p:int}" stands for the priority
  const Meaning* meaning;
};

constexpr Counter kCounters[] = {
    {"tx_prio{p:int}_pause", &kPauseSent},
    {"rx_prio{p:int}_pause", &kPauseReceived},
    {"tx_global_pause", &kPauseSent},
    {"rx_global_pause", &kPauseReceived},
    {"tx_pause_ctrl_phy", &kPauseSent},
    {"rx_pause_ctrl_phy", &kPauseReceived},
    {"tx_pfc_ena_frames_pri{p:int}", &kPauseSent},
    {"rx_pfc_ena_frames_pri{p:int}", &kPauseReceived},
    {"tx_pause_frames", &kPauseSent},
    {"rx_pause_frames", &kPauseReceived},
    {"tx_priority_{p:int}_xoff.nic", &kPauseSent},
    {"rx_priority_{p:int}_xoff.nic", &kPauseReceived},
    {"rx_prio{p:int}_buf_discard", &kDropped},
    {"rx_prio{p:int}_cong_discard", &kDropped},
    {"rx_discards_phy", &kDropped},
    {"rx_out_of_buffer", &kNoBuffer},
    {"out_of_buffer", &kNoBuffer},
    {"dev_out_of_buffer", &kNoBuffer},
    {"rx_buffer_passed_thres_phy", &kDropped},
    {"outbound_pci_buffer_overflow", &kPciStall},
    {"tx_discards_phy", &kSendDrops},
    {"rx_symbol_err_phy", &kSymbols},
    {"rx_pcs_symbol_err_phy", &kSymbols},
    {"rx_crc_errors_phy", &kDamaged},
    {"rx_fcs_err_frames", &kDamaged},
    {"link_down_events_phy", &kDown},
    {"SymbolErrorCounter", &kSymbols},
    {"LinkErrorRecoveryCounter", &kRecovered},
    {"LinkDownedCounter", &kDown},
    {"PortRcvErrors", &kDamaged},
    {"LocalLinkIntegrityErrors", &kSymbols},
    {"ExcessiveBufferOverrunErrors", &kDropped},
    {"PortXmitDiscards", &kSendDrops},
    {"PortXmitWait", &kWaits},
    {"symbol_error", &kSymbols},
    {"link_error_recovery", &kRecovered},
    {"link_downed", &kDown},
    {"port_rcv_errors", &kDamaged},
    {"local_link_integrity_errors", &kSymbols},
    {"excessive_buffer_overrun_errors", &kDropped},
    {"port_xmit_discards", &kSendDrops},
    {"port_xmit_wait", &kWaits},
    {"out_of_sequence", &kLost},
    {"packet_seq_err", &kLost},
    {"local_ack_timeout_err", &kTimeouts},
    {"np_ecn_marked_roce_packets", &kMarked},
    {"np_cnp_sent", &kCnpSent},
    {"rp_cnp_handled", &kCnpHandled},
};
constexpr size_t kPerfqueryHead = std::size(kCounters);
constexpr size_t kSysfs = kPerfqueryHead + 1;
constexpr size_t kRdma = kPerfqueryHead + 2;
constexpr size_t kHeading = kPerfqueryHead + 3;

std::vector<LineForm> forms_of_counters() {
  static std::deque<std::string> texts;
  std::vector<LineForm> forms;
  for (const Counter& counter : kCounters) {
    std::string name = counter.spelling;
    const std::string& pattern = texts.emplace_back("^~" + name + ":~{value:word}$");
    if (const size_t at = name.find("{p:int}"); at != name.npos)
      name.replace(at, 7, "3");
    const std::string& ethtool = texts.emplace_back("     " + name + ": 17");
    const std::string& perfquery = texts.emplace_back(name + ":...............17");
    forms.push_back({pattern, {ethtool, perfquery}});
  }
  forms.push_back(
      {"^# Port counters: Lid {lid:int} port {port:int}",
       {"# Port counters: Lid 5 port 1 (CapMask: 0x5A00)"}});
  forms.push_back(
      {"/sys/class/infiniband/{path:name}:{value:int}$",
       {"/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:0",
        "/sys/class/infiniband/mlx5_2/ports/1/counters/symbol_error:3"}});
  forms.push_back(
      {"^link {device:name} rx_write_requests {rest}",
       {"link mlx5_0/1 rx_write_requests 0 rx_read_requests 0 out_of_buffer 0 out_of_sequence 2"}});
  forms.push_back({"^# {host:name} {device:name} at {time:word}", {"# gpu03 mlx5_1 at 10:10"}});
  return forms;
}

const std::vector<LineForm> kCounterForms = forms_of_counters();

// The next part of `text` before `end`, which is dropped with it.
std::string_view next(std::string_view& text, char end) {
  const size_t at = text.find(end);
  const std::string_view part = text.substr(0, at);
  text = at == text.npos ? std::string_view() : text.substr(at + 1);
  return part;
}

class PortCounters : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    if (form < kPerfqueryHead) {
      std::string_view value = match["value"];
      value.remove_prefix(std::min(value.find_first_not_of('.'), value.size()));
      write(kCounters[form], match["p"], value, {host_, device_, ""}, sink);
    } else if (form == kPerfqueryHead) {
      device_ = "lid" + match.text("lid") + "/" + match.text("port");
      host_.clear();
    } else if (form == kHeading) {
      host_ = match.text("host");
      device_ = match.text("device");
    } else if (form == kSysfs) {
      std::string_view path = match["path"];
      const std::string_view card = next(path, '/');
      next(path, '/');
      const std::string_view port = next(path, '/');
      write_named(path.substr(path.rfind('/') + 1), match["value"], {"", port_device(card, port), ""}, sink);
    } else {
      std::string_view card = match["device"];
      const std::string_view name = next(card, '/');
      std::string_view rest = match["rest"];
      next(rest, ' ');
      while (!rest.empty()) {
        const std::string_view counter = next(rest, ' ');
        write_named(counter, next(rest, ' '), {"", port_device(name, card), ""}, sink);
      }
    }
  }

  static void write_named(std::string_view name, std::string_view value, const Subject& port, Sink& sink) {
    const auto* const counter = std::ranges::find_if(kCounters, [name](const Counter& one) {
      return one.spelling == name;
    });
    if (counter != std::end(kCounters))
      write(*counter, "", value, port, sink);
  }

  static void write(
      const Counter& counter,
      std::string_view priority,
      std::string_view value,
      const Subject& port,
      Sink& sink) {
    const auto number = base::try_uint(value);
    if (!number)
      return;
    const Meaning& meaning = *counter.meaning;
    // Counters of one meaning and several spellings are several quantities.
    std::string name = meaning.name;
    name += priority.empty() ? " (" + std::string(counter.spelling) + ")"
                             : " on priority " + std::string(priority);
    sink.state(
        {name, "", Kind::Counter, meaning.better, counter.spelling, Scope::Own, meaning.advice},
        double(*number),
        {port});
  }

  std::string host_;
  std::string device_;
};

}  // namespace

const Format kPortCounters{
    "port counters (ethtool -S, perfquery, sysfs)",
    "link",
    kCounterForms,
    Shape::Lines,
    make<PortCounters>,
    nullptr};

}  // namespace lento::desk
