#include <gtest/gtest.h>

#include "desk/machine/machine.h"
#include "desk/read/log_file.h"

namespace lento::desk {
namespace {

Records read(std::string_view text) {
  const LogReader reader(machine_formats());
  Records records;
  reader.read_text(text, "imports.txt", records);
  return records;
}

// One import as Lustre 2.12 prints it.
std::string import_of(const std::string& target, const std::string& state, const std::string& flags) {
  return "osc." + target + "-osc-ffff8800a1b2c000.import=\nimport:\n    name: " + target +
         "-osc-ffff8800a1b2c000\n    target: " + target + "_UUID\n    state: " + state +
         "\n    connect_flags: [ write_grant, server_lock ]\n    connect_data:\n       flags: "
         "0xa0425af2e3440478\n"
         "       target_version: 2.12.7.0\n    import_flags: [ " +
         flags +
         " ]\n    connection:\n       failover_nids: [ 10.9.0.13@o2ib, 10.9.0.14@o2ib ]\n"
         "       current_connection: 10.9.0.13@o2ib\n       connection_attempts: 1\n    rpcs:\n"
         "       inflight: 0\n       timeouts: 2\n       avg_waittime: 812 usec\n    service_estimates:\n"
         "       services: 1 sec\n    read_data_averages:\n       bytes_per_rpc: 1044480\n"
         "       usec_per_rpc: 870\n       MB_per_sec: 1200.55\n    write_data_averages:\n"
         "       bytes_per_rpc: 4194304\n       usec_per_rpc: 5100\n       MB_per_sec: 822.41\n";
}

TEST(LustreImport, AveragesOfATargetAreStatesAmongItsKind) {
  const Records records = read(import_of("scratch-OST0005", "FULL", "replayable, pingable"));
  EXPECT_TRUE(records.events().empty());
  ASSERT_EQ(records.series().size(), 4u);
  const double values[] = {2, 812, 1200.55, 822.41};
  const char* units[] = {"", "us", "MB/s", "MB/s"};
  for (size_t i = 0; i < records.series().size(); ++i) {
    const Series& series = records.series()[i];
    const Quantity& quantity = records.quantities()[series.quantity];
    ASSERT_EQ(series.rows.size(), 1u);
    EXPECT_EQ(series.rows[0].value, values[i]);
    EXPECT_EQ(series.rows[0].note, "served by 10.9.0.13@o2ib");
    EXPECT_EQ(quantity.unit, units[i]);
    EXPECT_EQ(quantity.group, "scratch OST");
    EXPECT_EQ(records.subjects()[series.subject].device, "scratch-OST0005");
  }
}

TEST(LustreImport, TheAveragesOfAnIdleTargetAreNotCompared) {
  const Records records = read(import_of("scratch-OST0005", "IDLE", "replayable, pingable"));
  EXPECT_TRUE(records.events().empty());
  EXPECT_TRUE(records.series().empty());
}

TEST(LustreImport, AStateOtherThanFullIsAnEvent) {
  const auto severity = [](const char* state, const char* flags) {
    const Records records = read(import_of("scratch-MDT0000", state, flags));
    EXPECT_EQ(records.events().size(), 1u) << state;
    return records.events().empty() ? Severity::Note : records.events()[0].severity;
  };
  EXPECT_EQ(severity("DISCONN", "invalid, replayable, pingable"), Severity::Fault);
  EXPECT_EQ(severity("EVICTED", "replayable, pingable"), Severity::Fault);
  EXPECT_EQ(severity("REPLAY_WAIT", "replayable, pingable"), Severity::Warning);
  EXPECT_EQ(severity("DISCONN", "invalid, deactive, replayable"), Severity::Note);
}

TEST(LustreImport, NewerVersionsQuoteAddressesAndListThem) {
  const Records records = read(
      "import:\n    name: a-OST0001-osc-ffff1\n    target: a-OST0001_UUID\n    state: FULL\n"
      "    import_flags: [ replayable, pingable ]\n    connection:\n"
      "       failover_nids: [ \"10.9.0.13@o2ib\", \"10.9.0.14@o2ib\" ]\n       nids_stats:\n"
      "          \"10.9.0.13@o2ib\": { connects: 1, replied: 1, uptodate: true, sec_ago: 8120 }\n"
      "       current_connection: \"10.9.0.13@o2ib\"\n    rpcs:\n       avg_waittime: 812 usecs\n");
  ASSERT_EQ(records.series().size(), 1u);
  EXPECT_EQ(records.series()[0].rows[0].value, 812);
  EXPECT_EQ(records.series()[0].rows[0].note, "served by 10.9.0.13@o2ib");
}

// A lost connection is reported as soon as its line is there, and a healthy file has no event wherever it
// ends.
TEST(LustreImport, ACutFileGivesTheRowsThatItHas) {
  const std::string lost = import_of("scratch-OST0001", "DISCONN", "replayable, pingable");
  const std::string sound = import_of("scratch-OST0001", "FULL", "replayable, pingable");
  const size_t state = lost.find("DISCONN") + std::string("DISCONN").size();
  for (size_t size = 0; size <= sound.size(); ++size) {
    EXPECT_EQ(read(lost.substr(0, size)).events().size(), size >= state ? 1u : 0u) << size;
    EXPECT_TRUE(read(sound.substr(0, size)).events().empty()) << size;
  }
}

TEST(LustreImport, OtherParametersAndTextsAreNoImport) {
  const LogReader reader(machine_formats());
  for (const std::string_view text :
       {"import: 5 files\nstate: done\n",
        "osc.scratch-OST0000-osc-ffff8800a1b2c000.max_rpcs_in_flight=32\n",
        "import:\n  - name: base.yaml\n  - name: more.yaml\n"})
    EXPECT_EQ(reader.recognise(text).format, nullptr) << text;
}

}  // namespace
}  // namespace lento::desk
