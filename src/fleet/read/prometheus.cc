// Reads metrics from a Prometheus-compatible store. Streamed remote read is preferred, because it delivers
// the raw samples in compressed chunks that are decoded in place. The range selector of the query API is the
// fallback, and is also used for PromQL that Lento does not evaluate. Damaged parts of an answer are skipped
// and counted.
#include "fleet/read/prometheus.h"

#include <snappy.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/http/http.h"
#include "base/json.h"
#include "base/number.h"
#include "base/units.h"
#include "fleet/read/chunks.h"
#include "fleet/read/counters.h"
#include "fleet/read/wire.h"
#include "remote_read.pb.h"

namespace lento::fleet {
namespace {

// Returns the store's address as errors show it.
base::Location place_of(const PrometheusOptions& o) {
  return {base::without_password(o.url)};
}

// Receives the samples of one metric, a series at a time, and adds levels, rates, sums or means to a builder.
class Collector {
 public:
  Collector(const PrometheusOptions& options, SeriesBuilder& builder, base::ReadReport& report)
      : own_(series_names(options)),
        names_(options.series ? *options.series : own_),
        builder_(builder),
        report_(report),
        where_{options.url} {
  }

  void begin(const MetricSpec& spec) {
    spec_ = &spec;
    totals_.clear();
  }

  // Begins the series with these labels. Returns false when the labels name no machine.
  bool open(const LabelList& labels) {
    return open(names_.name(labels));
  }
  bool open(std::string_view bytes, const std::function<LabelList()>& parse) {
    return open(names_.name(bytes, parse));
  }

  void add(int64_t time_ms, double value) {
    if (is_blank(value))
      return report_.skip(where_, "the exporter's value for 'not known'");
    if (!spec_->rate)
      return pass(time_ms, value);
    if (const std::optional<double> rate = counter_.next(time_ms, value))
      pass(time_ms, *rate);
  }

  // Ends the metric: adds sums and means. A sum is left out at times at which one of its series has no
  // sample.
  void end() {
    for (const auto& [machine, times] : totals_) {
      uint32_t most = 0;
      for (const auto& [t, total] : times)
        most = std::max(most, total.count);
      for (const auto& [t, total] : times) {
        if (total.count < most && spec_->across == MetricSpec::Across::Sum)
          continue;
        const double n = spec_->across == MetricSpec::Across::Mean ? total.count : 1;
        builder_.add({key_.metric, machine, 0}, t, total.sum / n, where_);
      }
    }
  }

  void damaged(std::string_view why) {
    report_.skip(where_, std::string(why));
  }

 private:
  struct Total {
    double sum = 0;
    uint32_t count = 0;
  };

  // Begins a series. Returns false when its labels name no machine.
  bool open(const SeriesName& name) {
    if (name.machine.empty()) {
      report_.skip(where_, "no machine label");
      return false;
    }
    const bool devices = spec_->across == MetricSpec::Across::Devices;
    const uint32_t device = devices ? builder_.device(name.device) : 0;
    key_ = {builder_.metric(spec_->name), builder_.machine(name.machine), device};
    for (const auto& [label, value] : name.labels)
      builder_.set_label(key_.machine, label, value);
    counter_ = {};
    return true;
  }

  // Adds a sample to the builder, or to the sum over the series of its machine.
  void pass(int64_t time_ms, double value) {
    if (spec_->across == MetricSpec::Across::Devices)
      return builder_.add(key_, time_ms, value, where_);
    Total& total = totals_[key_.machine][time_ms];
    total.sum += value;
    ++total.count;
  }

