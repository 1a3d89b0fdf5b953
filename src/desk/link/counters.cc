// Counters of network ports. Each tool and driver has its own spelling: one table brings them to few
// quantities, compared among hosts or ports.
//
// Which host is slow follows from what a counter counts. A host that sends pause frames, drops in its receive
// buffers or has no buffer posted is slow to take data and holds up its senders. A host that receives pauses,
// handles congestion notifications (CNP) or waits for credits is held up by another host, so that those
// counters are read and never judged. Congestion notifications sent and packets marked (ECN) point at the
// path to the host.
//
//   ethtool -S     = "     tx_prio3_pause: 10"
//   perfquery      = "# Port counters: Lid 5 port 1 ..." "SymbolErrorCounter:..............0"
//   sysfs          = "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:0"
//   heading        = {"#" | "="} [HOST] CARD ["port" N] ["at" TIME] {"="}     as loops over hosts print it
//   rdma statistic = "link mlx5_0/1 rx_write_requests 0 ... out_of_buffer 0 ..."
//
// Packets sent and received are read as the base of the other counts: a host that has been up for longer has
// more of all.
//
// A counter that is read twice counts by what it rose in between. One that is at the largest value it can
// hold has counted at least so many.
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
constexpr Meaning kTraffic{"traffic", Better::Neither, ""};

struct Counter {
  const char* spelling;  // "{p:int}" matches the priority
  const Meaning* meaning;
  uint64_t full = 0;  // largest value of the counter, when that is small (InfiniBand, 16.1.3.5); 0: none
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
    {"SymbolErrorCounter", &kSymbols, 0xffff},
    {"LinkErrorRecoveryCounter", &kRecovered, 0xff},
    {"LinkDownedCounter", &kDown, 0xff},
    {"PortRcvErrors", &kDamaged, 0xffff},
    {"LocalLinkIntegrityErrors", &kSymbols, 0xf},
    {"ExcessiveBufferOverrunErrors", &kDropped, 0xf},
    {"PortXmitDiscards", &kSendDrops, 0xffff},
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
    {"rx_packets", &kTraffic},
    {"tx_packets", &kTraffic},
    {"rx_packets_phy", &kTraffic},
    {"tx_packets_phy", &kTraffic},
    {"PortXmitPkts", &kTraffic},
    {"PortRcvPkts", &kTraffic},
    {"port_xmit_packets", &kTraffic},
    {"port_rcv_packets", &kTraffic},
};
constexpr size_t kPerfqueryHead = std::size(kCounters);
constexpr size_t kSysfs = kPerfqueryHead + 1;
// Index of the line form of `rdma statistic` in kCounterForms. The forms of headings that name a card follow
// it.
constexpr size_t kRdma = kPerfqueryHead + 2;

constexpr std::string_view kCards[] = {"mlx5_", "mlx4_", "bnxt_re", "irdma", "hfi1_", "ionic_"};

// Returns the forms of the lines for all known counters.
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
  // Headings that name a card. Each form is tied to the beginning of the line, because other programs name
  // cards within their lines too.
  for (const std::string_view card : kCards) {
    const std::string name(card);
    forms.push_back({texts.emplace_back("^" + name + "{n:int}"), {texts.emplace_back(name + "0:")}});
    forms.push_back(
        {texts.emplace_back("^#{_}" + name + "{n:int}"),
         {texts.emplace_back("# n1 " + name + "0 at 10:00")}});
    forms.push_back(
        {texts.emplace_back("^={_}" + name + "{n:int}"), {texts.emplace_back("=== " + name + "0 ===")}});
    forms.push_back(
        {texts.emplace_back("^{_:word} " + name + "{n:int}"),
         {texts.emplace_back("CA " + name + "0 port 1")}});
  }
  return forms;
}

const std::vector<LineForm> kCounterForms = forms_of_counters();

// Returns the text in front of the first `end`, and removes it from `text` together with that `end`.
std::string_view next(std::string_view& text, char end) {
  const size_t at = text.find(end);
  const std::string_view part = text.substr(0, at);
  text = at == text.npos ? std::string_view() : text.substr(at + 1);
  return part;
}

// Raises a question about a full counter, which shows that there were many errors but not since when.
void question_full(const Counter& counter, const Subject& subject, Sink& sink) {
  Event event;
  event.kind = "unread/state";
  event.subject = subject;
  event.meaning = std::string(counter.spelling) + " is full: at least " + std::to_string(counter.full) + " " +
                  counter.meaning->name + ", and since when is not stated";
  event.action = "the counters of that port once more, an hour after they were cleared (perfquery -R)";
  sink.event(std::move(event));
}

