// Sniff tests of GPUs: each rank multiplies the same matrices and copies to a partner, and prints its rate,
// so that ranks of one shape or one stride are peers.
//
//   test = "rank" N "node" HOST ("GEMM" SHAPE | "p2p stride" N) ":" X ("TFLOP/s" | "GB/s")
//
// Source: the GPU sniff test of Megatron-LM, 2026.
#include "desk/bench/bench.h"

namespace lento::desk {
namespace {

enum SniffForm {
  Product,
  Copy,
};

const LineForm kSniffForms[] = {
    {"rank {rank:int} node {node:name} GEMM {shape:word}: {rate:num} TFLOP/s",
     {"  rank   0 node gpu00 GEMM 8192x8192x8192: 695.5 TFLOP/s",
      "rank 117 node h100-014 GEMM 4096x4096x8192: 512 TFLOP/s"}},
    {"rank {rank:int} node {node:name} p2p stride {stride:int}: {rate:num} GB/s",
     {"  rank  31 node gpu03 p2p stride 8: 45.7 GB/s", "rank 0 node a p2p stride 1: 401.2 GB/s"}},
};

class SniffTest : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    const auto rate = match.number("rate");
    if (!rate || *rate <= 0)
      return;
    const bool is_product = form == Product;
    const Quantity quantity{
        is_product ? "rate of a matrix product" : "rate of a copy to a partner",
        is_product ? "TFLOP/s" : "GB/s",
        Kind::Level,
        Better::Higher,
        is_product ? match.text("shape") : "stride " + match.text("stride"),
        Scope::Own,
        is_product ? "look at clocks, power limit, temperature and kernel log of that rank's GPU"
                   : "look at the links of that rank's GPU (nvidia-smi nvlink -s) and at its NIC"};
    sink.state(quantity, *rate, {{match.text("node"), "", match.text("rank")}});
  }
};

}  // namespace

const Format kSniffTest{
    "sniff test of GPUs",
    "bench",
    kSniffForms,
    Shape::Lines,
    make<SniffTest>,
    nullptr,
    {},
    "rates of matrix products and copies"};

}  // namespace lento::desk
