// The bandwidth of one host, which its peers should share: perftest (ib_write_bw and its kind).
//
//   perftest = "#bytes #iterations BW peak[UNIT] BW average[UNIT] MsgRate[Mpps]" {N N X X X}
//
// The row of the largest message is taken. Source: perftest 4.5 to 24.
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

}  // namespace

const Format kPerftest{"perftest", "bench", {}, Shape::Table, make<Perftest>, score_perftest};

}  // namespace lento::desk
