// The constants behind the verdicts of fleet/ranks, with units, reasons and the files that they were measured
// in. Noise, undisturbed times, step lengths and drift are estimated from the traces instead.
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

// Least excess of a slow part, as a share of a step's length. A smaller one is not worth acting on.
constexpr double kLeastStepShare = 0.003;

// Least ratio of the median of an excess to its mean. Routing and sequence lengths delay a rank by much in
// few steps, a slow part delays it by the same in all steps.
constexpr double kLeastMedianShare = 0.5;

// Least excess in multiples of its standard error. It is high, because thousands of ranks and channels are
// examined and the best stretch of steps is chosen: eight keeps a healthy hour below 0.01 false alarms.
// bench/results/2026-11-22/fleet_ranks_campaign.csv
constexpr double kLeastSignificance = 8;

// Least significance of a host's other ranks in the steps in which one of its ranks is late. The steps were
// not chosen for these ranks, so only one in 30,000 healthy ranks reaches it.
constexpr double kLeastSharedSignificance = 4;

// Least significance of slow input after a barrier that the log lacks and that was inserted by the clocks.
// Healthy recordings of an hour reach 20, input slowed by 1.1 reaches at least 100.
// bench/results/2026-11-22/fleet_ranks_healthy.csv
constexpr double kLeastInferredSignificance = 40;

// Least significance of the transfer of one channel, whose noise has longer tails than own time.
constexpr double kLeastChannelSignificance = 10;

// Least excess of a rank in standard deviations of the lasting differences between healthy peers.
constexpr double kLeastPeerSpread = 3.5;

// Least excess of a channel that counts as evidence, in standard deviations of healthy channels of its shape.
// One in two hundred healthy channels reaches it. The joint evidence of channels must reach kLeastPartSpread.
constexpr double kLeastChannelSpread = 2.5;
constexpr double kLeastPartSpread = 4.7;
// Least number of distinct sets of ranks in a shape for its measured differences to be used even where they
// are below kUnknownSpread.
constexpr int kGroupsThatTell = 8;
// Least standard deviation of log transfer time between healthy channels: where it was measured, and where a
// shape has too few channels to measure it.
constexpr double kFloorSpread = 0.018;
constexpr double kUnknownSpread = 0.022;
// Where lasting differences cannot be measured, they are assumed to be this share of the scatter of transfers
// from step to step, because the causes of one late transfer, a busy core or a full queue, also last.
constexpr double kSpreadOfNoise = 0.25;

// Least number of steps in which a fault must show.
constexpr int kLeastSteps = 5;

// Share of a host's ranks, or of the channels that cross a part of the network, that must show the fault
// before the host or the part is named instead of single ranks or channels.
constexpr double kShareOfWhole = 0.75;

// Least share of an excess that lies before the step's first collective for slow input, or in time without a
// kernel for a slow host.
constexpr double kShareOfKind = 0.7;

// Least distance between the first and the last rank's end of a step, as a share of the step, at which a
// barrier that the log lacks shows ...
constexpr double kLeastBarrierSpread = 0.01;
// ... and share of that distance by which a rank may seem to begin the next step before the last end. Clocks
// err by up to 3 ms over an hour, while ranks of a pipeline end a second apart.
// bench/results/2026-11-22/fleet_ranks_healthy.csv
constexpr double kBarrierShare = 0.1;

// For means of the Inspector's pages: least number of GPUs of a shape, and least distance of the lowest from
// their median, as a share of it. Healthy means of gloo8 differ by 2 %, a GPU at x1.25 lies 12 % lower.
constexpr size_t kLeastMeans = 4;
constexpr double kLeastMeanShare = 0.06;

// Largest drift of a clock. Quartz that drifts more is broken (or the match is wrong).
constexpr double kMostDrift = 200e-6;

}  // namespace lento::fleet::ranks::tuning
