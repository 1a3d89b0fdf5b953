// Who is who in a job, from what each kind of log says.
#include <gmock/gmock.h>

#include "fleet/ranks/job.h"

namespace lento::fleet::ranks {
namespace {

using ::testing::ElementsAre;

struct Said {
  std::string host = {};
  int64_t process = -1;
  int rank = -1;
  int device = -1;
};

class Names : public ::testing::Test {
 protected:
  void name(const std::vector<Said>& all) {
    for (const Said& said : all) {
      RankTrace& t = traces_.emplace_back();
      t.host = said.host;
      t.process = said.process;
      t.rank = said.rank;
      t.device = said.device;
    }
    name_ranks(traces_, job_);
  }
  std::vector<std::string> labels() const {
    std::vector<std::string> out;
    for (const JobRank& r : job_.ranks)
      out.push_back(r.label);
    return out;
  }
  std::vector<std::string> hosts() const {
    std::vector<std::string> out;
    for (const JobRank& r : job_.ranks)
      out.push_back(job_.hosts[size_t(r.host)].name);
    return out;
  }
  std::vector<RankTrace> traces_;
  Job job_;
};

TEST_F(Names, RanksStandInTheOrderOfTheirNumbers) {
  name({{"b", 7, 2}, {"a", 8, 0}, {"a", 9, 10}, {"b", 6, 1}});
  EXPECT_THAT(labels(), ElementsAre("rank0", "rank1", "rank2", "rank10"));
  EXPECT_THAT(hosts(), ElementsAre("a", "b", "b", "a"));
  EXPECT_FALSE(job_.ranks_inferred);
  EXPECT_FALSE(job_.hosts_inferred);
}

// Ten comes after nine, in names of hosts too.
TEST_F(Names, WithoutNumbersHostsAndProcessesCount) {
  name({{"node10", 5}, {"node9", 8}, {"node9", 7}, {"node009a", 1}});
  EXPECT_THAT(hosts(), ElementsAre("node9", "node9", "node009a", "node10"));
  EXPECT_THAT(labels(), ElementsAre("rank0", "rank1", "rank2", "rank3"));
  EXPECT_TRUE(job_.ranks_inferred);
  EXPECT_EQ(job_.ranks[0].trace->process, 7);
}

TEST_F(Names, AHostWhoseNameIsNoneKeepsItsRanksUnderANumber) {
  name({{"../x", 5}, {"a\x1b[2J", 8}, {"../x", 6}, {"good", 7}});
  EXPECT_THAT(hosts(), ElementsAre("host0", "host0", "host1", "good"));
  EXPECT_TRUE(job_.hosts_inferred);
}

TEST_F(Names, WhoHasANumberStandsFirst) {
  name({{"a", 5}, {"z", 9, 3}});
  EXPECT_EQ(job_.ranks[0].trace->rank, 3);
}

// Rank less device is the first rank of its host.
TEST_F(Names, HostsAreToldByTheNumbersOfGpus) {
  name({{"", -1, 0, 0}, {"", -1, 1, 1}, {"", -1, 2, 0}, {"", -1, 3, 1}});
  EXPECT_THAT(hosts(), ElementsAre("host0", "host0", "host1", "host1"));
  EXPECT_TRUE(job_.hosts_inferred);
  EXPECT_THAT(job_.hosts[1].ranks, ElementsAre(2, 3));
}

TEST_F(Names, WithoutGpusEachRankIsAHostOfItsOwn) {
  name({{"", -1, 0}, {"", -1, 1}, {"", -1, 2, 5}});  // a device beyond the rank's number says nothing
  EXPECT_EQ(job_.hosts.size(), 3u);
}

TEST_F(Names, TheDeviceIsThePlaceOnItsHostWhereNobodySays) {
  name({{"a", 1}, {"a", 2}, {"b", 1, -1, 3}, {"b", 2}});
  EXPECT_EQ(job_.ranks[0].device, 0);
  EXPECT_EQ(job_.ranks[1].device, 1);
  EXPECT_EQ(job_.ranks[2].device, 3);
  EXPECT_EQ(job_.ranks[3].device, 1);
}

TEST_F(Names, ACommunicatorOfEverybodyGivesTheNumbers) {
  traces_.resize(3);
  for (size_t i = 0; i < 3; ++i) {
    traces_[i].host = "a";
    traces_[i].process = int64_t(i);
    traces_[i].communicators.push_back({"pair", "", 2, 1, int(i % 2), {}});
    traces_[i].communicators.push_back({"world", "", 4, 1, int(3 - i), {}});
  }
  name_ranks(traces_, job_);
  EXPECT_THAT(labels(), ElementsAre("rank3", "rank2", "rank1"));
  EXPECT_EQ(job_.world, 4);
  EXPECT_FALSE(job_.ranks_inferred);
}

// Rank 1 of four left no log. Numbers by the order of those at hand would be those of other ranks.
TEST_F(Names, WhereAMemberLacksATraceNobodyIsNumbered) {
  for (const int number : {0, 2, 3}) {
    RankTrace& t = traces_.emplace_back();
    t.host = "a";
    t.process = 40 + number;
    t.communicators.push_back({"dp" + std::to_string(number % 2), "", 2, 1, number / 2, {}});
  }
  name_ranks(traces_, job_);
  EXPECT_THAT(labels(), ElementsAre("a/pid40", "a/pid42", "a/pid43"));
  EXPECT_EQ(job_.ranks[2].device, -1);
  EXPECT_FALSE(job_.ranks_inferred);
}

// All ranks at hand are members of one group, and each lacks its partner in another.
TEST_F(Names, AGroupIsNotTheJobWhereAnotherLacksAMember) {
  for (const int number : {0, 1}) {
    RankTrace& t = traces_.emplace_back();
    t.host = "a";
    t.process = 42 - 2 * number;
    t.communicators.push_back({"dp", "", 2, 1, number, {}});
    t.communicators.push_back({"tp" + std::to_string(number), "", 2, 1, 0, {}});
  }
  name_ranks(traces_, job_);
  EXPECT_THAT(labels(), ElementsAre("a/pid40", "a/pid42"));
  EXPECT_EQ(job_.world, -1);
}

// Two traces with one number inside it: it is not the communicator that tells.
TEST_F(Names, WhereTheOrderDisagreesNobodyIsNumbered) {
  traces_.resize(2);
  for (size_t i = 0; i < 2; ++i) {
    traces_[i].host = "a";
    traces_[i].process = int64_t(40 + i);
    traces_[i].communicators.push_back({"pair", "", 8, 1, 5, {}});
  }
  name_ranks(traces_, job_);
  EXPECT_FALSE(job_.ranks_inferred);
  EXPECT_THAT(labels(), ElementsAre("a/pid40", "a/pid41"));
}

TEST_F(Names, CountsWhatTheTracesHold) {
  traces_.resize(2);
  traces_[0].records.resize(3);
  traces_[1].records.resize(4);
  traces_[0].unlabelled = 2;
  traces_[1].communication = 9;
  traces_[1].world = 16;
  traces_[1].timed = false;
  name_ranks(traces_, job_);
  EXPECT_EQ(job_.matching.records, 7u);
  EXPECT_EQ(job_.matching.unlabelled, 2u);
  EXPECT_EQ(job_.matching.communication, 9u);
  EXPECT_EQ(job_.world, 16);
  EXPECT_FALSE(job_.timed);
}

}  // namespace
}  // namespace lento::fleet::ranks
