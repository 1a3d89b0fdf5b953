// Figures small enough to look at: what a page cannot show is binned, what is blamed stays whole.
#pragma once

#include "finding/figure.h"

namespace lento::report {

// The largest finite of some values; NaN when there is none.
double finite_maximum(const double* begin, const double* end);

// Heat maps: at most 96 rows (bins of neighbours by their maximum, blamed rows each on their own and first)
// and 900 columns (bins by their maximum). Lines and bands: at most 3000 points, each step keeping its first,
// lowest and highest. Values keep five significant digits. Timelines: at most 6000 spans, the blamed ones
// all. Other kinds pass unchanged.
finding::FigureBody reduced(const finding::FigureBody& body);

}  // namespace lento::report
