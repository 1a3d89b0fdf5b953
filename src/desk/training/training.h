// Lines that training programs write about their steps: how long a step took, how much work it did, and which
// rank was the slowest (docs/formats/desk-training.md).
#pragma once

#include "desk/read/format.h"

namespace lento::desk {

extern const Format kMegatron;         // Megatron-LM, and the report of its straggler detector
extern const Format kTorchtitan;       // torchtitan
extern const Format kNemo;             // NeMo on Lightning
extern const Format kDeepSpeed;        // DeepSpeed's throughput timer, Megatron-DeepSpeed
extern const Format kMaxText;          // MaxText
extern const Format kTrainer;          // the dictionaries of Hugging Face's Trainer
extern const Format kNanoGpt;          // nanoGPT
extern const Format kDeepSpeedTimers;  // DeepSpeed's wall_clock_breakdown
extern const Format kProgressBars;     // tqdm: Lightning, Trainer, loops of one's own
extern const Format kMlperf;           // MLPerf ":::MLLOG"
extern const Format kStragglerScores;  // straggler reports of nvidia-resiliency-ext
extern const Format kComposer;         // Composer's straggler detector
extern const Format kRankNumbers;      // a number of one rank per line: tests of GPUs, section reports
extern const Format kRankTable;        // CSV or JSON Lines with a row per rank and step
extern const Format kLoss;             // losses that are no number
extern const Format kUnreadRanks;      // numbers of ranks that no other format took

// Returns all formats of this family.
Formats training_formats();

}  // namespace lento::desk
