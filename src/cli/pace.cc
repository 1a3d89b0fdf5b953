// Estimates rate and time left of long work. The rate is measured from the start of the current stage,
// because stages differ in speed.
#include "cli/pace.h"

#include <cmath>

#include "base/units.h"

namespace lento::cli {
namespace {

using base::format_number;

constexpr double kSecondsBeforeTelling = 1;

std::string time_left(double seconds) {
  if (seconds < 60)
    return format_number(std::ceil(seconds), 2) + " s";
  if (seconds < 3600)
    return format_number(std::ceil(seconds / 60), 2) + " min";
  return format_number(seconds / 3600, 2) + " h";
}

}  // namespace

std::string Pace::words(std::string_view stage, double done, double total, Clock::time_point now) {
  if (stage != stage_ || done < first_) {
    stage_ = stage;
    begun_ = now;
    first_ = done;
    return {};
  }
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  const double rate = (done - first_) / seconds;
  if (seconds < kSecondsBeforeTelling || rate <= 0)
    return {};
  return ", " + format_number(rate, 3) + " a second, " + time_left((total - done) / rate) + " left";
}

}  // namespace lento::cli
