// One static picture (SVG) and one table for each kind of figure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "finding/figure.h"

namespace lento::report {

std::string draw(const finding::MeshFigure& figure, const std::string& title);
std::string draw(const finding::HeatMapFigure& figure, const std::string& title);
std::string draw(const finding::SeriesFigure& figure, const std::string& title);
std::string draw(const finding::TimelineFigure& figure, const std::string& title);
std::string draw(const finding::BarsFigure& figure, const std::string& title);
std::string draw(const finding::GraphFigure& figure, const std::string& title);
std::string draw(const finding::ScatterFigure& figure, const std::string& title);
std::string draw(
    const finding::TableFigure& figure,
    const std::string& title);  // "": the table is the picture

// Returns the numbers of a figure as at most `most` rows, for the table under the picture and for CSV.
// Measured values have `digits` significant digits, counts are exact.
finding::TableFigure as_table(const finding::FigureBody& body, size_t most = SIZE_MAX, int digits = 4);

}  // namespace lento::report
