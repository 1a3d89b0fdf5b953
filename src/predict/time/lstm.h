// Predicts the time of one recurrent layer over a sequence (vanilla, GRU or LSTM cells), as cuDNN runs it.
#pragma once

#include <cstdint>

#include "predict/time/gemm.h"

namespace lento::predict {

struct LstmLayer {
  int gates = 4;  // LSTM 4, GRU 3, vanilla 1
  int64_t hidden = 1;
  int64_t batch = 1;
  int64_t steps = 1;
  Precision precision = Precision::Fp32;
  enum class Pass {
    Forward,
    BackwardInputs,
    BackwardWeights,
    Training
  } pass = Pass::Forward;

  bool operator==(const LstmLayer&) const = default;
};

struct LayerTime {
  double seconds = 0;
  double input_s = 0;      // products over the whole sequence at once
  double recurrent_s = 0;  // the chain of dependent steps
  Bound bound = Bound::Compute;
};

LayerTime predict_lstm(const System& system, const LstmLayer& layer);

}  // namespace lento::predict
