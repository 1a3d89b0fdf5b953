// Times a recurrent layer. Step t needs the state of step t-1, so the steps form a chain and each step pays
// its own launches.
//
//   step            product (batch x hidden) * (hidden x gates*hidden), then one fused element-wise kernel
//   backward inputs the transposed product and the same element-wise work
//   backward weights one product over all steps: (hidden x batch*steps) * (batch*steps x gates*hidden)
//
// The product with the layer's input is not counted, because DeepBench times the recurrent part only. A user
// predicts the input product as a separate GEMM.
#include "predict/time/lstm.h"

namespace lento::predict {
namespace {

// Launch overhead of one step on the critical path, as a multiple of launch_s. Fitted to the LSTM layers of
// DeepBench.
constexpr double kStepLaunches = 4.4;
constexpr double kPointwiseValues = 3;  // values moved per gate element: gate read, state read and written

// Returns the seconds of the recurrent part of all steps, which cannot run in parallel. `transposed` is the
// backward direction.
double chain(const System& system, const LstmLayer& l, bool transposed) {
  const int64_t wide = l.gates * l.hidden;
  const Gemm step = transposed ? Gemm{1, l.batch, l.hidden, wide, l.precision}
                               : Gemm{1, l.batch, wide, l.hidden, l.precision};
  const double product = predict_gemm(system, step).seconds - system.stack.launch_s;
  const double bytes = kPointwiseValues * double(l.batch) * double(wide) * bytes_of(l.precision);
  const double pointwise = predict_stream(system, bytes, 0, l.precision).seconds - system.stack.launch_s;
  return double(l.steps) * (product + pointwise + kStepLaunches * system.stack.launch_s);
}

}  // namespace

// Times an LSTM layer: the recurrent chain and the products over all steps at once.
LayerTime predict_lstm(const System& system, const LstmLayer& l) {
  using Pass = LstmLayer::Pass;
  LayerTime t;
  if (l.pass == Pass::Forward || l.pass == Pass::Training)
    t.recurrent_s += chain(system, l, false);
  if (l.pass == Pass::BackwardInputs || l.pass == Pass::Training)
    t.recurrent_s += chain(system, l, true);
  if (l.pass == Pass::BackwardWeights || l.pass == Pass::Training) {
    t.input_s +=
        predict_gemm(system, {1, l.hidden, l.gates * l.hidden, l.batch * l.steps, l.precision}).seconds;
  }
  t.seconds = t.recurrent_s + t.input_s;
  const KernelTime step = predict_gemm(system, {1, l.batch, l.gates * l.hidden, l.hidden, l.precision});
  t.bound = kStepLaunches * system.stack.launch_s > step.seconds ? Bound::Launch : step.bound;
  return t;
}

}  // namespace lento::predict
