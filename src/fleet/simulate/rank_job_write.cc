// Writes a simulated job to disk, in the layouts of the tools that real jobs use, so that readers and
// detectors can be tested end to end.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "fleet/simulate/rank_job.h"

namespace lento::fleet {
namespace {

using base::Json;
using fleet::ranks::CollectiveOp;
using fleet::ranks::RankTrace;

// Returns "12.345" for 12345 ns.
std::string micros(int64_t ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%03d", static_cast<long long>(ns / 1000), int(ns % 1000));
  return text;
}

const char* torch_name(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::AllReduce:
      return "allreduce";
    case CollectiveOp::AllGather:
      return "_allgather_base";
    case CollectiveOp::ReduceScatter:
      return "_reduce_scatter_base";
    case CollectiveOp::AllToAll:
      return "all_to_all";
    case CollectiveOp::Send:
      return "send";
    case CollectiveOp::Recv:
      return "recv";
    default:
      return "barrier";
  }
}

const char* nccl_name(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::AllReduce:
      return "AllReduce";
    case CollectiveOp::AllGather:
      return "AllGather";
    case CollectiveOp::ReduceScatter:
      return "ReduceScatter";
    case CollectiveOp::AllToAll:
      return "AlltoAll";
    case CollectiveOp::Send:
      return "Send";
    case CollectiveOp::Recv:
      return "Recv";
    default:
      return "Broadcast";
  }
}

std::string ranks_text(const std::vector<int32_t>& ranks) {
  std::string text = "[";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
  return text + "]";
}

void write_kineto(const RankTrace& t, const std::string& path) {
  const int64_t base =
      t.records.empty() ? 0 : t.records.front().begin_ns / 1000000000 * 1000000000 - 1000000000;
  base::OutputFile out(path);
  out.write(
      "{\"schemaVersion\":1,\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":" + std::to_string(t.rank) +
      ",\"world_size\":" + std::to_string(t.world) +
      "},\"displayTimeUnit\":\"ms\",\"baseTimeNanoseconds\":" + std::to_string(base) +
      ",\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"ts\":0}");
  const auto span = [&](const std::string& head, int64_t begin, int64_t end, const std::string& args) {
    out.write(
        ",\n{\"ph\":\"X\"," + head + ",\"pid\":1,\"tid\":7,\"ts\":" + micros(begin - base) +
        ",\"dur\":" + micros(end - begin) + (args.empty() ? "" : ",\"args\":{" + args + "}") + "}");
  };
  for (const fleet::ranks::StepMark& s : t.steps)
    span(
        "\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#" + std::to_string(s.step) + "\"",
        s.begin_ns,
        s.end_ns,
        "");
  const std::string device = "\"device\":" + std::to_string(t.device);
  for (const fleet::ranks::TimeSpan& s : t.compute)
    span("\"cat\":\"kernel\",\"name\":\"gemm\"", s.begin_ns, s.end_ns, device);
  for (const fleet::ranks::CollectiveRecord& r : t.records) {
    const fleet::ranks::Communicator& c = t.communicators[r.communicator];
    const std::string elements = std::to_string(r.bytes / 2);
    std::string args = device + ",\"Collective name\":\"" + torch_name(r.op) +
                       "\",\"In msg nelems\":" + elements + ",\"Out msg nelems\":" + elements +
                       ",\"Group size\":" + std::to_string(c.size) +
                       ",\"dtype\":\"BFloat16\",\"Process Group Name\":\"" +
                       c.key.substr(0, c.key.find(',')) + "\",\"Process Group Description\":\"" + c.name +
                       "\",\"Process Group Ranks\":\"" + ranks_text(c.ranks) + "\"";
    if (r.op == CollectiveOp::Send)
      args += ",\"Dst Rank\":" + std::to_string(c.ranks[r.peer]);
    if (r.op == CollectiveOp::Recv)
      args += ",\"Src Rank\":" + std::to_string(c.ranks[r.peer]);
    const std::string kernel = is_p2p(r.op) ? "SendRecv" : nccl_name(r.op);
    span("\"cat\":\"kernel\",\"name\":\"ncclDevKernel_" + kernel + "\"", r.begin_ns, r.end_ns, args);
  }
  out.write("\n]}\n");
  out.commit();
}

void write_inspector(const RankTrace& t, const std::string& path) {
  base::OutputFile out(path);
  for (const fleet::ranks::CollectiveRecord& r : t.records) {
    const fleet::ranks::Communicator& c = t.communicators[r.communicator];
    const bool pair = is_p2p(r.op);
    const std::string kind = pair ? "p2p" : "coll";
    const auto us = [](int64_t ns) {
      return std::to_string(ns / 1000);
    };
    std::string line =
        "{\"header\":{\"id\":\"0x" + c.key.substr(0, c.key.find(',')) + "\",\"comm_name\":\"" + c.name +
        "\",\"rank\":" + std::to_string(c.own) + ",\"n_ranks\":" + std::to_string(c.size) +
        ",\"nnodes\":" + std::to_string(c.nodes) +
        "},\"metadata\":{\"inspector_output_format_version\":\"v4.0\",\"dump_timestamp_us\":" + us(r.end_ns) +
        ",\"hostname\":\"" + t.host + "\",\"pid\":" + std::to_string(t.process) + "},\"" + kind +
        "_perf\":{\"" + kind + "\":\"" + nccl_name(r.op) + "\",\"" + kind +
        "_sn\":" + std::to_string(r.sequence);
    if (pair)
      line += ",\"p2p_peer\":" + std::to_string(r.peer);
    line += ",\"" + kind + "_msg_size_bytes\":" + std::to_string(r.bytes) + ",\"" + kind +
            "_exec_time_us\":" + us(r.end_ns - r.begin_ns) + ",\"" + kind +
            "_timing_source\":\"kernel_gpu\"" + ",\"event_trace_ts\":{\"" + kind +
            "_start_ts\":" + us(r.begin_ns) +
            ",\"kernel_events\":[{\"channel_id\":0,\"kernel_start_ts\":" + us(r.begin_ns) +
            ",\"kernel_stop_ts\":" + us(r.end_ns) + "}]}}}\n";
    out.write(line);
  }
  out.commit();
}

