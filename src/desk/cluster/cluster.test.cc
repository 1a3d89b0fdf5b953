#include "desk/cluster/cluster.h"

#include <gtest/gtest.h>

#include "desk/read/log_file.h"

namespace lento::desk {
namespace {

using Hosts = std::vector<std::string>;

Records read(std::string_view text) {
  const LogReader reader(cluster_formats());
  Records records;
  reader.read_text(text, "jobs.txt", records);
  return records;
}

TEST(Hosts, RangesKeepTheirZerosAndBrokenListsNameNobody) {
  EXPECT_EQ(expand_hosts("a[08-10,3],b"), (Hosts{"a08", "a09", "a10", "a3", "b"}));
  EXPECT_EQ(expand_hosts("r[1-2]n[1-2]"), (Hosts{"r1n1", "r1n2", "r2n1", "r2n2"}));
  EXPECT_EQ(expand_hosts("login1"), (Hosts{"login1"}));
  for (const char* list :
       {"",
        "a[1-",
        "a[1-0]",
        "gpu[001-0+",
        "None assigned",
        "a[1-99999999999]",
        "a[1-60000][1-60000]",
        "a[-]",
        "a[]",
        ",",
        "(null)"})
    EXPECT_TRUE(expand_hosts(list).empty()) << list;
}

TEST(Hosts, ListsOfOneFileStayBounded) {
  HostLists lists;
  size_t held = 0;
  for (int i = 0; i < 100; ++i)
    held += lists.expand("a[1-60000]").size();
  EXPECT_LT(held, HostLists::kMostOfFile + kMostHosts);
}

TEST(Sacct, BarsAndFixedColumnsGiveTheSameJobs) {
  for (const char* text :
       {"JobID|JobName|NodeList|State|ExitCode\n"
        "7|train|n[1-2]|NODE_FAIL|0:0\n7.batch|batch|n1|CANCELLED|0:0\n8|eval|n3|CANCELLED by 1000|0:15\n",
        "JobID           JobName        NodeList      State ExitCode \n"
        "------------ ---------- --------------- ---------- -------- \n"
        "7                 train          n[1-2]  NODE_FAIL      0:0 \n"
        "7.batch           batch              n1  CANCELLED      0:0 \n"
        "8                  eval              n3 CANCELLED+     0:15 \n"}) {
    const Records records = read(text);
    ASSERT_EQ(records.runs().size(), 2u) << text;
    EXPECT_EQ(records.runs()[0].members, (Hosts{"n1", "n2"}));
    EXPECT_EQ(fact(records.runs()[0], "state"), "NODE_FAIL");
    EXPECT_EQ(fact(records.runs()[1], "id"), "8");
    EXPECT_TRUE(fact(records.runs()[1], "state").starts_with("CANCELLED"));
  }
}

TEST(Sacct, JobsOfADocument) {
  const Records records = read(
      R"({"jobs": [{"job_id": 7, "nodes": "n[1-2]", "state": {"current": ["FAILED"]}},
                   {"job_id": 8, "nodes": "n3", "job_state": ["RUNNING"]}, {"nodes": 3}]})");
  ASSERT_EQ(records.runs().size(), 2u);
  EXPECT_EQ(records.runs()[0].members, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(fact(records.runs()[0], "state"), "FAILED");
  EXPECT_EQ(fact(records.runs()[1], "state"), "RUNNING");
}

TEST(Scontrol, JobsOverManyLinesAndOverOne) {
  for (const char* text :
       {"JobId=7 JobName=train\n   UserId=u(1) GroupId=g(1)\n   JobState=NODE_FAIL Reason=None "
        "Dependency=(null)\n"
        "   ReqNodeList=(null) ExcNodeList=n9\n   NodeList=n[1-2]\n   BatchHost=n1\n\nJobId=8 JobName=b\n"
        "   JobState=COMPLETED Reason=None Dependency=(null)\n   NodeList=n3\n",
        "JobId=7 JobName=train UserId=u(1) JobState=NODE_FAIL Reason=None ReqNodeList=(null) ExcNodeList=n9 "
        "NodeList=n[1-2] BatchHost=n1\nJobId=8 JobName=b JobState=COMPLETED Reason=None NodeList=n3\n"}) {
    const Records records = read(text);
    ASSERT_EQ(records.runs().size(), 2u) << text;
    EXPECT_EQ(records.runs()[0].members, (Hosts{"n1", "n2"}));
    EXPECT_EQ(fact(records.runs()[0], "state"), "NODE_FAIL");
    EXPECT_EQ(fact(records.runs()[0], "name"), "train");
    EXPECT_EQ(records.runs()[1].members, (Hosts{"n3"}));
  }
}

TEST(Scontrol, NodesThatAreDownOrDrained) {
  const Records records = read(
      "NodeName=n1 Arch=x86_64 CoresPerSocket=56\n   State=IDLE ThreadsPerCore=2 TmpDisk=0\n\n"
      "NodeName=n2 Arch=x86_64 CoresPerSocket=56\n   State=DOWN*+DRAIN ThreadsPerCore=2 TmpDisk=0\n"
      "   Reason=gres/gpu count reported lower than configured (7 < 8) [slurm@2026-05-01T12:00:00]\n\n"
      "NodeName=n3 Arch=x86_64 CoresPerSocket=56\n   State=IDLE+DRAIN ThreadsPerCore=2 TmpDisk=0\n");
  ASSERT_EQ(records.events().size(), 2u);
  EXPECT_EQ(records.events()[0].subject.host, "n2");
  EXPECT_EQ(records.events()[0].severity, Severity::Fault);
  EXPECT_EQ(records.events()[0].origin, Origin::Hardware);
  EXPECT_EQ(records.events()[1].subject.host, "n3");
  EXPECT_EQ(records.events()[1].severity, Severity::Warning);
}

TEST(Kubernetes, APodFollowsItsNodeInTableAndJson) {
  for (const char* text :
       {"LAST SEEN   TYPE      REASON                 OBJECT          MESSAGE\n"
        "9m          Normal    Scheduled              pod/train-3     Successfully assigned ml/train-3 to "
        "n5\n"
        "4m          Warning   NodeNotReady           pod/train-3     Node is not ready\n"
        "4m          Normal    NodeNotReady           node/n5         Node n5 status is now: NodeNotReady\n"
        "9m          Normal    Pulled                 pod/train-3     Container image already present\n",
        R"({"kind": "List", "items": [
          {"kind": "Event", "involvedObject": {"kind": "Pod", "name": "train-3"}, "reason": "Scheduled",
           "message": "Successfully assigned ml/train-3 to n5", "type": "Normal"},
          {"kind": "Event", "involvedObject": {"kind": "Pod", "name": "train-3"}, "reason": "NodeNotReady",
           "message": "Node is not ready", "type": "Warning", "firstTimestamp": "2026-05-01T10:00:01Z"},
          {"kind": "Event", "involvedObject": {"kind": "Node", "name": "n5"}, "reason": "NodeNotReady",
           "message": "x", "type": "Normal", "firstTimestamp": "2026-05-01T10:00:00Z"}]})"}) {
    const Records records = read(text);
    ASSERT_EQ(records.events().size(), 2u) << text;
    for (const Event& event : records.events())
      EXPECT_EQ(event.subject, (Subject{"n5", "", ""}));
    EXPECT_EQ(records.events()[0].origin, Origin::Consequence);
    EXPECT_EQ(records.events()[1].severity, Severity::Fault);
  }
}

