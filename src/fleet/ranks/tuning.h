// The constants behind the verdicts of fleet/ranks: value, unit, reason, raw file. Noise, undisturbed times,
// the length of a step and drift are estimated from the traces instead.
#pragma once

#include <cstddef>

namespace lento::fleet::ranks::tuning {

// Least excess of a rank's own time over its peers' that is reported, as a share of that own time. Healthy
// ranks of the loopback job stay within 1.1 %. The mildest fault that must be found (a GPU at x1.1) shows 8
// %. bench/results/2026-11-22/fleet_ranks_gloo8.csv
constexpr double kLeastOwnShare = 0.05;

// Least excess of a channel's transfer over its undisturbed time, as a ratio minus one.
// bench/results/2026-11-22/fleet_ranks_campaign.csv
constexpr double kLeastTransferShare = 0.06;

// Least excess of a slow part over a step's length. A smaller one is not worth acting on.
constexpr double kLeastStepShare = 0.003;

// Median of an excess over its mean. Routing and sequence lengths make a rank late in few steps by much, a
// slow part is late in all by the same.
constexpr double kLeastMedianShare = 0.5;

// The excess must be this many times its standard error. Thousands of ranks and channels are examined and the
// best stretch of steps is chosen among all: eight keeps a healthy hour below one alarm in a hundred.
// bench/results/2026-11-22/fleet_ranks_campaign.csv
constexpr double kLeastSignificance = 8;

// The same for a host's other ranks in the steps in which one of them is certainly late. The steps were not
// chosen for them, so that one in 30,000 healthy ones reaches it.
constexpr double kLeastSharedSignificance = 4;

// The same for slow input behind a barrier that the log left out and that was inserted from the clocks. False
// ones of healthy hours reach 20, inputs of x1.1 begin at 100.
// bench/results/2026-11-22/fleet_ranks_healthy.csv
constexpr double kLeastInferredSignificance = 40;

// The same for the transfer of one channel, whose noise has longer tails.
constexpr double kLeastChannelSignificance = 10;

// An excess must also be this many times the lasting differences between healthy peers.
constexpr double kLeastPeerSpread = 3.5;

// A channel counts as evidence from this many times the lasting differences of healthy channels of its shape.
// One in two hundred healthy channels reaches it. Their joint evidence must reach kLeastPartSpread.
constexpr double kLeastChannelSpread = 2.5;
constexpr double kLeastPartSpread = 4.7;
// Number of sets of ranks from which their measured differences are used even where they are below
// kUnknownSpread.
constexpr int kGroupsThatTell = 8;
// Lasting differences that are assumed at least, and where a shape has under eight channels to measure, as
// logarithms.
constexpr double kFloorSpread = 0.018;
constexpr double kUnknownSpread = 0.022;
// Where lasting differences cannot be measured, they are assumed to be this share of the scatter of transfers
// from step to step, because the causes of one late transfer, a busy core or a full queue, also last.
constexpr double kSpreadOfNoise = 0.25;

// Fewest steps of a stretch.
constexpr int kLeastSteps = 5;

// Share of a host's ranks, or of the channels that cross a part of the network, that must show the fault
// before the host or the part is named instead of single ranks or channels.
constexpr double kShareOfWhole = 0.75;

// Share of an excess that lies in the first segment of the step, or in gaps without a kernel, before input or
// host is reported.
constexpr double kShareOfKind = 0.7;

// A barrier that the log left out shows only in steps that ranks end this far apart, as a share of a step ...
constexpr double kLeastBarrierSpread = 0.01;
// ... because no rank begins the next step earlier than the last end minus this share of that distance.
// Clocks of an hour err by up to 3 ms where ranks of a pipeline end a second apart.
// bench/results/2026-11-22/fleet_ranks_healthy.csv
constexpr double kBarrierShare = 0.1;

// Means of the Inspector's pages: fewest GPUs of a shape, and how far the lowest must lie under their median,
// as a share of it. Healthy means of gloo8 differ by 2 %, a GPU at x1.25 lies 12 % under its peers.
constexpr size_t kLeastMeans = 4;
constexpr double kLeastMeanShare = 0.06;

// Largest drift of a clock. Quartz that drifts more is broken (or the match is wrong).
constexpr double kMostDrift = 200e-6;

}  // namespace lento::fleet::ranks::tuning
