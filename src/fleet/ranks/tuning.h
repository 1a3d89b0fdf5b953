// The constants behind the verdicts of fleet/ranks, with units, reasons and the files that they were measured
// in. Noise, undisturbed times, step lengths and drift are estimated from the traces instead.
#pragma once

#include <cstddef>

namespace lento::fleet::ranks::tuning {

// Least excess of a rank's own time over that of its peers that is reported, as a share of the peers' own
// time. Eight healthy real ranks stay within 1.1 %. The mildest fault that must be found, a GPU that is 1.1
// times slower, shows 8 %. bench/results/2026-11-22/fleet_ranks_gloo8.csv
constexpr double kLeastOwnShare = 0.05;

// Least excess of a channel's transfer time over its undisturbed time, as a ratio minus one. A channel is
// one communicator, operation and size (job.h). bench/results/2026-11-22/fleet_ranks_campaign.csv
constexpr double kLeastTransferShare = 0.06;

// Least excess of a slow rank or part of the network, as a share of a step's length. A smaller one is not
// worth acting on.
constexpr double kLeastStepShare = 0.003;

// Least ratio of an excess's median over steps to its mean. Routing and sequence lengths delay a rank by
// much in few steps, a slow part delays it by the same in all steps.
constexpr double kLeastMedianShare = 0.5;

// Least excess in multiples of its standard error. It is high, because thousands of ranks and channels are
// examined and the best stretch of steps is chosen: eight keeps a healthy hour below 0.01 false alarms.
// bench/results/2026-11-22/fleet_ranks_campaign.csv
constexpr double kLeastSignificance = 8;

// Least significance of a host's other ranks in the steps in which one of its ranks is late. The steps were
// not chosen for these ranks, so only one in 30,000 healthy ranks reaches it.
constexpr double kLeastSharedSignificance = 4;

// Least significance of slow input in traces into which a barrier was inserted (hidden.h). The clocks place
// the end of that barrier, so an error of the clocks looks like slow input. Healthy recordings of an hour
// reach 20, input that takes 1.1 times as long reaches at least 100.
// bench/results/2026-11-22/fleet_ranks_healthy.csv
constexpr double kLeastInferredSignificance = 40;

// Least significance of the excess of one channel's transfer time, whose noise has longer tails than that of
// own time.
constexpr double kLeastChannelSignificance = 10;

// Least excess of a rank's own time, in standard deviations of the lasting differences between healthy
// peers.
constexpr double kLeastPeerSpread = 3.5;

// Least excess of a channel's log transfer time that counts as evidence, in standard deviations of the
// healthy channels of its shape (operation, size, number of ranks and of hosts). One in two hundred healthy
// channels reaches it. All channels that cross a part of the network must together reach kLeastPartSpread.
constexpr double kLeastChannelSpread = 2.5;
constexpr double kLeastPartSpread = 4.7;
// The measured spread of a shape is used even below kUnknownSpread when its channels belong to at least this
// many different sets of ranks.
constexpr int kGroupsThatTell = 8;
// Least standard deviation of log transfer time between the healthy channels of a shape: kFloorSpread where
// it was measured, kUnknownSpread where there are too few channels to measure it.
constexpr double kFloorSpread = 0.018;
constexpr double kUnknownSpread = 0.022;
// Where lasting differences between channels cannot be measured, they are assumed to be this share of the
// scatter of one channel's transfers from step to step, because the causes of one late transfer, a busy core
// or a full queue, also last.
constexpr double kSpreadOfNoise = 0.25;

// Least number of steps in which a fault must show.
constexpr int kLeastSteps = 5;

// Share of a host's ranks, or of the channels that cross a part of the network, that must show the fault
// before the host or the part is named instead of single ranks or channels.
constexpr double kShareOfWhole = 0.75;

// Least share of a rank's excess that must lie before the first collective of a step for the cause to be
// slow input, or in time without a kernel for it to be a slow host.
constexpr double kShareOfKind = 0.7;

// A barrier that the log lacks is only looked for in steps that the ranks end apart (hidden.h): the first
// and the last end must differ by at least this share of the step's length.
constexpr double kLeastBarrierSpread = 0.01;
// With a barrier no rank begins the next step before the last rank has ended this one. A begin that is
// earlier by up to this share of the difference of the ends is accepted, because clocks err by up to 3 ms
// over an hour, while ranks of a pipeline end a second apart.
// bench/results/2026-11-22/fleet_ranks_healthy.csv
constexpr double kBarrierShare = 0.1;

// Limits for the mean durations on the Inspector's Prometheus pages: the least number of GPUs with means of
// the same kind of collective, and the least distance of the lowest mean from the median, as a share of the
// median. Healthy means of eight real ranks differ by 2 %, that of a GPU that is 1.25 times slower is 12 %
// lower.
constexpr size_t kLeastMeans = 4;
constexpr double kLeastMeanShare = 0.06;

// Largest drift of a clock. Quartz that drifts more is broken (or the match is wrong).
constexpr double kMostDrift = 200e-6;

}  // namespace lento::fleet::ranks::tuning