void write_counter(
    const Counter& counter,
    std::string_view priority,
    std::string_view value,
    const Subject& subject,
    Sink& sink) {
  const auto number = base::try_uint(value);
  if (!number)
    return;
  const Meaning& meaning = *counter.meaning;
  // Counters with one meaning and different spellings are separate quantities.
  std::string name = meaning.name;
  name +=
      priority.empty() ? " (" + std::string(counter.spelling) + ")" : " on priority " + std::string(priority);
  Sink::Place place{subject};
  if (counter.full > 0 && *number >= counter.full) {
    place.note = "the counter is full: at least so many";
    if (meaning.better == Better::Lower)
      question_full(counter, subject, sink);
  }
  sink.state(
      {name, "", Kind::Counter, meaning.better, counter.spelling, Scope::Own, meaning.advice},
      double(*number),
      place);
}

}  // namespace

void write_port_counter(std::string_view name, std::string_view value, const Subject& port, Sink& sink) {
  const auto* const counter = std::ranges::find_if(kCounters, [name](const Counter& one) {
    return one.spelling == name;
  });
  if (counter != std::end(kCounters))
    write_counter(*counter, "", value, port, sink);
}

namespace {

class PortCounters : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    if (form < kPerfqueryHead) {
      std::string_view value = match["value"];
      value.remove_prefix(std::min(value.find_first_not_of('.'), value.size()));
      write(kCounters[form], match["p"], value, device_, sink);
    } else if (form == kPerfqueryHead) {
      if (device_.empty() || device_.starts_with("lid"))  // otherwise a heading named the device
        device_ = "lid" + match.text("lid") + "/" + match.text("port");
    } else if (form == kSysfs) {
      std::string_view path = match["path"];
      const std::string_view card = next(path, '/');
      next(path, '/');
      const std::string_view port = next(path, '/');
      write_named(path.substr(path.rfind('/') + 1), match["value"], port_device(card, port), sink);
    } else if (form > kRdma) {
      heading(sink.line());
    } else {
      std::string_view card = match["device"];
      const std::string_view name = next(card, '/');
      std::string_view rest = match["rest"];
      next(rest, ' ');
      while (!rest.empty()) {
        const std::string_view counter = next(rest, ' ');
        write_named(counter, next(rest, ' '), port_device(name, card), sink);
      }
    }
  }

  // Reads a heading: a line with only a host and a card names the port of the counters that follow.
  void heading(std::string_view line) {
    constexpr std::string_view kMarks = "#=-*: \t";
    const size_t begin = line.find_first_not_of(kMarks);
    if (begin == line.npos)
      return;
    line = line.substr(begin, line.find_last_not_of(kMarks) + 1 - begin);
    std::vector<std::string_view> words;
    constexpr size_t kMostWords = 8;
    while (!line.empty() && words.size() < kMostWords) {
      std::string_view word = next(line, ' ');
      while (word.ends_with(":") || word.ends_with(","))
        word.remove_suffix(1);
      if (!word.empty())
        words.push_back(word);
    }
    const auto is_card = [](std::string_view word) {
      return std::ranges::any_of(kCards, [&](std::string_view card) {
        return word.starts_with(card);
      });
    };
    const auto card = std::ranges::find_if(words, is_card);
    if (card == words.end() || card - words.begin() > 1 || card->find_first_of("'/=<>[]()\"") != card->npos)
      return;
    const auto behind = card + 1;
    const bool has_port = behind != words.end() && *behind == "port" && behind + 1 != words.end();
    const auto rest = has_port ? behind + 2 : behind;
    if (rest != words.end() && *rest != "at" && *rest != "@")
      return;
    device_ = port_device(*card, has_port ? behind[1] : std::string_view());
    host_ = card == words.begin() ? "" : std::string(words[0]);
  }

  void write_named(std::string_view name, std::string_view value, const std::string& device, Sink& sink)
      const {
    write_port_counter(name, value, {device == device_ ? host_ : "", device, ""}, sink);
  }

  // Reports a counter of a network card.
  void write(
      const Counter& counter,
      std::string_view priority,
      std::string_view value,
      const std::string& device,
      Sink& sink) const {
    write_counter(counter, priority, value, {device == device_ ? host_ : "", device, ""}, sink);
  }

  std::string device_;
  std::string host_;  // host named by the last heading
};

}  // namespace

const Format kPortCounters{
    .name = "port counters (ethtool -S, perfquery, sysfs)",
    .family = "link",
    .forms = kCounterForms,
    .shape = Shape::Lines,
    .make = make<PortCounters>};

}  // namespace lento::desk
