// The kind of a metric, by its name and by its values: what may be averaged, how, and which side is slow.
#pragma once

#include <span>
#include <string_view>

namespace lento::fleet {

enum class Kind {
  Level,       // many values: compared by means and quantiles
  Rate,        // of a counter; compared like a level
  Share,       // of a whole, 0 to 1 or 0 to 100
  FewValued,   // under ten values, or zero and others: compared by ranks with ties
  Code,        // a state or a mask: events, never averaged
  Identifier,  // names and times of something: nothing to compare
};
const char* name(Kind kind);

// The side on which a slow or faulty machine lies.
enum class Slow {
  Unknown,
  Low,   // power, clocks, bandwidth
  High,  // times, waits, errors, temperatures
};

struct MetricKind {
  Kind kind = Kind::Level;
  Slow slow = Slow::Unknown;
};
// Returns the kind by words of the name alone: Level, Rate, Share, Code or Identifier.
MetricKind kind_of(std::string_view metric);

// The scale on which a metric's values are compared.
struct Scale {
  enum class Law {
    Log,    // all positive: a loss is a share of the level
    Asinh,  // like the logarithm far from zero, and linear about it
    Rank,   // among the peers of the same moment, ties share their mean rank
  };
  Law law = Law::Log;
  bool tied = false;            // equal values are common, so quantiles are useless
  bool few = false;             // distinct values
  double typical = 1;           // median of the absolute values
  float of(float value) const;  // Log and Asinh
};
// values[row * machines + machine], NaN where missing.
Scale scale_of(std::span<const float> values, size_t machines);

}  // namespace lento::fleet
