// Tuned numbers of the judgement without a mapping. Raw file for all:
// bench/results/2026-11-22/fabric_plants.csv (lento-lab fabric plants).
#pragma once

namespace lento::chip {

// Waits that must be equal before they say anything about one another. Fewer than four share a correction
// that fits them whatever they are.
constexpr uint32_t kEqualWaits = 4;

// Log-likelihood a hypothesis must gain over a healthy fabric, per candidate class tried: its logarithm is
// added (a Bonferroni correction).
constexpr double kEvidence = 14;

// Log-likelihood that the blamed candidate must be ahead of the next.
constexpr double kMargin = 3;

// Factors tried; between them the likelihood is flat enough to keep the class.
constexpr double kFactors[] = {1.3, 1.5, 1.75, 2, 2.5, 3, 4, 5, 7, 10, 20};

// Smallest factor that is blamed: below it the model's own errors between routes are as large.
constexpr double kLeastFactor = 1.3;

// Degrees of freedom of the Student distribution of the residuals: tails of real waits are heavier than
// normal.
constexpr double kTails = 3;

// Standard deviation of the logarithm by which the fabric misses the tails of one sort of equal waits: that
// of the 59 untouched traces that can be judged.
constexpr double kModelError = 0.2;

// Least spread of the logarithm of equal tails: clocks of cores differ by some cycles in some hundred.
constexpr double kLeastSpread = 0.02;

}  // namespace lento::chip
