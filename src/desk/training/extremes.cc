// Lists the quantities, each with the end (lowest or highest) at which a faulty rank is: lowest clock,
// longest time, lowest throughput.
#include "desk/training/extremes.h"

namespace lento::desk {
namespace {

constexpr const char* kClock =
    "look at nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER of that GPU for the reason that its clock is "
    "held "
    "down, and at air flow and power of its host";
constexpr const char* kSlow =
    "look at clocks, PCIe width and kernel log of that rank's GPU and at other programs on its host";
constexpr const char* kLoader = "look at the storage and at the data loader of that rank's host";

Quantity lowest(const char* name, const char* unit, const char* advice) {
  return {name, unit, Kind::Level, Better::Higher, "", Scope::Extreme, advice};
}
Quantity highest(const char* name, const char* unit, const char* advice) {
  return {name, unit, Kind::Level, Better::Lower, "", Scope::Extreme, advice};
}

}  // namespace

const std::vector<Extremes>& extremes() {
  static const std::vector<Extremes> all{
      {"Clk", "Clock", lowest("lowest clock of all ranks", "MHz", kClock)},
      {"Rtt", "RoundTripTime", highest("longest forward time of all ranks", "s", kSlow)},
      {"Etpt", "Throughput", lowest("lowest throughput of all ranks", "TFLOP/s", kSlow)},
      {"Tmp",
       "Temp",
       highest("highest temperature of all ranks", "C", "check air flow and fans of its host")},
      {"Pwr", "Power", lowest("lowest power of all ranks", "W", "look at the power limit of that GPU")},
      {"DRtt", "BatchLoadLatency", highest("longest batch loading of all ranks", "s", kLoader)},
  };
  return all;
}

}  // namespace lento::desk
