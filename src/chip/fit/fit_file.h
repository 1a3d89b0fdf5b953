// A chip's twin on disk: YAML `lento.chip-fit/1` (docs/formats/chip-fit.md), keyed by component. It belongs
// to one chip file, whose digest it carries: its numbers are ratios to that file's.
#pragma once

#include <string>

#include "chip/fit/fit.h"

namespace lento::chip {

std::string write_fit(const Fit& fit, const spec::Chip& file);

// parse_fit(write_fit(f, c), name, c) has the twin, classes and parts of f again. Throws base::Error that
// names every bad key at once, or that the fit is of another chip file.
Fit parse_fit(const std::string& text, const std::string& name, const spec::Chip& file);
Fit read_fit(const std::string& path, const spec::Chip& file);

}  // namespace lento::chip
