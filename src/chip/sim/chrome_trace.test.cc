#include "chip/sim/chrome_trace.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/json.h"
#include "chip/map/test_data.h"
#include "chip/sim/simulate.h"

namespace lento::chip {
namespace {

TEST(ChromeTrace, IsJsonWithOneEventARecord) {
  const std::string path = testing::TempDir() + "lento_trace.json";
  const spec::Chip chip;
  const Mapping mapping = test::two_layers();
  const Program program = expand(mapping, chip, "m");
  ChromeTrace trace(path, mapping, chip);
  const Result result = simulate(Model(chip, program), {}, {}, &trace);
  trace.commit();
  const base::Json json = base::parse_json(base::read_file(path), path);
  uint64_t spans = 0;
  double last = 0;
  std::map<std::pair<double, double>, double> free;  // [process, thread]
  for (const base::Json& event : json.find("traceEvents")->items()) {
    if (event.find("ph")->string({}) != "X")
      continue;
    ++spans;
    const double begin = event.find("ts")->number({});
    double& from = free[{event.find("pid")->number({}), event.find("tid")->number({})}];
    EXPECT_GE(begin, from) << "overlaps on its track";
    from = begin + event.find("dur")->number({}) - 0.001;  // printed to 0.001
    last = std::max(last, event.find("ts")->number({}) + event.find("dur")->number({}));
  }
  EXPECT_EQ(spans, result.records);
  EXPECT_NEAR(last, double(result.cycles) * 0.01, 0.01);  // 100 MHz: 100 cycles a microsecond
  std::filesystem::remove(path);
}

// The last record may be the one that fills the buffer, which is then empty.
TEST(ChromeTrace, AnyNumberOfRecordsIsJson) {
  const std::string path = testing::TempDir() + "lento_trace_flush.json";
  const auto bytes_of = [&](uint64_t records) {  // all of one length
    ChromeTrace trace(path, test::two_layers(), {});
    for (uint64_t i = 0; i < records; ++i) {
      ProbeRecord r;
      r.begin = 1'000'000 + i;
      r.end = r.begin + 1;
      trace.record(r);
    }
    trace.commit();
    const std::string text = base::read_file(path);
    EXPECT_NO_THROW(base::parse_json(text, path)) << records;
    return text.size();
  };
  bytes_of(0);
  const uint64_t each = bytes_of(2) - bytes_of(1), filled = ((1 << 20) - bytes_of(1)) / each;
  for (uint64_t n = filled; n < filled + 4; ++n)
    bytes_of(n);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace lento::chip
