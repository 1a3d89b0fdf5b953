// Reduces figures to a size that a page can show. Rows and spans that a finding names are kept whole.
#pragma once

#include "finding/figure.h"

namespace lento::report {

// Returns the largest finite value, or NaN when there is none.
double finite_maximum(const double* begin, const double* end);

// Reduces a figure to what a page can show. A heat map keeps a row for each row that a finding names, these
// first, and at most 96 more and 900 columns, in which neighbours are replaced by their maximum. Lines and
// bands are divided into 1000 sections, each of which keeps its first, lowest and highest point. Values keep
// five significant digits. Timelines keep every span that a finding names and at most 6000 others. Other
// kinds of figure are unchanged.
finding::FigureBody reduced(const finding::FigureBody& body);

}  // namespace lento::report
