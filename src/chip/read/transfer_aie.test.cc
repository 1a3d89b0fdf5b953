#include <gtest/gtest.h>

#include "base/error.h"
#include "chip/read/transfer_readers.h"

namespace lento::chip {
namespace {

constexpr const char* kTrace = R"([
{"name":"process_name","ph":"M","pid":0,"args":{"name":"core_trace for tile2,1"}},
{"name":"process_name","ph":"M","pid":1,"args":{"name":"mem_trace for tile2,1"}},
{"name":"INSTR_EVENT_0","ts":100,"ph":"B","pid":0,"tid":0,"args":{}},
{"name":"INSTR_EVENT_0","ts":101,"ph":"E","pid":0,"tid":0,"args":{}},
{"name":"INSTR_VECTOR","ts":110,"ph":"B","pid":0,"tid":1,"args":{}},
{"name":"LOCK_STALL","ts":120,"ph":"B","pid":0,"tid":2,"args":{}},
{"name":"INSTR_VECTOR","ts":140,"ph":"E","pid":0,"tid":1,"args":{}},
{"name":"INSTR_EVENT_1","ts":150,"ph":"B","pid":0,"tid":3,"args":{}},
{"name":"INSTR_EVENT_1","ts":160,"ph":"B","pid":0,"tid":3,"args":{}},
{"name":"CONFLICT_DM_BANK_0","ts":130,"ph":"B","pid":1,"tid":0,"args":{}},
{"name":"INSTR_VECTOR","ts":1.5,"ph":"B","pid":0,"tid":1,"args":{}}
])";

TEST(AieTrace, KernelsAndInstructionsAreZonesOfTheirCore) {
  base::ReadReport report;
  const TransferTrace trace = parse_transfers(kTrace, "trace.json", {}, report);
  EXPECT_EQ(report.taken, 7U);
  EXPECT_EQ(report.skipped, 2U);
  ASSERT_EQ(trace.streams.size(), 1U);
  EXPECT_EQ(trace.streams[0].core, (Place{0, 1, 2}));
  const TransferCounts counts = count(trace);
  EXPECT_EQ(counts.zones_begun, 2U);
  EXPECT_EQ(counts.zones_ended, 2U);
  EXPECT_EQ(trace.names[trace.streams[0].records[0].name], "kernel");
}

TEST(AieTrace, AnotherChromeTraceIsRefused) {
  base::ReadReport report;
  EXPECT_THROW(
      parse_transfers(R"([{"name":"a","ph":"B","ts":1,"pid":0}])", "trace.json", {}, report),
      base::Error);
}

}  // namespace
}  // namespace lento::chip
