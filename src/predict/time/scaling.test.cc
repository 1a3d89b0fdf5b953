// A machine whose every rate is doubled and whose every delay is halved takes half the time for anything: no
// model may hold a number of seconds of its own, nor count a rate twice. And times never fall as work grows.
#include <gtest/gtest.h>

#include "predict/time/question.h"
#include "predict/time/rows/known_models.h"
#include "predict/time/sensitivity.h"

namespace lento::predict {
namespace {

System quicker(System s, double by) {
  s.chip.clock_hz *= by;
  s.chip.memory_Bps *= by;
  s.chip.power_w *= by;  // operations cost what they did, and there are more of them a second
  s.network.node.lane_Bps *= by;
  s.network.between_Bps *= by;
  for (double* delay :
       {&s.network.node.latency_s,
        &s.network.node.start_s,
        &s.network.node.setup_s,
        &s.network.between_latency_s,
        &s.stack.launch_s,
        &s.stack.host_layer_s,
        &s.stack.hand_over_s})
    *delay /= by;
  for (auto& constants : s.chip.calibration) {
    if (constants)
      constants->launch_s /= by;
  }
  return s;
}

TrainingRun training() {
  TrainingRun r;
  r.model = *known_model("llama-2-7b");
  r.global_batch = 32;
  r.tensor = 2;
  r.pipeline = 2;
  r.data = 4;
  r.zero = 1;
  r.sequence_parallel = true;
  return r;
}

InferenceRun serving() {
  InferenceRun r;
  r.model = *known_model("mixtral-8x7b");
  r.batch = 12;
  r.prompt = 700;
  r.output = 50;
  r.tensor = 2;
  r.pipeline = 2;
  r.expert = 2;
  return r;
}

std::vector<Question> questions() {
  std::vector<Question> out;
  out.push_back({Gemm{1, 8192, 8192, 8192, Precision::Bf16}, {}, {}});
  out.push_back({Gemm{3, 17, 5000, 999, Precision::Fp16}, {}, {}});
  out.push_back({Gemm{1, 1, 64, 64, Precision::Bf16}, {}, {}});
  LstmLayer l;
  l.hidden = 1000;
  l.batch = 64;
  l.steps = 25;
  l.pass = LstmLayer::Pass::Training;
  l.precision = Precision::Fp16;
  out.push_back({l, {}, {}});
  for (const double bytes : {1e3, 1e6, 1e9})
    out.push_back({Collective{CollectiveOp::AllReduce, 24, bytes}, {}, {}});
  out.push_back({Collective{CollectiveOp::AllToAll, 8, 1e7}, {}, {}});
  out.push_back({Collective{CollectiveOp::SendReceive, 2, 1e7}, {}, {}});
  out.push_back({training(), {}, {}});
  out.push_back({serving(), {}, {}});
  return out;
}

TEST(Scaling, TwiceAsQuickInEverythingTakesHalf) {
  for (const char* name : {"h100", "a100"}) {
    const System s = read_system(name);
    const std::vector<Question> all = questions();
    for (size_t i = 0; i < all.size(); ++i) {
      const double before = answer(s, all[i]).seconds;
      EXPECT_GT(before, 0);
      for (const double by : {0.5, 2.0, 10.0})
        EXPECT_NEAR(answer(quicker(s, by), all[i]).seconds * by / before, 1, 1e-9) << name << " " << i;
    }
  }
}

// The elasticities of all rates and delays add up to what the whole does: minus one.
TEST(Scaling, ElasticitiesOfRatesAndDelaysSumToMinusOne) {
  const System s = read_system("h100");
  for (const Question& q : questions()) {
    double rates = 0;
    double delays = 0;
    for (const Elasticity& e : elasticities(s, q)) {
      const bool rate = e.input == "clock" || e.input == "memory bandwidth" ||
                        e.input == "link bandwidth in a node" || e.input == "bandwidth between nodes" ||
                        e.input == "power";
      const bool delay = e.input == "launch time" || e.input == "host time of a layer" ||
                         e.input == "latency of a link" || e.input == "start of a collective" ||
                         e.input == "set-up of large messages" || e.input == "latency between nodes" ||
                         e.input == "stall of a hand-over";
      rates += rate ? e.value : 0;
      delays += delay ? e.value : 0;
    }
    EXPECT_NEAR(rates - delays, -1, 0.05);
  }
}

TEST(Scaling, LargerProductsAreNeverMuchQuicker) {
  // Whole tiles may favour a larger size by a little; a falling time is a mistake.
  const System s = read_system("h100");
  for (const int64_t k : {64, 1024, 8192}) {
    double before = 0;
    for (int64_t m = 16; m <= 16384; m *= 2) {
      const double seconds = predict_gemm(s, {1, m, 4096, k, Precision::Bf16}).seconds;
      EXPECT_GE(seconds, before) << m << " " << k;
      before = seconds;
    }
  }
}

TEST(Scaling, MoreWorkInTrainingAndServingIsNeverQuicker) {
  const System s = read_system("h100");
  const Question t{training(), {}, {}};
  const double trained = answer(s, t).seconds;
  for (int64_t TrainingRun::*size : {&TrainingRun::global_batch, &TrainingRun::sequence}) {
    TrainingRun more = training();
    more.*size *= 2;
    EXPECT_GT(answer(s, {more, {}, {}}).seconds, trained);
  }
  const double served = answer(s, {serving(), {}, {}}).seconds;
  for (int64_t InferenceRun::*size : {&InferenceRun::batch, &InferenceRun::prompt, &InferenceRun::output}) {
    InferenceRun more = serving();
    more.*size *= 2;
    EXPECT_GT(answer(s, {more, {}, {}}).seconds, served);
  }
}

TEST(Doublings, DoublingIsTheRatioOfTwoAnswers) {
  const System s = read_system("h100");
  const Question q{Gemm{1, 1024, 2048, 4096, Precision::Bf16}, {}, {}};
  const double before = answer(s, q).seconds;
  int seen = 0;
  for (const Doubling& d : doublings(s, q)) {
    Gemm g = std::get<Gemm>(q.what);
    int64_t& size = d.input == "batch" ? g.batch : d.input == "m" ? g.m : d.input == "n" ? g.n : g.k;
    size *= 2;
    EXPECT_DOUBLE_EQ(d.ratio, answer(s, {g, {}, {}}).seconds / before) << d.input;
    ++seen;
  }
  EXPECT_EQ(seen, 4);
}

}  // namespace
}  // namespace lento::predict
