// A store that scraped a few machines' exporters: does the doctor count machines and GPUs as they are, and
// say what mends what is wrong? The pages follow the exporters' published samples; Gaudi, Slurm and eight
// GPUs of AMD are constructed, because no scrape of them is public.
#include "fleet/doctor.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <regex>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/http/http.h"
#include "base/json.h"
#include "base/number.h"
#include "fleet/read/test_scrapes.h"

namespace lento::fleet {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

struct Series {
  std::string name;
  Labels labels;
  double value = 0;
};

std::string label_of(const Series& s, const std::string& name) {
  for (const auto& [key, value] : s.labels) {
    if (key == name)
      return value;
  }
  return "";
}

// One line of an exposition; false for comments.
bool parse(const std::string& line, Series& out) {
  static const std::regex shape(R"(^([A-Za-z_:][A-Za-z0-9_:]*)(\{(.*)\})?\s+(\S+).*$)");
  static const std::regex label(R"rx(([A-Za-z_][A-Za-z0-9_]*)="([^"]*)")rx");
  std::smatch m;
  if (line.empty() || line[0] == '#' || !std::regex_match(line, m, shape))
    return false;
  out = {m[1].str(), {}, base::try_double(m[4].str()).value_or(0)};
  const std::string inside = m[3].str();
  for (auto it = std::sregex_iterator(inside.begin(), inside.end(), label); it != std::sregex_iterator();
       ++it)
    out.labels.emplace_back((*it)[1].str(), (*it)[2].str());
  return true;
}

// A Prometheus that scraped each machine's page every 15 s for ten minutes.
class Store {
 public:
  explicit Store(int64_t step_s = 15)
      : step_s_(step_s),
        server_("127.0.0.1", 0, [this](const base::HttpQuestion& q) {
          return answer(q);
        }) {
  }

  // "@" in the page becomes the machine's number; `instance` is what the store names the target.
  void scrape(
      const std::string& page,
      int machines,
      const std::string& instance,
      const std::string& job = "train") {
    for (int m = 0; m < machines; ++m) {
      const auto put = [&](std::string text) {
        for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@'))
          text.replace(at, 1, std::to_string(m));
        return text;
      };
      std::istringstream in(put(page));
      for (std::string line; std::getline(in, line);) {
        Series s;
        if (!parse(line, s))
          continue;
        s.labels.emplace_back("instance", put(instance));
        s.labels.emplace_back("job", job);
        series_.push_back(std::move(s));
      }
    }
  }

  finding::Diagnosis examine(DoctorOptions o = {}) const {
    o.source.prometheus.url = "http://127.0.0.1:" + std::to_string(server_.port());
    return examine_store(o);
  }

  double ahead_s = 0;  // of the store's clock
  int64_t age_s = 0;   // of its newest samples

 private:
  static constexpr int64_t kPeriod = 600;

  double now() const {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return double(std::chrono::duration_cast<std::chrono::seconds>(since).count()) + ahead_s;
  }

  static base::HttpReply json(const std::string& data) {
    return {200, R"({"status":"success","data":)" + data + "}", "application/json"};
  }

  base::HttpReply answer(const base::HttpQuestion& q) {
    const std::string query = base::query_value(q.query, "query");
    if (query == "time()")
      return json(R"({"resultType":"scalar","result":[)" + seconds(now()) + ",\"" + seconds(now()) + "\"]}");
    if (q.path.starts_with("/api/v1/label/"))
      return labels(q.path);
    if (q.path != "/api/v1/query")
      return {404, "", "text/plain"};
    const size_t range = query.rfind('[');
    if (range == std::string::npos)
      return json(R"({"resultType":"vector","result":[]})");
    return matrix(query.substr(0, range));
  }

  base::HttpReply labels(const std::string& path) const {
    const std::string name = path.substr(14, path.rfind('/') - 14);
    std::set<std::string> values;
    for (const Series& s : series_) {
      if (!label_of(s, name).empty())
        values.insert(label_of(s, name));
    }
    base::Json list = base::Json::array();
    for (const std::string& v : values)
      list.push(v);
    return json(base::write_json(list));
  }

  static bool wanted(const Series& s, const std::string& selector) {
    static const std::regex matcher(R"rx(([A-Za-z_][A-Za-z0-9_]*)(=~|!~|!=|=)"([^"]*)")rx");
    if (s.name != selector.substr(0, selector.find('{')))
      return false;
    for (auto it = std::sregex_iterator(selector.begin(), selector.end(), matcher);
         it != std::sregex_iterator();
         ++it) {
      const std::string value = label_of(s, (*it)[1].str());
      const std::string op = (*it)[2].str();
      const std::string text = (*it)[3].str();
      const bool like = op.back() == '~';
      const bool same = like ? std::regex_match(value, std::regex(text)) : value == text;
      if (same == (op[0] == '!'))
        return false;
    }
    return true;
  }

  base::HttpReply matrix(const std::string& selector) const {
    const double end = now() - double(age_s);
    std::string result;
    for (const Series& s : series_) {
      if (!wanted(s, selector))
        continue;
      std::string metric = R"({"__name__":")" + s.name + "\"";
      for (const auto& [key, value] : s.labels)
        metric += "," + base::write_json(base::Json(key)) + ":" + base::write_json(base::Json(value));
      std::string values;
      for (int64_t i = kPeriod / step_s_; i >= 0; --i) {
        const double v = s.value + (s.value > 1e18 ? 0 : double(kPeriod / step_s_ - i));
        values +=
            (values.empty() ? "[" : ",[") + seconds(end - double(i * step_s_)) + ",\"" + seconds(v) + "\"]";
      }
      result += (result.empty() ? "" : ",") + (R"({"metric":)" + metric) + R"(},"values":[)" + values + "]}";
    }
    return json(R"({"resultType":"matrix","result":[)" + result + "]}");
  }

  static std::string seconds(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.3f", value);
    return text;
  }

  int64_t step_s_;
  std::vector<Series> series_;
  base::HttpServer server_;
};

const finding::TableFigure& table(const finding::Diagnosis& d, const std::string& title) {
  for (const finding::Figure& f : d.figures) {
    if (f.title == title)
      return std::get<finding::TableFigure>(f.body);
  }
  throw std::runtime_error("no figure " + title);
}

struct Counted {
  size_t machines = 0;
  size_t devices = 0;
  size_t metrics = 0;
  uint64_t skipped = 0;
};

Counted count(const finding::Diagnosis& d) {
  Counted c;
  for (const auto& row : table(d, "Machines").rows) {
    ++c.machines;
    std::istringstream in(row[1]);
    for (std::string device; in >> device;)
      ++c.devices;
  }
  c.metrics = table(d, "Metrics").rows.size();
  c.skipped = d.records_skipped;
  return c;
}

std::string repeat(int count, const std::function<std::string(int)>& line) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += line(i);
  return out;
}

std::string dcgm(int gpus, const std::string& more) {
  return repeat(gpus, [&](int g) {
    const std::string labels = "{gpu=\"" + std::to_string(g) + "\",UUID=\"GPU-@-" + std::to_string(g) +
                               "\",device=\"nvidia" + std::to_string(g) + "\"" + more +
                               ",Hostname=\"gpu-@\"}";
    return "DCGM_FI_DEV_GPU_UTIL" + labels + " 90\nDCGM_FI_DEV_POWER_USAGE" + labels +
           " 400\nDCGM_FI_PROF_PIPE_TENSOR_ACTIVE" + labels + " 0.5\nDCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL" +
           labels + " 1000\n";
  });
}

TEST(Doctor, EightGpusOfEveryDcgmExporterAreEight) {
  for (const char* more :
       {"",                                                                        // 2.x and 3.x, bare
        ",modelName=\"NVIDIA H100\",DCGM_FI_DRIVER_VERSION=\"535\"",               // 3.x
        ",pci_bus_id=\"00000000:1B:00.0\",hpc_job=\"7\"",                          // 4.x
        ",container=\"c\",namespace=\"ml\",pod=\"trainer-@\"",                     // Kubernetes
        ",exported_container=\"c\",exported_pod=\"trainer-@\",pod=\"dcgm-x\""}) {  // whose scrape keeps its
                                                                                   // own
    Store store;
    store.scrape(dcgm(8, more), 6, "10.0.0.@:9400");
    const finding::Diagnosis d = store.examine();
    const Counted c = count(d);
    EXPECT_EQ(c.machines, 6u) << more;
    EXPECT_EQ(c.devices, 48u) << more;
    EXPECT_EQ(c.metrics, 4u) << more;
    EXPECT_EQ(c.skipped, 0u) << more;
    EXPECT_EQ(d.outcome, finding::Outcome::Answer) << more;
  }
}

TEST(Doctor, SlicesOfAGpuAreDevicesOfTheirOwn) {
  Store store;
  std::string page = dcgm(1, "");
  for (const char* id : {"1", "2", "13"})
    page +=
        std::string(
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"1\",UUID=\"GPU-@-1\",GPU_I_PROFILE=\"1g.5gb\",GPU_I_ID=\"") +
        id + "\",Hostname=\"gpu-@\"} 0.3\n";
  store.scrape(page, 4, "10.0.0.@:9400");
  EXPECT_EQ(count(store.examine()).devices, 16u);
}

TEST(Doctor, EightGpusOfAmdAreEight) {
  Store store;
  store.scrape(
      repeat(
          8,
          [](int g) {
            const std::string labels = "{gpu_id=\"" + std::to_string(g) + "\",serial_number=\"6922@" +
                                       std::to_string(g) +
                                       "\",gpu_partition_id=\"0\",hostname=\"mi300-@\",job_id=\"88\"}";
            return "gpu_package_power" + labels + " 600\ngpu_gfx_activity" + labels + " 97\n";
          }),
      5,
      "10.0.0.@:5000");
  const Counted c = count(store.examine());
  EXPECT_EQ(c.machines, 5u);
  EXPECT_EQ(c.devices, 40u);
  EXPECT_EQ(c.skipped, 0u);
}

TEST(Doctor, EightCardsOfGaudiAreEight) {
  Store store;
  store.scrape(
      repeat(
          8,
          [](int g) {
            const std::string labels = "{UUID=\"01P0-HL3080A0-15-TNBS-@-" + std::to_string(g) +
                                       "\",device=\"accel" + std::to_string(g) + "\"}";
            return "habanalabs_utilization" + labels + " 80\nhabanalabs_power_mW" + labels + " 450000\n";
          }),
      4,
      "gaudi@:41611");
  const Counted c = count(store.examine());
  EXPECT_EQ(c.machines, 4u);
  EXPECT_EQ(c.devices, 32u);
  EXPECT_EQ(c.skipped, 0u);
}

TEST(Doctor, CpusDisksAndPortsOfANodeAreSummedToOneMachine) {
  Store store;
  std::string page = "node_load1 3\nnode_procs_running 40\nnode_memory_MemAvailable_bytes 1e11\n";
  page += repeat(16, [](int c) {
    const std::string cpu = std::to_string(c);
    return "node_cpu_seconds_total{cpu=\"" + cpu + "\",mode=\"user\"} 100\nnode_cpu_seconds_total{cpu=\"" +
           cpu + "\",mode=\"idle\"} 100\nnode_cpu_seconds_total{cpu=\"" + cpu + "\",mode=\"iowait\"} 1\n";
  });
  page += repeat(8, [](int p) {
    const std::string port = "{device=\"mlx5_" + std::to_string(p) + "\",port=\"1\"}";
    return "node_infiniband_port_data_transmitted_bytes_total" + port +
           " 5000\nnode_infiniband_port_transmit_wait_total" + port + " 10\n";
  });
  page +=
      "node_network_transmit_bytes_total{device=\"eth0\"} "
      "5\nnode_network_transmit_bytes_total{device=\"lo\"} 5\n";
  store.scrape(page, 5, "node-@:9100");
  const finding::Diagnosis d = store.examine();
  const Counted c = count(d);
  EXPECT_EQ(c.machines, 5u);
  EXPECT_EQ(c.devices, 0u);
  EXPECT_EQ(c.metrics, 8u);
  EXPECT_EQ(c.skipped, 0u);
}

TEST(Doctor, NcclInspectorIsFoundByItsNode) {
  Store store;
  store.scrape(
      "nccl_bus_bandwidth_gbs{version=\"v5.1\",slurm_job_id=\"1670760\",node=\"nvl72-@\",gpu=\"GPU0\",comm_"
      "name=\"dp\","
      "n_nodes=\"4\",nranks=\"16\",collective=\"AllReduce\",message_size=\"4-5GB\",algo_proto=\"RING_LL128\"}"
      " 348.16\n"
      "nccl_collective_exec_time_microseconds{version=\"v5.1\",slurm_job_id=\"1670760\",node=\"nvl72-@\",gpu="
      "\"GPU0\","
      "comm_name=\"dp\",n_nodes=\"4\",nranks=\"16\",collective=\"AllReduce\",message_size=\"4-5GB\","
      "algo_proto=\"RING_LL128\"} 1234\n",
      4,
      "10.0.0.@:9100");
  const finding::Diagnosis d = store.examine();
  EXPECT_EQ(count(d).machines, 4u);
  EXPECT_EQ(count(d).metrics, 2u);
  EXPECT_EQ(table(d, "Machines").rows[0][0], "nvl72-0");
  bool job = false;
  for (const auto& [name, text] : d.facts)
    job = job || (name == "label slurm_job_id" && text.find("1670760") != std::string::npos);
  EXPECT_TRUE(job);
}

TEST(Doctor, JobsOfSchedulersAreOfferedByTheirLabel) {
  Store store;
  store.scrape(dcgm(1, ",hpc_job=\"8812\""), 4, "10.0.0.@:9400");
  store.scrape("node_load1{pod=\"trainer-@\",jobset_sigs_k8s_io_jobset_name=\"llm\"} 1\n", 4, "gpu-@:9100");
  store.scrape("node_load5{training_kubeflow_org_job_name=\"bert\"} 1\n", 4, "gpu-@:9100");
  const finding::Diagnosis d = store.examine();
  std::set<std::string> offered;
  for (const auto& [name, text] : d.facts) {
    if (name.starts_with("label "))
      offered.insert(name.substr(6));
  }
  EXPECT_TRUE(offered.contains("hpc_job"));
  EXPECT_TRUE(offered.contains("jobset_sigs_k8s_io_jobset_name"));
  EXPECT_TRUE(offered.contains("training_kubeflow_org_job_name"));
  EXPECT_FALSE(offered.contains("slurm_job_id"));
  EXPECT_EQ(count(d).machines, 4u);  // "gpu-0" and "gpu-0:9100" are one
}

TEST(Doctor, WhatTheExporterDoesNotKnowIsSkippedWithItsReason) {
  Store store;
  store.scrape(
      "DCGM_FI_DEV_SM_CLOCK{gpu=\"0\",Hostname=\"gpu-@\"} 139\n"
      "DCGM_FI_DEV_SM_CLOCK{gpu=\"1\",Hostname=\"gpu-@\"} 9223372036854775794\n",
      4,
      "10.0.0.@:9400");
  const finding::Diagnosis d = store.examine();
  EXPECT_GT(d.records_skipped, 0u);
  ASSERT_EQ(d.skip_reasons.size(), 1u);
  EXPECT_EQ(d.skip_reasons[0].second, d.records_skipped);
  EXPECT_EQ(count(d).machines, 4u);
}

TEST(Doctor, AnEmptyStoreAndAFewMachinesCannotBeJudged) {
  Store empty;
  const finding::Diagnosis none = empty.examine();
  EXPECT_EQ(none.outcome, finding::Outcome::CannotJudge);
  EXPECT_NE(none.remedy.find("--metric"), std::string::npos);
  Store few;
  few.scrape("node_load1 1\n", 3, "node-@:9100");
  const finding::Diagnosis three = few.examine();
  EXPECT_EQ(three.outcome, finding::Outcome::CannotJudge);
  EXPECT_NE(three.reason.find("3 machines"), std::string::npos);
  DoctorOptions o;
  o.min_peers = 3;
  EXPECT_EQ(few.examine(o).outcome, finding::Outcome::Answer);
}

TEST(Doctor, MachinesThatAnExporterLacksAreSaid) {
  Store store;
  store.scrape("node_load1 1\n", 6, "node-@:9100");
  store.scrape(dcgm(1, ""), 4, "node-@:9400");  // other names: gpu-0 ...
  const finding::Diagnosis d = store.examine();
  EXPECT_EQ(count(d).machines, 10u);
  bool said = false;
  for (const std::string& note : d.notes)
    said = said || note.find("--names-table") != std::string::npos;
  EXPECT_TRUE(said);
}

TEST(Doctor, OldSamplesAndCoarseStepsAreSaid) {
  Store old;
  old.age_s = 200;
  old.scrape("node_load1 1\n", 5, "node-@:9100");
  Store coarse(60);
  coarse.scrape("node_load1 1\n", 5, "node-@:9100");
  Store good;
  good.scrape("node_load1 1\n", 5, "node-@:9100");
  EXPECT_GT(old.examine().notes.size(), good.examine().notes.size());
  EXPECT_GT(coarse.examine().notes.size(), good.examine().notes.size());
}

TEST(Doctor, MachinesThatFellSilentAreSaid) {
  Store store;
  store.age_s = 200;
  store.scrape("node_load1 1\n", 5, "node-@:9100");
  const finding::Diagnosis d = store.examine();
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  EXPECT_NE(d.reason.find("no machine has sent a sample lately"), std::string::npos) << d.reason;
}

TEST(Doctor, AStoreThatDoesNotAnswerIsAnError) {
  DoctorOptions o;
  o.source.prometheus.url = "http://127.0.0.1:1";
  EXPECT_THROW(examine_store(o), base::Error);
}

// Recorded scrapes, where they are: each as four machines.
TEST(Doctor, RecordedScrapesOfEveryExporter) {
  const std::filesystem::path from = test::recorded_scrapes();
  if (!std::filesystem::exists(from))
    GTEST_SKIP() << "no recorded scrapes";
  for (const test::RecordedScrape& e :
       {test::RecordedScrape{"nvidia_gpu_exporter__h100-80gb-hbm3__load.prom", 1, 6},
        {"nvidia_gpu_exporter__h100-80gb-hbm3__idle.prom", 1, 6},
        {"nvidia_gpu_exporter__l40s__load.prom", 1, 6},
        {"nvidia_gpu_exporter__h200-mig__load.prom", 1, 4},
        {"node_exporter__1.5.0.prom.gz", 0, 13},
        {"node_exporter__master_a7dcc3a.prom.gz", 0, 13},
        {"xpu_timer__normal.prom", 0, 1}}) {
    Store store;
    base::InputStream in((from / e.file).string());
    std::string page;
    for (std::string_view line; in.line(line);) {
      std::string text(line);
      for (const char* name : {"ip=\"", "pod_name=\""}) {  // the same worker, four times
        const size_t at = text.find(name);
        if (at != std::string::npos)
          text.insert(at + std::string(name).size(), "@-");
      }
      page += text + "\n";
    }
    store.scrape(page, 4, "machine-@:9100");
    const finding::Diagnosis d = store.examine();
    const Counted c = count(d);
    EXPECT_EQ(c.machines, 4u) << e.file;
    EXPECT_EQ(c.devices, 4 * e.devices) << e.file;
    EXPECT_EQ(c.metrics, e.metrics) << e.file;
    for (const auto& [reason, n] : d.skip_reasons)
      EXPECT_EQ(reason, "the exporter's value for 'not known'") << e.file << n;
  }
}

}  // namespace
}  // namespace lento::fleet
