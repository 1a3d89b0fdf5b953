#include "predict/time/question.h"

namespace lento::predict {
namespace {

// Hold-out errors of the classes, from `lento validate` (bench/results), for a system with its own constants;
// a system that borrows constants is less sure.
struct ClassError {
  double own, borrowed;
};
constexpr ClassError kProduct{0.08, 0.15}, kLstm{0.16, 0.25}, kLink{0.15, 0.30}, kTraining{0.12, 0.20},
    kServing{0.25, 0.40};

// fp16 and bf16 run on the same units at the same rate and share constants.
bool calibrated(const System& system, Precision p) {
  if (system.chip.calibration[static_cast<size_t>(p)]) return true;
  const bool half = p == Precision::Fp16 || p == Precision::Bf16;
  return half && (system.chip.calibration[static_cast<size_t>(Precision::Fp16)] ||
                  system.chip.calibration[static_cast<size_t>(Precision::Bf16)]);
}

Answer answer_one(const System& s, const Gemm& g) {
  const KernelTime t = predict_gemm(s, g);
  const bool own = calibrated(s, g.precision);
  const bool seen = g.m <= 131072 && g.n <= 131072 && g.k <= 131072 && t.seconds > 2e-6;
  return {t.seconds, std::string(name(t.bound)), own ? kProduct.own : kProduct.borrowed, own && seen};
}

Answer answer_one(const System& s, const LstmLayer& l) {
  const LayerTime t = predict_lstm(s, l);
  const bool own = calibrated(s, l.precision) && s.family == "v100";
  return {t.seconds, std::string(name(t.bound)), own ? kLstm.own : kLstm.borrowed, own};
}

Answer answer_one(const System& s, const Collective& c) {
  const CollectiveTime t = predict_collective(s, c);
  const bool inside = c.devices <= s.network.node_devices;
  return {t.seconds, t.latency_s > t.bandwidth_s ? "launch" : "link", inside ? kLink.own : kLink.borrowed,
          inside && c.bytes <= 4e9};
}

Answer answer_one(const System& s, const TrainingRun& r) {
  const TrainingTime t = predict_training(s, with_micro_batch(s, r));
  const bool own = calibrated(s, r.precision) && (s.family == "a100" || s.family == "h100");
  return {t.seconds, t.fits ? t.bound : "out of memory", own ? kTraining.own : kTraining.borrowed,
          own && t.fits && r.devices() <= 6144 && r.tensor <= s.network.node_devices};
}

Answer answer_one(const System& s, const InferenceRun& r) {
  const InferenceTime t = predict_inference(s, r);
  return {t.seconds, t.fits ? t.bound : "out of memory", kServing.own, t.fits};
}

Answer answer_one(const System& s, const GraphRun& r) {
  const GraphTime t = predict_graph(s, r);
  const bool own = calibrated(s, r.precision);
  return {t.seconds, t.fits ? t.bound : "out of memory", own ? kProduct.own : kProduct.borrowed, false};
}

}  // namespace

Answer answer(const System& system, const Question& question) {
  return std::visit([&system](const auto& what) { return answer_one(system, what); }, question.what);
}

}  // namespace lento::predict
