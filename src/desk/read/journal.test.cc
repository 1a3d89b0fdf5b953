#include "desk/read/journal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "desk/read/host_parts.h"

namespace lento::desk {
namespace {

// Reads a text through the source in small pieces.
std::string unwrapped(std::string text) {
  size_t at = 0;
  const LineSource::Read read = as_log_lines([&](std::span<char> out) {
    const size_t size = std::min(text.size() - at, out.size());
    std::memcpy(out.data(), text.data() + at, size);
    at += size;
    return size;
  });
  std::string out;
  char piece[7];
  for (size_t size; (size = read(piece)) > 0;)
    out.append(piece, size);
  return out;
}

constexpr const char* kLine = "2026-11-18T11:06:40.000017Z n1 kernel: NVRM: Xid (PCI:0000:17:00): 79, gone\n";

TEST(Journal, EveryFormatGivesTheSameLine) {
  EXPECT_EQ(
      unwrapped("{\"_HOSTNAME\":\"n1\",\"SYSLOG_IDENTIFIER\":\"kernel\",\"__REALTIME_TIMESTAMP\":"
                "\"1795000000000017\",\"MESSAGE\":\"NVRM: Xid (PCI:0000:17:00): 79, gone\"}\n"),
      kLine);
  EXPECT_EQ(
      unwrapped(
          "__CURSOR=s=1\n__REALTIME_TIMESTAMP=1795000000000017\n_HOSTNAME=n1\nSYSLOG_IDENTIFIER=kernel\n"
          "MESSAGE=NVRM: Xid (PCI:0000:17:00): 79, gone\n\n"),
      "\n\n\n\n\n" + std::string(kLine));
  EXPECT_EQ(
      unwrapped("{\n\t\"__CURSOR\" : \"s=1\",\n\t\"__REALTIME_TIMESTAMP\" : \"1795000000000017\",\n"
                "\t\"_HOSTNAME\" : \"n1\",\n\t\"SYSLOG_IDENTIFIER\" : \"kernel\",\n"
                "\t\"MESSAGE\" : \"NVRM: Xid (PCI:0000:17:00): 79, gone\"\n}\n"),
      "\n\n\n\n\n\n" + std::string(kLine));
}

TEST(Journal, BinaryFieldsKeepTheirLineEnds) {
  std::string text = "__CURSOR=s=1\n_HOSTNAME=n1\nMESSAGE\n";
  text += std::string("\x04\0\0\0\0\0\0\0", 8) + "a\nb\n" + "\n\n";
  EXPECT_EQ(unwrapped(text), "\n\n\nn1 log: a b\n");
  // A length that no file has ends with the file.
  EXPECT_EQ(
      unwrapped("__CURSOR=s=1\nMESSAGE\n\xff\xff\xff\xff\xff\xff\xff\x7f"
                "abc"),
      "\n");
}

TEST(Journal, ListsAndTablesKeepTheirLines) {
  const std::string entry = "2026-03-04T05:06:07Z n1 log: gone\n";
  EXPECT_EQ(
      unwrapped("[\n  {\n    \"jsonPayload\": {\"message\": \"gone\", \"_HOSTNAME\": \"n1\"},\n"
                "    \"timestamp\": \"2026-03-04T05:06:07Z\"\n  }\n]\n"),
      "\n\n\n\n" + entry + "\n");
  EXPECT_EQ(
      unwrapped("\"_time\",\"host\",\"_raw\"\n\"2026-03-04T05:06:07Z\",\"n1\",\"gone\"\n"),
      "\n" + entry);
}

TEST(HostParts, DockerComposeNamesItsContainers) {
  const auto parts = host_parts("n-1  | a\nn-12 | b\nn-1  | c\nn-12 | d\n");
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].first, "n-12");
  EXPECT_EQ(parts[1].second, "b\nd\n");
}

TEST(Journal, LoggersInJsonAreUnwrappedAndOtherJsonIsKept) {
  EXPECT_EQ(
      unwrapped("{\"log\":\"step 3\\n\",\"stream\":\"stdout\",\"time\":\"2026-11-20T09:00:00.5Z\"}\n"),
      "2026-11-20T09:00:00.5Z step 3\n");
  EXPECT_EQ(unwrapped("{\"level\":\"error\",\"msg\":\"no answer\"}\n"), "error: no answer\n");
  for (const char* other :
       {"{\"step\":1,\"loss\":2.5}\n",
        "{\"reason\":\"Failed\",\"message\":\"x\",\"time\":\"2026-11-20T09:00:00Z\"}\n",
        "plain text\n",
        "{broken\n",
        ""})
    EXPECT_EQ(unwrapped(other), other);
}

TEST(HostParts, LinesGoToTheHostThatWroteThem) {
  const auto tasks = host_parts(
      "TASK [health] ***\nok: [n1.lab] => {\n    \"msg\": [\n        \"| Overall | Healthy |\",\n        "
      "\"a\\\"b\"\n"
      "    ]\n}\nok: [n2.lab] => {\n    \"msg\": [\n        \"| Overall | Failure |\",\n        \"c\"\n    "
      "]\n}\n");
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0], (std::pair<std::string, std::string>{"n1.lab", "| Overall | Healthy |\na\"b\n"}));
  EXPECT_EQ(tasks[1].second, "| Overall | Failure |\nc\n");
  const auto pdsh = host_parts("n012: a\nn013: b\nn012: c\nn013: d\n");
  ASSERT_EQ(pdsh.size(), 2u);
  EXPECT_EQ(pdsh[0].first, "n012");
  EXPECT_EQ(pdsh[0].second, "a\nc\n");
  const auto clush = host_parts("-----\nn1\n-----\na\nb\n-----\nn2\n-----\nc\nd\n");
  ASSERT_EQ(clush.size(), 2u);
  EXPECT_EQ(clush[1].second, "c\nd\n");
  EXPECT_EQ(host_parts("n1 | CHANGED | rc=0 >>\na\nb\nn2 | CHANGED | rc=0 >>\na\nb\n").size(), 2u);
  EXPECT_EQ(host_parts("==> /var/n1.log <==\na\nb\n\n==> /var/n2.log <==\na\nb\n").size(), 2u);
}

TEST(HostParts, OtherTextIsOfOneHost) {
  for (const char* text :
       {"gpu0: a\ngpu1: b\ngpu0: c\ngpu1: d\n",
        "n1: up\nn2: down\n",
        "n1: a\nn2: b\nother line\nn1: c\nn2: d\n",
        "eth0: a\neth1: b\neth0: c\neth1: d\n",
        ""})
    EXPECT_TRUE(host_parts(text).empty()) << text;
}

TEST(HostParts, DevicesAreNoHosts) {
  EXPECT_TRUE(may_be_host("gpu034"));
  EXPECT_TRUE(may_be_host("rack1-node7.example.com"));
  for (const char* word : {"gpu7", "mlx5_3", "node", "7", "a b1", "nvme3"})
    EXPECT_FALSE(may_be_host(word)) << word;
  EXPECT_TRUE(is_host_word("dgx-3"));
  for (const char* word : {"bf16", "v2", "sha256", "mc0"})
    EXPECT_FALSE(is_host_word(word)) << word;
}

}  // namespace
}  // namespace lento::desk
