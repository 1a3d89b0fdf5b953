// Reduces figures to a size that a page can show. Rows and spans that a finding names are kept whole.
#pragma once

#include "finding/figure.h"

namespace lento::report {

// Returns the largest finite value, or NaN when there is none.
double finite_maximum(const double* begin, const double* end);

// Reduces a heat map to at most 96 shared rows (bins of neighbours by their maximum) and 900 columns (bins by
// their maximum). Rows that a finding names keep a row of their own and come first. Lines and bands keep at
// most 3000 points, of each step the first, the lowest and the highest. Values keep five significant digits.
// Timelines keep every span that a finding names and at most 6000 of the others. Other kinds are unchanged.
finding::FigureBody reduced(const finding::FigureBody& body);

}  // namespace lento::report
