// The pieces that every page shares.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "finding/finding.h"

namespace lento::report {

// Where in a page a diagnosis stands: its heading level, what its ids start with, and how many figures the
// page has before it.
struct Place {
  int level = 2;
  std::string prefix = "h-";
  size_t first_figure = 0;
};

// The figures as a page shows them (reduce.h).
std::vector<finding::Figure> shown_figures(const finding::Diagnosis& diagnosis);

// Findings, figures, expectations, data quality, how to repeat; `shown` are its shown_figures.
std::string sections_html(
    const finding::Diagnosis& diagnosis,
    const std::vector<finding::Figure>& shown,
    const Place& place);

std::string facts_html(const std::vector<std::pair<std::string, std::string>>& pairs);

// What makes the pictures answer to pointer and keyboard.
std::string script_html();

// Fills each {{name}} once, left to right, so that text put in is never read as a place itself.
using Places = std::map<std::string, std::string, std::less<>>;
std::string fill(std::string_view page, const Places& places);

}  // namespace lento::report