TEST(Kubernetes, APodThatFailsByItselfDoesNotAccuseItsNode) {
  const Records records = read(
      "LAST SEEN   TYPE      REASON      OBJECT        SUBOBJECT   SOURCE        MESSAGE\n"
      "4m          Warning   BackOff     pod/train-3   spec        kubelet, n5   Back-off restarting failed "
      "container\n");
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].subject.device, "pod train-3");
  EXPECT_EQ(records.events()[0].origin, Origin::Program);
}

// What kubectl describe node prints of a node that offers `offered` of its eight GPUs.
std::string described(int offered) {
  return "Name:               n1\nConditions:\n  Type   Status  LastHeartbeatTime  LastTransitionTime  "
         "Reason   "
         "Message\n  Ready  True    Fri               Mon                 KubeletReady  ready\n"
         "Capacity:\n  cpu:                192\n  nvidia.com/gpu:     8\n"
         "Allocatable:\n  cpu:                180\n  nvidia.com/gpu:     " +
         std::to_string(offered) + "\n";
}

TEST(Kubernetes, ConditionsOfReadinessAreGoodWhenTrue) {
  const auto with = [](const std::string& status) {
    const std::string ready = "  Ready  True    Fri               Mon                 KubeletReady  ready\n";
    std::string text = described(8);
    return text.insert(
        text.find(ready) + ready.size(),
        "  KernelReady  " + status + "    Fri               Mon                 KernelIsReady  watched\n");
  };
  EXPECT_TRUE(read(with("True")).events().empty());
  EXPECT_EQ(read(with("False")).events().size(), 1u);
}

TEST(Kubernetes, ANodeThatOffersFewerDevicesThanItHolds) {
  EXPECT_TRUE(read(described(8)).events().empty());
  const Records records = read(described(7));
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].subject.host, "n1");
  EXPECT_NE(records.events()[0].meaning.find("7 of its 8 nvidia.com/gpu"), std::string::npos);
}

TEST(Kubernetes, EventsInTheColumnsOfOldClients) {
  const Records records = read(
      "LASTSEEN   FIRSTSEEN   COUNT   NAME   KIND   SUBOBJECT   TYPE     REASON         SOURCE           "
      "MESSAGE\n"
      "2m         9m          3       n4     Node               Normal   NodeNotReady   "
      "{controller }    Node n4 status is now\n");
  ASSERT_EQ(records.events().size(), 1u);
  EXPECT_EQ(records.events()[0].subject.host, "n4");
}

}  // namespace
}  // namespace lento::desk