  SeriesNames own_;
  SeriesNames& names_;
  SeriesBuilder& builder_;
  base::ReadReport& report_;
  base::Location where_;
  const MetricSpec* spec_ = nullptr;
  fleet::SeriesBuilder::Key key_;
  CounterRate counter_;
  std::map<uint32_t, std::map<int64_t, Total>> totals_;  // by machine
};

// Returns the body of a remote-read request for one metric.
std::string
read_request(const PrometheusOptions& o, const MetricSpec& spec, int64_t begin_ms, int64_t end_ms) {
  prometheus::ReadRequest request;
  request.add_accepted_response_types(prometheus::ReadRequest::STREAMED_XOR_CHUNKS);
  prometheus::Query& query = *request.add_queries();
  query.set_start_timestamp_ms(begin_ms);
  query.set_end_timestamp_ms(end_ms);
  const auto match = [&](const Matcher& wanted) {
    prometheus::LabelMatcher& m = *query.add_matchers();
    m.set_type(static_cast<prometheus::LabelMatcher::Type>(wanted.op));  // numbered alike
    m.set_name(wanted.label);
    m.set_value(wanted.value);
  };
  match({"__name__", Matcher::Op::Equal, spec.selector});
  for (const Matcher& m : o.match)
    match(m);
  for (const Matcher& m : spec.where)
    match(m);
  const std::string plain = request.SerializeAsString();
  std::string packed;
  snappy::Compress(plain.data(), plain.size(), &packed);
  return packed;
}

struct Period {
  int64_t begin_ms;
  int64_t end_ms;
};

// Field numbers of prometheus/prompb (remote_read.proto). An answer is read in place, without a copy.
constexpr uint64_t kChunkedSeries = 1;  // of ChunkedReadResponse
constexpr uint64_t kLabels = 1;         // of ChunkedSeries
constexpr uint64_t kChunks = 2;
constexpr uint64_t kName = 1;  // of Label
constexpr uint64_t kValue = 2;
constexpr uint64_t kMaxTime = 2;  // of Chunk
constexpr uint64_t kType = 3;
constexpr uint64_t kData = 4;

// Reads the labels of a series.
LabelList read_labels(std::string_view bytes) {
  LabelList labels;
  Wire series(bytes);
  for (WireField f; series.next(f);) {
    auto& [name, value] = labels.emplace_back();
    Wire label(f.bytes);
    for (WireField part; label.next(part);) {
      if (part.type == Wire::kBytes && part.number == kName)
        name = part.bytes;
      if (part.type == Wire::kBytes && part.number == kValue)
        value = part.bytes;
    }
  }
  return labels;
}

// Adds the samples of a compressed chunk that lie within the period.
void take_chunk(std::string_view bytes, Period period, Collector& to) {
  std::string_view data;
  uint64_t type = 0;
  auto newest_ms = INT64_MAX;
  Wire chunk(bytes);
  for (WireField f; chunk.next(f);) {
    if (f.number == kMaxTime && f.type == Wire::kVarint)
      newest_ms = int64_t(f.value);
    if (f.number == kType && f.type == Wire::kVarint)
      type = f.value;
    if (f.number == kData && f.type == Wire::kBytes)
      data = f.bytes;
  }
  if (!chunk.ok())
    return to.damaged("a frame that is no response");
  if (type != prometheus::Chunk::XOR)
    return to.damaged("a chunk of unknown encoding");
  if (newest_ms < period.begin_ms)
    return;
  const auto take = [&](int64_t t, double v) {
    if (t <= period.end_ms && !std::isnan(v))
      to.add(t, v);  // Prometheus marks the end of a series with NaN
  };
  if (!read_xor_chunk(data, take, period.begin_ms))
    to.damaged("a damaged chunk");
}

// Adds the samples of a series. The bytes of its labels, which come before its chunks, are its cache key.
void take_series(std::string_view bytes, Period period, Collector& to) {
  size_t label_bytes = 0;
  bool opened = false;
  bool wanted = false;
  Wire series(bytes);
  for (WireField f; series.next(f);) {
    if (f.number == kLabels && f.type == Wire::kBytes && !opened)
      label_bytes = bytes.size() - series.rest().size();
    if (f.number != kChunks || f.type != Wire::kBytes)
      continue;
    const std::string_view labels = bytes.substr(0, label_bytes);
    if (!opened)
      wanted = to.open(labels, [&] {
        return read_labels(labels);
      });
    opened = true;
    if (wanted)
      take_chunk(f.bytes, period, to);
  }
  if (!series.ok())
    to.damaged("a frame that is no response");
}

// Adds the samples of one frame of the remote-read stream.
void take_frame(std::string_view payload, Period period, Collector& to) {
  Wire response(payload);
  for (WireField f; response.next(f);) {
    if (f.number == kChunkedSeries && f.type == Wire::kBytes)
      take_series(f.bytes, period, to);
  }
  if (!response.ok())
    to.damaged("a frame that is no response");
}

// Reads a metric by streamed remote read. Returns false when the store does not offer streamed chunks.
bool remote_read(const PrometheusOptions& o, const MetricSpec& metric, Period period, Collector& to) {
  base::HttpRequest request;
  request.method = "POST";
  request.url = o.url + "/api/v1/read";
  request.headers = {
      "Content-Encoding: snappy",
      "Content-Type: application/x-protobuf",
      "X-Prometheus-Remote-Read-Version: 0.1.0"};
  request.body = read_request(o, metric, period.begin_ms, period.end_ms);
  const base::HttpReply reply = base::http_request(request, o.http);
  if (reply.status != 200 || reply.type.find("x-streamed-protobuf") == std::string::npos)
    return false;
  const std::string_view problem = read_frames(reply.body, [&](std::string_view payload) {
    take_frame(payload, period, to);
  });
  if (!problem.empty())
    to.damaged(problem);
  return true;
}

// Returns the label selectors of a query.
std::string matchers(const PrometheusOptions& o, const std::vector<Matcher>& more = {}) {
  std::string out = "{";
  for (const Matcher& m : o.match)
    out += to_string(m) + ",";
  for (const Matcher& m : more)
    out += to_string(m) + ",";
  return out + "}";
}

// Returns the URL of a range query for PromQL, whose steps the store fills with samples up to five minutes
// old, or else of a query for the raw samples.
std::string query_url(const PrometheusOptions& o, const MetricSpec& spec, Period period) {
  const auto seconds = [](int64_t ms) {
    return base::format_exact(double(ms) / 1000);
  };
  if (!spec.promql.empty()) {
    return o.url + "/api/v1/query_range?query=" + base::percent_encoded(spec.promql) +
           "&start=" + seconds(period.begin_ms) + "&end=" + seconds(period.end_ms) +
           "&step=" + seconds(std::max<int64_t>(1000, o.grid.step_ms));
  }
  const std::string selector = spec.selector + matchers(o, spec.where) + "[" +
                               std::to_string((period.end_ms - period.begin_ms) / 1000 + 1) + "s]";
  return o.url + "/api/v1/query?query=" + base::percent_encoded(selector) + "&time=" + seconds(period.end_ms);
}

// Adds an answer {"status":"success","data":{"result":[{"metric":{label:value},"values":[[time,"value"]]}]}}.
void take_answer(
    const PrometheusOptions& o,
    const std::string& metric,
    std::string_view answer,
    Collector& to) {
  const base::Location where = place_of(o);
  const base::Json json = base::parse_json(answer, where.file);
  if (json.string_or("status", "", where) != "success")
    throw base::Error(where, "the query for '" + metric + "' failed");
  for (const base::Json& series : json.at("data", where).at("result", where).array(where)) {
    LabelList labels;
    for (const auto& [name, value] : series.at("metric", where).object(where))
      labels.emplace_back(name, value.string(where));
    if (!to.open(labels))
      continue;
    for (const base::Json& sample : series.at("values", where).array(where)) {
      const auto& pair = sample.array(where);
      if (pair.size() != 2) {
        to.damaged("a sample that is no pair");
        continue;
      }
      const auto value = base::try_double(pair[1].string(where));
      const double time = pair[0].number(where);
      if (!value || !(std::abs(time) < 9e12)) {
        to.damaged("value is not a finite number");
      } else {
        to.add(std::llround(time * 1000), *value);
      }
    }
  }
}

// Reads a metric by a range query, for stores without remote read.
void range_query(const PrometheusOptions& o, const MetricSpec& spec, Period period, Collector& to) {
  base::HttpRequest request;
  request.url = query_url(o, spec, period);
  const std::string& metric = spec.name;
  const base::HttpReply reply = base::http_request(request, o.http);
  if (reply.status != 200) {
    throw base::Error(
        place_of(o),
        "the store answered status " + std::to_string(reply.status) + " to a query for '" + metric + "'",
        "check the address, the credentials and the metric's name");
  }
  take_answer(o, metric, reply.body, to);
}

}  // namespace

SeriesNames series_names(const PrometheusOptions& o) {
  return {{o.machine_labels, o.device_labels, o.label_names}, o.names};
}

// Reads all metrics of a period, by remote read or by queries.
MetricSeries
read_prometheus(const PrometheusOptions& o, int64_t begin_ms, int64_t end_ms, base::ReadReport& report) {
  SeriesBuilder builder(report);
  Collector collector(o, builder, report);
  if (o.metrics.empty())
    throw base::Error(place_of(o), "no metric was named", "name at least one with --metric");
  for (const MetricSpec& metric : o.metrics) {
    // A rate at the begin of the period needs an earlier sample.
    const int64_t before = metric.rate ? std::max<int64_t>(2 * o.grid.step_ms, 60'000) : 0;
    const Period period{begin_ms - before, end_ms};
    collector.begin(metric);
    const bool is_default_query = metric.promql.empty();
    if (!o.chunks || !is_default_query || !remote_read(o, metric, period, collector))
      range_query(o, metric, period, collector);
    collector.end();
  }
  return builder.build(o.grid, place_of(o));
}

namespace {

// Returns the result of an instant query at the store's current time.
base::Json instant_query(const PrometheusOptions& o, const std::string& query) {
  base::HttpRequest request;
  request.url = o.url + "/api/v1/query?query=" + base::percent_encoded(query);
  const base::HttpReply reply = base::http_request(request, o.http);
  const base::Location where = place_of(o);
  if (reply.status != 200)
    throw base::Error(
        where,
        "the store answered status " + std::to_string(reply.status) + " to '" + query + "'");
  const base::Json json = base::parse_json(reply.body, o.url);
  if (json.string_or("status", "", where) != "success")
    throw base::Error(where, "the query '" + query + "' failed");
  return json.at("data", where).at("result", where);
}

}  // namespace

// Returns the samples of an instant query.
std::vector<InstantSample> instant_samples(const PrometheusOptions& o, const std::string& query) {
  const base::Location where = place_of(o);
  std::vector<InstantSample> out;
  const base::Json result = instant_query(o, query);
  for (const base::Json& series : result.array(where)) {
    const auto& pair = series.at("value", where).array(where);
    if (pair.size() != 2)
      continue;
    InstantSample& sample = out.emplace_back();
    sample.value = base::try_double(pair[1].string(where)).value_or(NAN);
    for (const auto& [name, value] : series.at("metric", where).object(where))
      sample.labels.emplace_back(name, value.string(where));
  }
  return out;
}

std::vector<TargetSample>
target_samples(const PrometheusOptions& o, const std::string& series, int64_t ago_ms) {
  std::vector<TargetSample> out;
  const std::string offset = ago_ms > 0 ? " offset " + std::to_string(ago_ms) + "ms" : "";
  const std::vector<InstantSample> samples = instant_samples(o, series + matchers(o) + offset);
  for (const auto& [labels, value] : samples) {
    const std::string* job = first_of(labels, {"job"});
    const std::string* instance = first_of(labels, {"instance"});
    const std::string* machine = first_of(labels, o.machine_labels);
    MachineNames names = o.names;
    out.push_back({{job ? *job : "", instance ? *instance : ""}, machine ? names.of(*machine) : "", value});
  }
  return out;
}

void learn_names(const PrometheusOptions& o, MachineNames& names) {
  for (const auto& [labels, value] : instant_samples(o, "node_uname_info")) {
    const std::string* instance = first_of(labels, {"instance"});
    const std::string* host = first_of(labels, {"nodename"});
    if (!instance || !host)
      continue;
    const std::string machine = names.of(*host);
    const size_t port = instance->rfind(':');
    if (!names.table().contains(*instance))
      names.add(*instance, machine);
    const std::string address = instance->substr(0, port);
    const bool local = address == "localhost" || address.starts_with("127.");
    if (!local && !names.table().contains(address))
      names.add(address, machine);
  }
}

std::optional<int64_t> store_now_ms(const PrometheusOptions& o) {
  const base::Location where = place_of(o);
  const base::Json result = instant_query(o, "time()");
  const auto& pair = result.array(where);
  const auto now = pair.size() == 2 ? base::try_double(pair[1].string(where)) : std::nullopt;
  if (!now || !(std::abs(*now) < 9e12))
    return std::nullopt;
  return std::llround(*now * 1000);
}

// Returns the values of a label in a period.
std::vector<std::string>
label_values(const PrometheusOptions& o, const std::string& label, int64_t begin_ms, int64_t end_ms) {
  constexpr size_t kMost = 10'000;
  const base::Location where = place_of(o);
  base::HttpRequest request;
  request.url = o.url + "/api/v1/label/" + base::percent_encoded(label) +
                "/values?start=" + std::to_string(begin_ms / 1000) + "&end=" + std::to_string(end_ms / 1000);
  if (!o.match.empty())
    request.url += "&match%5B%5D=" + base::percent_encoded(matchers(o));
  const base::HttpReply reply = base::http_request(request, o.http);
  if (reply.status != 200)
    throw base::Error(
        where,
        "the store answered status " + std::to_string(reply.status) + " to a query for label '" + label + "'",
        "check the address, the credentials and the label's name");
  const base::Json json = base::parse_json(reply.body, o.url);
  std::vector<std::string> values;
  for (const base::Json& value : json.at("data", where).array(where))
    values.push_back(value.string(where));
  if (values.size() > kMost)
    throw base::Error(where, "label '" + label + "' has over 10,000 values", "narrow the jobs with --match");
  std::ranges::sort(values);
  return values;
}

}  // namespace lento::fleet
