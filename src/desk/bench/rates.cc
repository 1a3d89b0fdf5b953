// The bandwidth of one host, or between two, which its peers should share. Programs: perftest (ib_write_bw
// and its kind) and iperf.
//
//   iperf    = "[ ID] Interval" any {stream}
//   stream   = "[" (N | "SUM") "]" BEGIN "-" END "sec" X UNIT X UNIT any ["sender" | "receiver"]
//   perftest = "#bytes #iterations BW peak[UNIT] BW average[UNIT] MsgRate[Mpps]" {N N X X X}
//
// The row of the largest message is taken, and of iperf the row of the longest interval: of all streams where
// there is one, and of the receiver. Sources: perftest 4.5 to 24; iperf 2.1, iperf 3.9 to 3.18.
#include <algorithm>
#include <tuple>

#include "base/number.h"
#include "desk/bench/bench.h"
#include "desk/bench/fields.h"

namespace lento::desk {
namespace {

class Perftest : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    if (line.find("RDMA_") != line.npos || line.find("Send BW") != line.npos)
      test_ = split_blanks(line)[0];
    if (line.find("BW average[") != line.npos) {
      // GB and MB are in bytes, Gb is in bits.
      scale_ = line.find("average[Gb/sec]") != line.npos   ? 1
               : line.find("average[MB/sec]") != line.npos ? 8e-3
                                                           : 8;
      return true;
    }
    const std::vector<std::string> cells = split_blanks(line);
    const auto size = cells.size() == 5 ? base::try_uint(cells[0]) : std::nullopt;
    const auto average = size ? base::try_double(cells[3]) : std::nullopt;
    if (!average || *average <= 0)
      return false;
    if (*size >= largest_) {
      largest_ = *size;
      average_ = *average * scale_;
      line_.assign(line);
      number_ = sink.number();
    }
    return true;
  }

  void end(Sink& sink) override {
    if (largest_ == 0)
      return;
    sink.at(line_, number_, sink.subject(), {});
    sink.state(
        {"RDMA bandwidth",
         "Gb/s",
         Kind::Level,
         Better::Higher,
         test_,
         Scope::Own,
         "compare its card's PCIe link (lspci -vv), port rate (ibstat), NUMA node and counters with a "
         "peer's"},
        average_,
        {});
  }

  std::string test_;
  double scale_ = 1;
  uint64_t largest_ = 0;
  double average_ = 0;
  std::string line_;
  int64_t number_ = 0;
};

double score_perftest(std::string_view head, std::string& reason) {
  if (head.find("#bytes") == head.npos || head.find("BW average[") == head.npos)
    return 0;
  reason = "it has the header of perftest";
  return 0.9;
}

// Returns the factor from a unit of rates to Gb/s, or 0.
double gigabits_in(std::string_view unit) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"Tbits/sec", 1e3},
      {"Gbits/sec", 1},
      {"Mbits/sec", 1e-3},
      {"Kbits/sec", 1e-6},
      {"GBytes/sec", 8 * 1.073741824},
      {"MBytes/sec", 8 * 1.048576e-3}};
  const auto* const at = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  return at == std::end(kUnits) ? 0 : at->second;
}

class Iperf : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    static const Pattern pattern(
        "^[{id:text}] ~{begin:num}-{end:num} sec {_:num} {_:word} {rate:num} {unit:word} {rest}");
    const std::string closed = std::string(line) + " ";
    Match match;
    if (!pattern.match(closed, match))
      return line.starts_with("[ ID]");
    const double scale = gigabits_in(match["unit"]);
    const double length = match.number("end").value_or(0) - match.number("begin").value_or(0);
    if (scale == 0 || !(length > 0))
      return false;
    const bool is_receiver = match["rest"].find("receiver") != match["rest"].npos;
    const std::tuple<double, bool, bool> rank{length, match["id"] == "SUM", is_receiver};
    if (rank >= best_) {
      best_ = rank;
      rate_ = match.number("rate").value_or(0) * scale;
      line_.assign(line);
      number_ = sink.number();
    }
    return true;
  }

  void end(Sink& sink) override {
    if (line_.empty())
      return;
    sink.at(line_, number_, sink.subject(), {});
    sink.state(
        {"TCP throughput",
         "Gb/s",
         Kind::Level,
         Better::Higher,
         "",
         Scope::Own,
         "compare its port rate, errors and retransmissions (ethtool, ethtool -S, mlxlink) with a peer's"},
        rate_,
        {});
  }

  std::tuple<double, bool, bool> best_{0, false, false};  // length (s), all streams, receiver
  double rate_ = 0;
  std::string line_;
  int64_t number_ = 0;
};

double score_iperf(std::string_view head, std::string& reason) {
  const size_t at = head.find("[ ID] Interval");
  const std::string_view line = at == head.npos ? "" : head.substr(at, head.substr(at).find('\n'));
  if (line.find("Bitrate") == line.npos && line.find("Bandwidth") == line.npos)
    return 0;
  reason = "it has the header of iperf";
  return 0.9;
}

}  // namespace

const Format kIperf{"iperf", "bench", {}, Shape::Table, make<Iperf>, score_iperf};
const Format kPerftest{"perftest", "bench", {}, Shape::Table, make<Perftest>, score_perftest};

}  // namespace lento::desk
