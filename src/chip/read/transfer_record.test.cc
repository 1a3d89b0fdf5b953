// Names, groups and counts of transfers, against a second count written out here.
#include "chip/read/transfer_record.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"

namespace lento::chip {
namespace {

constexpr TransferKind kAll[] = {
    TransferKind::Zone,
    TransferKind::ZoneEnd,
    TransferKind::Read,
    TransferKind::Write,
    TransferKind::ReadGroup,
    TransferKind::WriteGroup,
    TransferKind::Compute,
    TransferKind::Other};

TransferRecord record_of(TransferKind kind, uint64_t bytes) {
  TransferRecord r;
  r.kind = kind;
  r.bytes = bytes;
  return r;
}

TEST(TransferRecord, KindsHaveNamesOfTheirOwnAndAreOneThingAtMost) {
  std::set<std::string> names;
  for (const TransferKind kind : kAll) {
    names.insert(name(kind));
    EXPECT_FALSE(is_transfer(kind) && is_group(kind)) << name(kind);
  }
  EXPECT_EQ(names.size(), std::size(kAll));
  EXPECT_TRUE(is_transfer(TransferKind::Read) && is_transfer(TransferKind::Write));
  EXPECT_TRUE(is_group(TransferKind::ReadGroup) && is_group(TransferKind::WriteGroup));
  EXPECT_FALSE(is_transfer(TransferKind::Compute));
}

TEST(TransferRecord, PlacesAreWrittenWithTheirChipAboveTheFirst) {
  EXPECT_EQ(to_string(Place{0, 1, 2}), "1-2");
  EXPECT_EQ(to_string(Place{3, 1, 2}), "chip3/1-2");
  EXPECT_FALSE(Place{}.known());
  EXPECT_TRUE((Place{0, 0, 0}).known());
  EXPECT_FALSE((Place{0, 4, -1}).known());
}

TEST(TransferRecord, NameZeroIsEmptyAndNamesAreKeptOnce) {
  TransferTrace trace;
  EXPECT_EQ(trace.name_id("BRISC"), 1U);
  EXPECT_EQ(trace.name_id(""), 0U);
  EXPECT_EQ(trace.name_id("BRISC"), 1U);
  EXPECT_EQ(trace.name_id("NCRISC"), 2U);
  EXPECT_EQ(trace.names, (std::vector<std::string>{"", "BRISC", "NCRISC"}));
  EXPECT_EQ(trace.network_id("NOC_1"), 0);
  EXPECT_EQ(trace.network_id("NOC_0"), 1);
  EXPECT_EQ(trace.network_id("NOC_1"), 0);
}

TEST(Groups, ReadsAndWritesWaitForTheirOwn) {
  TransferTrace trace;
  trace.streams.emplace_back();
  auto& records = trace.streams[0].records;
  records.push_back(record_of(TransferKind::Read, 8));
  records.push_back(record_of(TransferKind::Write, 100));
  records.push_back(record_of(TransferKind::ReadGroup, 0));
  records.push_back(record_of(TransferKind::Read, 16));
  records.push_back(record_of(TransferKind::WriteGroup, 0));
  records.push_back(record_of(TransferKind::ReadGroup, 0));
  const std::vector<TransferGroup> groups = groups_of(trace);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].bytes, 8U);  // the write beside it belongs to the other kind
  EXPECT_EQ(groups[0].first, 0U);
  EXPECT_EQ(groups[0].wait, 2U);
  EXPECT_EQ(groups[1].bytes, 100U);  // the group of reads between does not close it
  EXPECT_EQ(groups[1].transfers, 1U);
  EXPECT_EQ(groups[2].bytes, 16U);
  EXPECT_EQ(groups[2].first, 3U);
}

TEST(Groups, EveryTransferBeforeAWaitIsInExactlyOneGroupOfItsKind) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    base::Rng rng(seed, "groups");
    TransferTrace trace;
    trace.streams.resize(1 + rng.below(3));
    for (TransferStream& stream : trace.streams) {
      const uint64_t length = rng.below(60);
      for (uint64_t i = 0; i < length; ++i)
        stream.records.push_back(record_of(kAll[rng.below(std::size(kAll))], rng.below(1000)));
    }
    std::vector<std::vector<int>> covered;
    for (const TransferStream& stream : trace.streams)
      covered.emplace_back(stream.records.size(), 0);
    for (const TransferGroup& group : groups_of(trace)) {
      const auto& records = trace.streams[group.stream].records;
      const bool writes = records[group.wait].kind == TransferKind::WriteGroup;
      const TransferKind wanted = writes ? TransferKind::Write : TransferKind::Read;
      uint64_t bytes = 0;
      uint32_t transfers = 0;
      for (uint32_t i = group.first; i < group.wait; ++i) {
        if (records[i].kind != wanted)
          continue;
        ++covered[group.stream][i];
        ++transfers;
        bytes += records[i].bytes;
      }
      EXPECT_EQ(group.transfers, transfers) << seed;
      EXPECT_EQ(group.bytes, bytes) << seed;
    }
    for (size_t s = 0; s < trace.streams.size(); ++s) {
      const auto& records = trace.streams[s].records;
      bool waits[2] = {false, false};
      for (size_t i = records.size(); i-- > 0;) {
        if (is_group(records[i].kind))
          waits[records[i].kind == TransferKind::WriteGroup] = true;
        const bool expected = is_transfer(records[i].kind) && waits[records[i].kind == TransferKind::Write];
        EXPECT_EQ(covered[s][i], expected ? 1 : 0) << seed << " " << s << " " << i;
      }
    }
  }
}

TEST(Counts, EventsOfTheSourceAndDistinctPlaces) {
  TransferTrace trace;
  trace.streams.resize(3);
  trace.streams[0].core = {0, 1, 1};
  trace.streams[1].core = {0, 1, 1};  // another processor of the same core
  trace.streams[2].core = {2, 1, 1};
  TransferRecord read = record_of(TransferKind::Read, 64);
  read.peer = {0, 5, 5};
  TransferRecord group = record_of(TransferKind::ReadGroup, 0);
  group.sources = 2;
  group.end = 90;
  trace.streams[0].records = {record_of(TransferKind::Zone, 0), read, group};
  trace.streams[1].records = {read, record_of(TransferKind::WriteGroup, 0)};
  read.peer = {1, 5, 5};
  trace.streams[2].records = {read, record_of(TransferKind::ZoneEnd, 0), record_of(TransferKind::Compute, 7)};
  const TransferCounts counts = count(trace);
  EXPECT_EQ(counts.events, 9U);
  EXPECT_EQ(counts.cores, 2U);
  EXPECT_EQ(counts.chips, 2U);
  EXPECT_EQ(counts.peers, 2U);
  EXPECT_EQ(counts.transfers, 3U);
  EXPECT_EQ(counts.groups, 2U);
  EXPECT_EQ(counts.open_groups, 1U);
  EXPECT_EQ(counts.zones_begun, 1U);
  EXPECT_EQ(counts.zones_ended, 1U);
  EXPECT_EQ(counts.bytes, 64U * 3 + 7);
}

}  // namespace
}  // namespace lento::chip