Json status_json(const fleet::ranks::GroupStatus& s) {
  return Json::object()
      .set("last_enqueued_collective", s.last_enqueued)
      .set("last_started_collective", s.last_started)
      .set("last_completed_collective", s.last_completed);
}

void write_dump(const fleet::ranks::HangDump& d, const std::string& path) {
  Json config = Json::object();
  Json status = Json::object();
  Json entries = Json::array();
  std::map<std::string, int64_t> number;
  // Groups are numbered in the order of their names, as the real recorder numbers them.
  std::vector<std::string> names;
  for (const auto& [name, group] : d.groups)
    names.push_back(name);
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    if (a.size() != b.size())
      return a.size() < b.size();
    return a < b;
  });
  for (const std::string& name : names) {
    const fleet::ranks::GroupConfig& group = d.groups.at(name);
    number[name] = int64_t(number.size());
    config.set(
        name,
        Json::object()
            .set("name", name)
            .set("desc", group.description)
            .set("ranks", ranks_text(group.ranks)));
    status.set(std::to_string(number[name]), status_json(d.status.at(name)));
  }
  for (const fleet::ranks::PendingOp& p : d.pending) {
    Json sizes = Json::array();
    sizes.push(Json::array().push(base::parse_json(p.input_sizes, path).items().front()));
    entries.push(Json::object()
                     .set("pg_id", number[p.group])
                     .set("process_group", Json::array().push(p.group).push(d.groups.at(p.group).description))
                     .set("collective_seq_id", p.sequence)
                     .set("p2p_seq_id", p.p2p ? p.sequence : 0)
                     .set("profiling_name", "nccl:" + p.op)
                     .set("input_sizes", sizes)
                     .set("output_sizes", sizes)
                     .set("input_dtypes", Json::array().push(p.dtype))
                     .set("state", "scheduled")
                     .set("is_p2p", p.p2p));
  }
  const Json dump = Json::object()
                        .set("version", d.version)
                        .set("pg_config", std::move(config))
                        .set("pg_status", std::move(status))
                        .set("entries", std::move(entries));
  base::write_file(path, base::write_json(dump, 1) + "\n");
}

Json list(const std::vector<int>& values) {
  Json out = Json::array();
  for (const int v : values)
    out.push(v);
  return out;
}

void write_truth(const RankTruth& t, const std::string& path) {
  Json offsets = Json::array();
  Json drifts = Json::array();
  for (const double o : t.offset_ns)
    offsets.push(o);
  for (const double d : t.drift)
    drifts.push(d);
  Json json = Json::object();
  json.set("schema", "lento.rank-truth/1");
  json.set("fault", name(t.fault));
  json.set("factor", t.factor);
  if (t.rank >= 0)
    json.set("rank", t.rank);
  if (t.host >= 0)
    json.set("host", "host" + std::to_string(t.host));
  json.set("from_step", t.from_step);
  json.set("same_ranks", list(t.same_ranks));
  json.set("same_hosts", list(t.same_hosts));
  json.set("whole_network", t.whole_network);
  json.set("missing", list(t.missing));
  json.set("step_ms", t.step_ms);
  json.set("faulty_step_ms", t.faulty_step_ms);
  json.set("begin_ns", t.begin_ns);
  json.set("clock_offset_ns", std::move(offsets));
  json.set("clock_drift", std::move(drifts));
  base::write_file(path, base::write_json(json, 1) + "\n");
}

}  // namespace

size_t write_ranks(const SimulatedRanks& job, RankLayout layout, const std::string& folder) {
  std::filesystem::create_directories(folder);
  if (layout == RankLayout::FlightRecorder && job.dumps.empty())
    throw base::Error({}, "a job that does not hang leaves no flight-recorder dumps", "add --fault hang");
  size_t files = 0;
  if (layout == RankLayout::FlightRecorder) {
    for (const fleet::ranks::HangDump& d : job.dumps) {
      write_dump(d, folder + "/_dump_" + std::to_string(d.rank));
      ++files;
    }
  } else {
    for (const RankTrace& t : job.traces) {
      if (layout == RankLayout::Kineto) {
        write_kineto(
            t,
            folder + "/" + t.host + "_" + std::to_string(t.process) + ".1795000000.pt.trace.json");
      } else {
        write_inspector(as_inspector(t), folder + "/" + t.host + "-pid" + std::to_string(t.process) + ".log");
      }
      ++files;
    }
  }
  write_truth(job.truth, folder + "/truth.json");
  return files;
}

}  // namespace lento::fleet
