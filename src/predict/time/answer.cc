// Predicts the time of each kind of question, and adds the uncertainty that held-out measurements of similar
// questions show (hold_out.h).
#include <algorithm>

#include "predict/hardware/plausible.h"
#include "predict/time/hold_out.h"
#include "predict/time/question.h"
#include "predict/time/training/placement.h"

namespace lento::predict {
namespace {

// Returns the constants that apply to a precision, or nullptr. fp16 and bf16 run on the same units at the
// same rate, so either takes the constants of the other.
const Calibration* constants_for(const Chip& chip, Precision p) {
  const auto of = [&chip](Precision like) -> const Calibration* {
    const auto& own = chip.calibration[size_t(like)];
    return own ? &*own : nullptr;
  };
  if (const Calibration* own = of(p))
    return own;
  if (p == Precision::Fp16)
    return of(Precision::Bf16);
  return p == Precision::Bf16 ? of(Precision::Fp16) : nullptr;
}

// An answer before its uncertainty is added.
struct Draft {
  double seconds = 0;
  std::string bound;
  std::optional<Precision> precision;      // the precision whose constants were used
  bool usual = true;                       // the question resembles the measured runs
  std::optional<KernelMatch> fused_match;  // for a fused kernel: how closely its constants match
};

Draft draft_answer(const System& s, const Gemm& g) {
  const KernelTime t = predict_gemm(s, g);
  return {t.seconds, std::string(name(t.bound)), g.precision};
}

// Answers a recurrent layer. Only forward passes of LSTM cells (four gates) are as accurate as the measured
// tables show, so others are marked as outside the validated range.
Draft draft_answer(const System& s, const LstmLayer& l) {
  constexpr int64_t kLstmGates = 4;
  const LayerTime t = predict_lstm(s, l);
  Draft d{t.seconds, std::string(name(t.bound)), l.precision};
  // Other cells and backward passes err by more than 15 %.
  d.usual = l.gates == kLstmGates && l.pass == LstmLayer::Pass::Forward;
  return d;
}

Draft draft_answer(const System& s, const Collective& c) {
  const CollectiveTime t = predict_collective(s, c);
  return {
      t.seconds,
      t.latency_s > t.bandwidth_s ? "launch" : "link",
      std::nullopt,
      c.devices <= s.network.node_devices && c.bytes <= 4e9};
}

Draft draft_answer(const System& s, const TrainingRun& r) {
  const TrainingTime t = predict_training(s, with_placement(s, with_micro_batch(s, r)));
  return {
      t.seconds,
      t.fits ? t.bound : "out of memory",
      r.products.value_or(r.precision),
      t.fits && r.tensor <= s.network.node_devices};
}

Draft draft_answer(const System& s, const InferenceRun& r) {
  const InferenceTime t = predict_inference(s, r);
  return {t.seconds, t.fits ? t.bound : "out of memory", r.precision, t.fits};
}

Draft draft_answer(const System& s, const GraphRun& r) {
  const GraphTime t = predict_graph(s, r);
  return {t.seconds, t.fits ? t.bound : "out of memory", r.precision, t.fits};
}

// Predicts the median request time of a deployment. The measured deployments serve models with latent
// attention, so only such models are marked as similar to measured runs (Draft::usual).
Draft draft_answer(const System& s, const std::string& framework, const ServingRun& r) {
  const ServingTime t = predict_serving(s, framework, r, serving_constants(s, framework));
  return {
      t.request_s.p50,
      t.fits ? "load" : "out of memory",
      std::nullopt,
      t.fits && t.keeps_up && r.model.kv_rank > 0,
      std::nullopt};
}

// Predicts a fused kernel. `fused_match` records how closely its constants match, which decides the
// uncertainty.
Draft draft_fused_kernel(const FusedAnswer& a) {
  Draft d;
  d.seconds = a.time.seconds;
  const double work = std::max(a.time.compute_s, a.time.memory_s);
  const bool launched = a.time.launch_s > work;
  d.bound = launched ? "launch" : a.time.compute_s > a.time.memory_s ? "compute" : "memory";
  d.fused_match = a.match;
  return d;
}

}  // namespace

// Predicts the time of any kind of question, the resource that bounds it, and the error on held-out
// measurements of similar questions.
Answer answer(const System& system, const Question& question) {
  const Draft d = std::visit(
      [&](const auto& what) {
        using What = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<What, ExpertLayer> || std::is_same_v<What, AttentionKernel>)
          return draft_fused_kernel(predict_fused(system, question.framework, what));
        else if constexpr (std::is_same_v<What, ServingRun>)
          return draft_answer(system, question.framework, what);
        else
          return draft_answer(system, what);
      },
      question.what);
  const Calibration* used = d.precision ? constants_for(system.chip, *d.precision) : nullptr;
  const bool measured_here =
      !d.fused_match || *d.fused_match == KernelMatch::Exact || *d.fused_match == KernelMatch::Software;
  const bool same = is_measured_chip(system);
  const Constants kind =
      !measured_here ? (*d.fused_match == KernelMatch::Kernel ? Constants::Relative : Constants::Generic)
      : same && (!d.precision || (used && used->measured_on.empty())) ? Constants::Own
      : used                                                          ? Constants::Relative
                                                                      : Constants::Generic;
  const Sureness sure = sureness(system, question, d.seconds, kind, used ? used->hold_out_error : 0);
  return {d.seconds, d.bound, sure.p50, sure.p90, sure.measured && d.usual && same};
}

}  // namespace lento::predict
