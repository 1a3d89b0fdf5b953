#include "predict/time/hold_out.h"
#include "predict/time/placement.h"
#include "predict/time/question.h"

namespace lento::predict {
namespace {

// The constants that a precision rests on: fp16 and bf16 run on the same units at the same rate and share
// them.
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

// An answer before it is known how sure it is.
struct Draft {
  double seconds = 0;
  std::string bound;
  std::optional<Precision> precision;  // whose constants it rests on
  bool usual = true;                   // laid out as the measured ones were
};

Draft draft(const System& s, const Gemm& g) {
  const KernelTime t = predict_gemm(s, g);
  return {t.seconds, std::string(name(t.bound)), g.precision};
}

Draft draft(const System& s, const LstmLayer& l) {
  const LayerTime t = predict_lstm(s, l);
  return {t.seconds, std::string(name(t.bound)), l.precision};
}

Draft draft(const System& s, const Collective& c) {
  const CollectiveTime t = predict_collective(s, c);
  return {
      t.seconds,
      t.latency_s > t.bandwidth_s ? "launch" : "link",
      std::nullopt,
      c.devices <= s.network.node_devices && c.bytes <= 4e9};
}

Draft draft(const System& s, const TrainingRun& r) {
  const TrainingTime t = predict_training(s, with_placement(s, with_micro_batch(s, r)));
  return {
      t.seconds,
      t.fits ? t.bound : "out of memory",
      r.precision,
      t.fits && r.tensor <= s.network.node_devices};
}

Draft draft(const System& s, const InferenceRun& r) {
  const InferenceTime t = predict_inference(s, r);
  return {t.seconds, t.fits ? t.bound : "out of memory", r.precision, t.fits};
}

Draft draft(const System& s, const GraphRun& r) {
  const GraphTime t = predict_graph(s, r);
  return {t.seconds, t.fits ? t.bound : "out of memory", r.precision, t.fits};
}

}  // namespace

Answer answer(const System& system, const Question& question) {
  const Draft d = std::visit(
      [&system](const auto& what) {
        return draft(system, what);
      },
      question.what);
  const Calibration* used = d.precision ? constants_for(system.chip, *d.precision) : nullptr;
  const Constants kind = !d.precision || (used && used->borrowed.empty()) ? Constants::Own
                         : used                                           ? Constants::Relative
                                                                          : Constants::Generic;
  const Sureness sure = sureness(system, question, d.seconds, kind, used ? used->hold_out_error : 0);
  return {d.seconds, d.bound, sure.p50, sure.p90, sure.measured && d.usual};
}

}  // namespace lento::predict
