// Reports of unknown tools on several hosts, through recognition, reader and judges: what keys and values
// mean is the same in every form.
#include <gtest/gtest.h>

#include <map>

#include "desk/test_files.h"

namespace lento::desk {
namespace {

// One report a host, "h0" and on.
finding::Diagnosis of_hosts(const std::vector<std::string>& reports) {
  const LogReader reader(all_formats());
  Records records;
  std::map<int32_t, Subject> names;
  for (size_t i = 0; i < reports.size(); ++i) {
    reader.read_text(reports[i], "report", records);
    names[int32_t(i)] = {"h" + std::to_string(i), "", ""};
  }
  records.name_by_files(names);
  return judge_incident(records);
}

// The only finding's subject, "" without one.
std::string named(const finding::Diagnosis& out) {
  EXPECT_LE(out.findings.size(), 1u);
  return out.findings.empty() ? "" : out.findings[0].subject;
}

TEST(Reports, ASizeBelowThatOfThePeersIsAPartThatIsMissing) {
  const auto page = [](const char* cpus) {
    return std::string("Architecture: x86_64\nCPU(s): ") + cpus + "\nMemFree: 12 kB\n";
  };
  EXPECT_EQ(named(of_hosts({page("192"), page("192"), page("96"), page("192")})), "h2");
  EXPECT_EQ(named(of_hosts({page("192"), page("192"), page("192"), page("192")})), "");
}

TEST(Reports, FlagsHaveAGoodAndABadSide) {
  EXPECT_EQ(named(of_hosts({"Speed: 100 Gb/s\nLink ready: no\n"})), "h0");
  EXPECT_EQ(named(of_hosts({"Power Fault : true\nUser Lock : true\n"})), "h0");
  EXPECT_EQ(named(of_hosts({"Link ready: yes\nPower Fault : false\nError reporting: yes\n"})), "");
}

TEST(Reports, WhatMostHostsStateIsAnOpenQuestion) {
  const std::string page = "Fan Fault : true\nPower Fault : false\n";
  const auto out = of_hosts({page, page, page});
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.outcome, finding::Outcome::CannotJudge);
}

TEST(Reports, ConditionsOfAJsonDocument) {
  const auto node = [](const char* name, const char* deadlock) {
    return std::string("{\"kind\": \"Node\", \"metadata\": {\"name\": \"") + name +
           "\"}, \"status\": {\"conditions\": [{\"type\": \"Ready\", \"status\": \"True\"}, {\"type\": "
           "\"KernelDeadlock\", \"status\": \"" +
           deadlock + "\"}]}}";
  };
  const auto list = [&](const char* second) {
    return "{\"items\": [" + node("n1", "False") + ", " + node("n2", second) + "]}\n";
  };
  EXPECT_EQ(named(test::judge({list("True")})), "n2");
  EXPECT_EQ(named(test::judge({list("False")})), "");
}

TEST(Reports, SharesOfTimeThatAreLost) {
  const auto page = [](const char* wait) {
    return std::string(
               "09:00:01 AM     CPU     %user   %iowait     %idle\n09:05:01 AM     all      9.10     ") +
           wait + "     30.00\n";
  };
  EXPECT_EQ(named(of_hosts({page("0.11"), page("60.20"), page("0.10"), page("0.12"), page("0.11")})), "h1");
  EXPECT_EQ(named(of_hosts({page("0.11"), page("0.30"), page("0.10"), page("0.12"), page("0.11")})), "");
}

TEST(Reports, ARowOfNumbersMakesTheLineAboveAHead) {
  const auto page = [](const char* steal) {
    return std::string(" r  b us sy id wa st\n 3  0 20  2 70  0 ") + steal + "\n 2  0 21  2 70  0 " + steal +
           "\n";
  };
  EXPECT_EQ(named(of_hosts({page("0"), page("0"), page("0"), page("41")})), "h3");
}

TEST(Reports, RatesBesideAResponseTimeAreWhatWasAskedFor) {
  const auto page = [](const char* rate) {
    return std::string("op     ops/s     kB/s     avg RTT (ms)\nread     ") + rate + "     " + rate +
           "     1.01\n";
  };
  EXPECT_EQ(named(of_hosts({page("800.1"), page("801.2"), page("90.1"), page("799.3"), page("802.1")})), "");
}

TEST(Reports, AnErrorOfAnUnknownLogIsNoAllClear) {
  const auto out = test::judge({"Check of disks: passed\nERROR: quorum was not reached within the time\n"});
  EXPECT_EQ(out.outcome, finding::Outcome::CannotJudge);
  const auto host = test::judge({"test of node012 failed: no answer\ntest of node013 passed\n"});
  EXPECT_EQ(named(host), "node012");
}

}  // namespace
}  // namespace lento::desk
