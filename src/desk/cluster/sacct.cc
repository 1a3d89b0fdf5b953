// sacct lists jobs with their state and their nodes, one a line.
//
//   table  = header {row}
//   header = NAME {"|" NAME} ["|"]                                  (sacct -P, sacct -p)
//          | NAME {blanks NAME} newline dashes {blank dashes}       (columns as wide as their dashes)
//
//   document = {"jobs": [{"job_id": N, "nodes": LIST, "state": {"current": [STATE]}}]}        (sacct --json)
//
// Rows of steps ("101.batch", "101.0") repeat their job and are passed over. A list of nodes that a column
// cuts short ends in "+" and names no node.
//
// Source: sacct of Slurm 20.11 to 25.05.
#include <algorithm>

#include "base/json.h"
#include "desk/cluster/cluster.h"

namespace lento::desk {
namespace {

using Fields = std::vector<std::string>;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// Splits a line at bars.
Fields split_bars(std::string_view line) {
  constexpr size_t kMostFields = 512;
  Fields fields;
  while (fields.size() < kMostFields) {
    const size_t bar = line.find('|');
    fields.emplace_back(trimmed(line.substr(0, bar)));
    if (bar == line.npos)
      break;
    line.remove_prefix(bar + 1);
  }
  return fields;
}

struct Width {
  size_t begin = 0;
  size_t end = 0;
};

// Returns the positions of the runs of dashes in a line. Empty when the line holds anything else.
std::vector<Width> widths_of(std::string_view line) {
  std::vector<Width> widths;
  for (size_t at = 0; at < line.size();) {
    if (line[at] == ' ' || line[at] == '\r') {
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < line.size() && line[at] == '-')
      ++at;
    if (at == begin)
      return {};
    widths.push_back({begin, at});
  }
  return widths;
}

Fields split_widths(std::string_view line, const std::vector<Width>& widths) {
  Fields fields;
  for (const Width& width : widths)
    fields.emplace_back(
        width.begin < line.size() ? trimmed(line.substr(width.begin, width.end - width.begin)) : "");
  return fields;
}

// Returns whether the line contains the word as a whole.
bool has_word(std::string_view line, std::string_view word) {
  for (size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    const auto is_end = [&](size_t i) {
      return i >= line.size() || line[i] == ' ' || line[i] == '|' || line[i] == '\r';
    };
    if ((at == 0 || is_end(at - 1)) && is_end(at + word.size()))
      return true;
  }
  return false;
}

bool is_job_header(std::string_view line) {
  const bool has_id = has_word(line, "JobID") || has_word(line, "JobIDRaw");
  return has_id && has_word(line, "State") &&
         (has_word(line, "JobName") || has_word(line, "NodeList") || has_word(line, "ExitCode"));
}

class Sacct : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    if (is_job_header(line)) {
      header_line_ = line;
      has_bars_ = line.find('|') != line.npos;
      header_ = has_bars_ ? split_bars(line) : Fields();
      widths_.clear();
      return true;
    }
    if (header_line_.empty())
      return false;
    if (!has_bars_ && widths_.empty()) {
      widths_ = widths_of(line);
      header_ = split_widths(header_line_, widths_);
      return !widths_.empty();
    }
    fields_ = has_bars_ ? split_bars(line) : split_widths(line, widths_);
    return fields_.size() == header_.size() && job(sink);
  }

  std::string field(std::string_view name) const {
    const auto at = std::ranges::find(header_, name);
    return at == header_.end() ? "" : fields_[size_t(at - header_.begin())];
  }

  // Takes the row of a job.
  bool job(Sink& sink) {
    const std::string id = field("JobID").empty() ? field("JobIDRaw") : field("JobID");
    if (id.empty() || id[0] < '0' || id[0] > '9')
      return false;
    if (id.find('.') != id.npos)
      return true;
    Run run;
    run.kind = "job";
    run.members = hosts_.expand(field("NodeList"));
    run.facts = {
        {"id", id},
        {"name", field("JobName")},
        {"state", field("State")},
        {"exit code", field("ExitCode")},
        {"elapsed", field("Elapsed")}};
    sink.run(std::move(run));
    return true;
  }

  HostLists hosts_;
  std::string header_line_;
  bool has_bars_ = false;
  Fields header_;
  std::vector<Width> widths_;
  Fields fields_;
};

// Reads the document of sacct --json or squeue --json.
class SacctJson : public Reader {
  void document(std::string_view text, const std::string& path, Sink& sink) override {
    const base::Json root = base::parse_json(text, path);
    const base::Json* jobs = root.find("jobs");
    if (!jobs)
      return;
    for (const base::Json& job : jobs->items()) {
      const base::Json* id = job.find("job_id");
      const base::Json* nodes = job.find("nodes");
      if (!id || !id->is_int())
        continue;
      Run run;
      run.kind = "job";
      if (nodes && nodes->is_string())
        run.members = hosts_.expand(nodes->string({}));
      run.facts = {{"id", std::to_string(int64_t(id->number({})))}, {"state", state_of(job)}};
      sink.run(std::move(run));
    }
  }

  // Returns the state of a job: "state": {"current": ["FAILED"]}, in older versions "state": {"current":
  // "FAILED"} or "job_state": ["FAILED"].
  static std::string state_of(const base::Json& job) {
    const base::Json* state = job.find("state");
    const base::Json* current = state && state->is_object() ? state->find("current") : job.find("job_state");
    if (!current || current->is_string())
      return current ? current->string({}) : "";
    const auto& list = current->items();
    return !list.empty() && list[0].is_string() ? list[0].string({}) : "";
  }

  HostLists hosts_;
};

double score_sacct_json(std::string_view head, std::string& reason) {
  const size_t jobs = head.find("\"jobs\"");
  if (head.empty() || head[0] != '{' || jobs == head.npos || head.find("\"job_id\"") == head.npos)
    return 0;
  reason = "a list of jobs with job_id";
  return 0.9;
}

double score_sacct(std::string_view head, std::string& reason) {
  constexpr int kMostLines = 20;  // a shell prompt or a note may precede the table
  for (int i = 0; i < kMostLines && !head.empty(); ++i) {
    const size_t end = head.find('\n');
    if (is_job_header(head.substr(0, end))) {
      reason = "columns JobID and State";
      return 0.9;
    }
    if (end == head.npos)
      break;
    head.remove_prefix(end + 1);
  }
  return 0;
}

}  // namespace

const Format kSacct{"sacct table", "cluster", {}, Shape::Table, make<Sacct>, score_sacct};

const Format kSacctJson{"sacct --json", "cluster", {}, Shape::Document, make<SacctJson>, score_sacct_json};

Formats cluster_formats() {
  return {
      &kSacct,
      &kSacctJson,
      &kScontrolJob,
      &kScontrolNode,
      &kKubeEvents,
      &kKubeJson,
      &kSinfo,
      &kSqueue,
      &kKubeNodes,
      &kKubePods,
      &kPodPage,
      &kSlurmctld,
      &kSlurmd,
      &kKubeDescribe,
      &kLauncher,
      &kProcessErrors,
      &kFailure,
      &kMissing};
}

}  // namespace lento::desk
