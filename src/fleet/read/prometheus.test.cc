// The store's answers by hand: chunks against values known from the format, and a server that misbehaves.
#include "fleet/read/prometheus.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/error.h"
#include "fleet/read/chunks.h"
#include "fleet/read/metric_names.h"

namespace lento::fleet {
namespace {

class BitWriter {
 public:
  void put(uint64_t value, unsigned count) {
    for (; count > 0; --count) {
      if (bits_ % 8 == 0)
        bytes_ += '\0';
      if ((value >> (count - 1)) & 1)
        bytes_.back() = char(bytes_.back() | (1 << (7 - bits_ % 8)));
      ++bits_;
    }
  }
  void varint(uint64_t v) {
    for (; v >= 0x80; v >>= 7)
      put((v & 0x7f) | 0x80, 8);
    put(v, 8);
  }
  const std::string& bytes() const {
    return bytes_;
  }

 private:
  std::string bytes_;
  size_t bits_ = 0;
};

std::string small_chunk() {
  BitWriter w;
  w.put(4, 16);
  w.varint(2 * 1'000'000);  // zigzag of 1 000 000 ms
  w.put(std::bit_cast<uint64_t>(12.0), 64);
  w.varint(1000);  // second sample 1 s later
  w.put(0, 1);     // same value
  w.put(0b10, 2);  // delta of delta in 14 bits
  w.put(uint64_t(-5) & 0x3fff, 14);
  w.put(0b11, 2);  // new window: 12.0 ^ 24.0 = 1 << 52: leading 11, one bit
  w.put(11, 5);
  w.put(1, 6);
  w.put(1, 1);
  w.put(0, 1);     // same delta (995)
  w.put(0b10, 2);  // old window: back to 12
  w.put(1, 1);
  return w.bytes();
}

TEST(XorChunk, DecodesTimesAndValues) {
  std::vector<std::pair<int64_t, double>> got;
  EXPECT_TRUE(read_xor_chunk(small_chunk(), [&](int64_t t, double v) {
    got.emplace_back(t, v);
  }));
  const std::vector<std::pair<int64_t, double>> expected{
      {1000000, 12},
      {1001000, 12},
      {1001995, 24},
      {1002990, 12}};
  EXPECT_EQ(got, expected);
}

TEST(XorChunk, EveryTruncationIsNoticed) {
  const std::string chunk = small_chunk();
  for (size_t n = 0; n + 1 < chunk.size(); ++n) {
    EXPECT_FALSE(read_xor_chunk(chunk.substr(0, n), [](int64_t, double) {})) << n;
  }
}

TEST(Frames, ChecksumsAndCuts) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  const std::string payload = "hello";
  std::string frame(1, '\5');
  for (int shift = 24; shift >= 0; shift -= 8)
    frame += char(crc32c(payload) >> shift);
  frame += payload;
  int count = 0;
  EXPECT_EQ(
      read_frames(
          frame + frame,
          [&](std::string_view p) {
            count += p == "hello";
          }),
      "");
  EXPECT_EQ(count, 2);
  EXPECT_NE(read_frames(frame.substr(0, 8), [](std::string_view) {}), "");
  frame.back() = 'x';
  EXPECT_NE(read_frames(frame, [](std::string_view) {}), "");
}

TEST(Prometheus, FallsBackToTheRangeSelectorAndSendsCredentials) {
  base::HttpServer server("127.0.0.1", 0, [](const base::HttpQuestion& question) {
    const std::string& path = question.path;
    if (path != "/api/v1/query")
      return base::HttpReply{404, "", "text/plain"};
    return base::HttpReply{
        200,
        R"({"status":"success","data":{"resultType":"matrix","result":[
      {"metric":{"__name__":"up","machine":"a"},"values":[[10,"1"],[11,"2"],[12,"NaN"]]},
      {"metric":{"__name__":"up"},"values":[[10,"1"]]}]}})",
        "application/json"};
  });
  PrometheusOptions o;
  o.url = "http://127.0.0.1:" + std::to_string(server.port());
  o.metrics = {parse_metric("up")};
  base::ReadReport report;
  const auto s = read_prometheus(o, 10'000, 12'000, report);
  EXPECT_EQ(s.machines, std::vector<std::string>{"a"});
  EXPECT_EQ(s.at(0, 1, 0), 2);
  EXPECT_EQ(report.skipped, 2u);
}

TEST(Prometheus, HtmlHugeAnswersAndSilenceAreLocatedErrors) {
  base::HttpServer server("127.0.0.1", 0, [](const base::HttpQuestion& question) {
    const std::string& path = question.path;
    if (path.starts_with("/html"))
      return base::HttpReply{200, "<html>log in</html>", "text/html"};
    return base::HttpReply{200, std::string(200'000, 'x'), "application/json"};
  });
  PrometheusOptions o;
  o.metrics = {parse_metric("up")};
  base::ReadReport report;
  const std::string root = "http://127.0.0.1:" + std::to_string(server.port());
  o.url = root + "/html";
  EXPECT_THROW(read_prometheus(o, 0, 1000, report), base::Error);
  o.url = root + "/big";
  o.http.limits.max_bytes = 100'000;
  EXPECT_THROW(read_prometheus(o, 0, 1000, report), base::Error);
  o.url = "http://127.0.0.1:1";
  EXPECT_THROW(read_prometheus(o, 0, 1000, report), base::Error);
}

TEST(Prometheus, ListsTheValuesOfALabel) {
  std::string asked;
  base::HttpServer server("127.0.0.1", 0, [&](const base::HttpQuestion& question) {
    const std::string& path = question.path;
    asked = path + "?" + question.query;
    if (path != "/api/v1/label/task/values")
      return base::HttpReply{400, "{}", "application/json"};
    return base::HttpReply{200, R"({"status":"success","data":["b","a"]})", "application/json"};
  });
  PrometheusOptions o;
  o.url = "http://127.0.0.1:" + std::to_string(server.port());
  o.match = {parse_matcher("job=train")};
  EXPECT_EQ(label_values(o, "task", 10'000, 20'000), (std::vector<std::string>{"a", "b"}));
  EXPECT_NE(asked.find("start=10"), std::string::npos) << asked;
  EXPECT_THROW(label_values(o, "other", 0, 1000), base::Error);
}

TEST(Names, MapsOfKnownExporters) {
  EXPECT_FALSE(exporter_metrics("dcgm").empty());
  EXPECT_FALSE(exporter_metrics("node").empty());
  EXPECT_THROW(exporter_metrics("other"), base::Error);
  EXPECT_EQ(rfc3339(1'700'000'000'123), "2023-11-14T22:13:20.123Z");
}

}  // namespace
}  // namespace lento::fleet
