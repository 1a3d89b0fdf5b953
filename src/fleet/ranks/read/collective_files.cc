// Finds, recognises and reads collective telemetry in files and folders. A damaged file found in a folder is
// skipped and counted, so that one of thousands does not end the run. A damaged file that the user named is
// an error.
#include "fleet/ranks/read/collective_files.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "fleet/ranks/read/flight_recorder.h"
#include "fleet/ranks/read/inspector_log.h"
#include "fleet/ranks/read/kineto_collectives.h"
#include "fleet/ranks/read/nsight.h"
#include "fleet/ranks/read/ras_answer.h"

namespace lento::fleet::ranks {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

struct Named {
  std::string path;
  bool by_user = false;
};

// Returns the files of paths and folders.
std::vector<Named> expand(const std::vector<std::string>& paths) {
  std::vector<Named> out;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      out.push_back({path, true});
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             path,
             std::filesystem::directory_options::skip_permission_denied)) {
      if (entry.is_regular_file(error))
        out.push_back({entry.path().string(), false});
    }
  }
  std::ranges::sort(out, [](const Named& a, const Named& b) {
    return a.path < b.path;
  });
  out.erase(
      std::unique(
          out.begin(),
          out.end(),
          [](const Named& a, const Named& b) {
            return a.path == b.path;
          }),
      out.end());
  return out;
}

}  // namespace

const char* name(CollectiveLayout layout) {
  switch (layout) {
    case CollectiveLayout::Kineto:
      return "Kineto trace";
    case CollectiveLayout::Inspector:
      return "Inspector log";
    case CollectiveLayout::InspectorProm:
      return "Inspector page for Prometheus";
    case CollectiveLayout::FlightRecorder:
      return "flight-recorder dump";
    case CollectiveLayout::Ras:
      return "RAS answer";
    case CollectiveLayout::Nsight:
      return "Nsight database";
    case CollectiveLayout::None:
      break;
  }
  return "unknown";
}

CollectiveLayout recognise_collectives(const std::string& path) {
  base::InputStream in(path);
  const std::string_view head = in.peek(16384);
  if (head.empty())
    return CollectiveLayout::None;
  if (uint8_t(head[0]) == 0x80)
    return CollectiveLayout::FlightRecorder;
  if (head.starts_with("SQLite format 3"))
    return CollectiveLayout::Nsight;
  if (contains(head.substr(0, 4096), "nccl_") && (head[0] == '#' || head.starts_with("nccl_")))
    return CollectiveLayout::InspectorProm;
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first == head.npos || (head[first] != '{' && head[first] != '['))
    return CollectiveLayout::None;
  const std::string_view line = head.substr(0, head.find('\n'));
  if (contains(line, "\"coll_perf\"") || contains(line, "\"p2p_perf\""))
    return CollectiveLayout::Inspector;
  if (contains(head, "\"collective_counts\"") || contains(head, "\"communicators_count\""))
    return CollectiveLayout::Ras;
  if (contains(head, "\"traceEvents\"") || contains(head, "\"distributedInfo\"") ||
      contains(head, "\"schemaVersion\"") || contains(head, "\"ph\""))
    return CollectiveLayout::Kineto;
  if (contains(head, "\"pg_config\"") || contains(head, "\"pg_status\"") || contains(head, "\"entries\""))
    return CollectiveLayout::FlightRecorder;
  return CollectiveLayout::None;
}

namespace {

// Reads one file. Returns false when its layout is recognised but cannot be used alone.
bool read_one(
    const std::string& path,
    CollectiveLayout layout,
    InspectorLines& lines,
    CollectiveFiles& out,
    base::ReadReport& report) {
  switch (layout) {
    case CollectiveLayout::Kineto:
      out.ranks.push_back(read_kineto_collectives(path, report));
      return true;
    case CollectiveLayout::Inspector:
      read_inspector_log(path, lines);
      return true;
    case CollectiveLayout::FlightRecorder:
      out.dumps.push_back(read_flight_recorder(path, report));
      return true;
    case CollectiveLayout::Ras:
      out.ras.push_back(read_ras_answer(path, report));
      return true;
    case CollectiveLayout::Nsight:
      for (RankTrace& rank : nsight_collectives(read_nsight(path, report))) {
        if (rank.communication > 0)
          out.ranks.push_back(std::move(rank));
      }
      return true;
    case CollectiveLayout::InspectorProm: {
      const std::vector<InspectorMean> page = read_inspector_prom(path, report);
      out.means.insert(out.means.end(), page.begin(), page.end());
      return true;
    }
    default:
      out.not_read.push_back({path, layout});
      return false;
  }
}

// Drops unclosed traces that lack a rank or a date which other traces have, because they cannot be assigned
// to a rank or to a time. In a Kineto file both may follow the events, so that a cut removes them.
void drop_nameless(std::vector<RankTrace>& ranks, base::ReadReport& report) {
  const bool numbered = std::ranges::any_of(ranks, [](const RankTrace& t) {
    return t.rank >= 0;
  });
  const bool dated = std::ranges::any_of(ranks, &RankTrace::dated);
  std::erase_if(ranks, [&](const RankTrace& t) {
    const bool lost = !t.closed && ((numbered && t.rank < 0) || (dated && !t.dated));
    if (lost)
      report.skip({t.file}, "a Kineto trace that was not closed and lacks its rank or its date");
    return lost;
  });
}

}  // namespace

CollectiveFiles read_collective_files(
    const std::vector<std::string>& paths,
    base::ReadReport& report,
    const base::Progress& progress) {
  CollectiveFiles out;
  InspectorLines lines(report);
  const std::vector<Named> files = expand(paths);
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string& path = files[i].path;
    progress("reading collectives", double(i), double(files.size()));
    progress.throw_if_stopped();
    const CollectiveLayout layout = recognise_collectives(path);
    if (layout == CollectiveLayout::None && files[i].by_user)
      throw base::Error(
          {path},
          "no telemetry of collectives that is known",
          "Kineto traces, Nsight databases, Inspector logs, flight-recorder dumps and RAS answers are read");
    if (layout == CollectiveLayout::None) {
      report.skip({path}, "a file that holds no collectives");
      continue;
    }
    try {
      if (!read_one(path, layout, lines, out, report))
        continue;
    } catch (const base::Error&) {
      // One damaged file of thousands must not hide the others. It is counted, and its rank is missing.
      if (files[i].by_user || report.strict)
        throw;
      report.skip({path}, std::string("a damaged ") + name(layout));
      continue;
    }
    out.files.push_back(path);
  }
  for (RankTrace& rank : lines.take())
    out.ranks.push_back(std::move(rank));
  drop_nameless(out.ranks, report);
  std::ranges::stable_sort(out.ras, [](const RasAnswer& a, const RasAnswer& b) {
    return a.timestamp < b.timestamp;
  });
  return out;
}

}  // namespace lento::fleet::ranks
