// Predicts one training iteration of a transformer on many devices: time, memory and whether it fits.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "predict/time/collective.h"
#include "predict/time/model/transformer.h"

namespace lento::predict {

// Bytes per parameter that a step of Adam moves: weight copy and two moments read and written, gradient
// read, half-precision weight written.
constexpr double kOptimizerBytes = 30;

enum class Recompute {
  None,
  Selective,  // recomputes the scores of unfused attention
  Full,       // recomputes every layer from its input
  Operators   // recomputes every second product and all element-wise operators (PyTorch: selective, by
              // operator)
};

// The order in which stages process micro batches. Bubble of p stages with forward and backward passes of F
// and B seconds, of which W computes weight gradients (DeepSeek-V3 2024, table 2):
//   interleaved  (p - 1) (F + B) / chunks
//   zero bubble  (p - 1) (F + B - 2 W)
//   dual pipe    (p / 2 - 1) (F + B - W - W): both directions at once, exchanges of experts hidden
enum class Schedule {
  Interleaved,
  ZeroBubble,
  DualPipe
};

// Parallel dimensions, in their default order. A Placement is an order in which ranks are numbered:
// neighbouring ranks differ in its first dimension.
enum class Axis {
  Tensor,
  Context,
  Data,
  Pipeline
};
using Placement = std::array<Axis, 4>;
constexpr Placement kUsualPlacement = {Axis::Tensor, Axis::Context, Axis::Data, Axis::Pipeline};

struct TrainingRun {
  Transformer model;
  int64_t sequence = 2048;
  // micro_batch 0: with_micro_batch chooses the fastest that fits.
  int64_t global_batch = 1;
  int64_t micro_batch = 1;
  int tensor = 1;
  int pipeline = 1;
  int data = 1;
  int context = 1;
  int expert = 1;
  int interleave = 1;  // model chunks on each device
  Schedule schedule = Schedule::Interleaved;
  Recompute recompute = Recompute::None;
  bool sequence_parallel = false;
  int zero = 0;   // sharding stage: 0 none, 1 optimizer, 2 gradients, 3 weights
  int shard = 0;  // replicas that share one copy of the weights at stage 3 (HSDP: those of a node); 0: all
  bool fp32_gradients = true;
  bool overlap_tensor = false;    // tensor exchanges are chunked and overlap the neighbouring products
  bool overlap_gather = false;    // updated weights arrive during the next forward pass
  bool overlap_pipeline = false;  // sending activations between stages overlaps other micro batches
  Precision precision = Precision::Bf16;
  bool expanded_keys = false;         // context parallelism sends and waits for the keys of every head
  bool overlap_experts = false;       // exchanges of experts between nodes overlap other chunks
  bool recompute_open = false;        // not given: memory as needed, time as with `recompute`
  bool frozen = false;                // weights are fixed and small adapters are trained
  std::optional<Precision> products;  // precision of the weights' products where it differs from `precision`
  Placement placement = kUsualPlacement;
  bool best_placement = false;  // use the fastest placement instead (with_placement)

  int ways(Axis axis) const;
  int stride(Axis axis) const;  // rank distance of neighbours
  int devices() const {
    return tensor * pipeline * data * context;
  }
  int replicas() const {
    return data * context;
  }
  int shards() const {  // devices that share one copy of the sharded state
    return zero >= 3 && shard > 0 ? shard : replicas();
  }
  int64_t micro_batches() const {
    return global_batch / (int64_t(data) * micro_batch);
  }
  bool operator==(const TrainingRun&) const = default;
};

struct TrainingTime {
  double seconds = 0;
  double tokens_per_s = 0;
  double model_flops = 0;  // operations of the iteration, without recomputation
  double score_flops = 0;  // those of attention among them, which have no weights
  double utilisation = 0;  // model operations per second over the peak
  // Parts of one device's time, which sum to `seconds`.
  double compute_s = 0;
  double recompute_s = 0;
  double tensor_s = 0;
  double pipeline_s = 0;
  double bubble_s = 0;
  double data_s = 0;
  double optimizer_s = 0;
  double host_s = 0;
  std::string bound;
  // Bytes on the device that holds the most.
  double memory_bytes = 0;
  double weight_bytes = 0;
  double activation_bytes = 0;
  bool fits = false;
};

// Returns the run with a micro batch: its own when it has one, else the fastest power of two that divides
// the batch and fits in memory, or 1 when none fits.
TrainingRun with_micro_batch(const System& system, const TrainingRun& run);
// Sets the precision in which a run is said to train. Below 16 bits software computes the products of weights
// in it and keeps everything else in bf16.
void train_in(TrainingRun& run, Precision p);

// Throws base::Error when a parallel degree does not divide the model's sizes or the batch.
TrainingTime predict_training(const System& system, const TrainingRun& run, const base::Location& where = {});

Shard shard_of(const TrainingRun& run);  // one device's part of a micro batch

// Bytes on the device that holds most: weights, gradients, optimizer state, activations of all micro batches
// in flight.
struct TrainingMemory {
  double weights = 0;
  double activations = 0;  // kept for the backward pass
  double working = 0;      // of one layer during recomputation, and gathered rows
  double logits = 0;
  double total() const {
    return weights + activations + std::max(working, logits);
  }
};
TrainingMemory training_memory(const TrainingRun& run, const Stack& stack);

}  // namespace lento::predict
