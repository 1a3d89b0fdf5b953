// The parts that every HTML page shares.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "finding/finding.h"

namespace lento::report {

// The position of a diagnosis in a page: its heading level, the prefix of its ids, and the number of figures
// before it.
struct Place {
  int level = 2;
  std::string prefix = "h-";
  size_t first_figure = 0;
};

// Returns the figures in the reduced form that a page shows (reduce.h).
std::vector<finding::Figure> shown_figures(const finding::Diagnosis& diagnosis);

// Composes all of a page that follows the verdict, in the order that html_parts.cc states. `shown` are the
// shown_figures of the diagnosis.
std::string sections_html(
    const finding::Diagnosis& diagnosis,
    const std::vector<finding::Figure>& shown,
    const Place& place);

// Lists names with their texts. `css` is the class of the list: "facts" or "keys".
std::string pairs_html(const std::vector<std::pair<std::string, std::string>>& pairs, const std::string& css);

// Returns the script that lets pictures react to pointer and keyboard.
std::string script_html();

// Replaces each {{name}} once, from left to right, so that inserted text is never read as a place itself.
using Places = std::map<std::string, std::string, std::less<>>;
std::string fill(std::string_view page, const Places& places);

}  // namespace lento::report
