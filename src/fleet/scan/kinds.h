// Finds the kind of a metric by its name and its values: whether it may be averaged, on which scale, and
// whether low or high values are slow.
#pragma once

#include <span>
#include <string_view>

namespace lento::fleet {

enum class Kind {
  Level,       // many values: compared by means and quantiles
  Rate,        // rise of a counter per second: compared like a level
  Share,       // part of a whole, 0 to 1 or 0 to 100
  FewValued,   // under ten distinct values: compared by ranks with ties
  Code,        // a state or a bit mask: its changes are events, and it is never averaged
  Identifier,  // a name or a time stamp: not compared
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
  // Equal on equal machines that do equal work, unlike power, memory or traffic, which follow from a role.
  bool alike = false;
};
// Returns the kind by words of the name alone: Level, Rate, Share, Code or Identifier.
MetricKind kind_of(std::string_view metric);

// The scale on which a metric's values are compared.
struct Scale {
  enum class Law {
    Log,    // for positive values: equal differences are equal shares of the level
    Asinh,  // like the logarithm far from zero, and linear around zero
    Rank,   // rank among the peers in the same row; ties share their mean rank
  };
  Law law = Law::Log;
  bool tied = false;            // equal values are common, so quantiles are useless
  bool few = false;             // there are few distinct values
  double typical = 1;           // median of the absolute values
  float of(float value) const;  // Log and Asinh
};
// Chooses the scale for values[row * machines + machine], NaN where missing.
Scale scale_of(std::span<const float> values, size_t machines);

}  // namespace lento::fleet
