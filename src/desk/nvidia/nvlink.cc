// NVLink as nvidia-smi shows it. `nvlink -s` lists the links of each GPU with their speed, `nvlink -e` their
// errors: three states a GPU: links that are inactive, the slowest of the others, and the errors of all.
// `topo -m` is a matrix of the paths between GPUs and network cards: two states per GPU, the NVLinks in its
// row and its shortest path to a network card.
//
//   gpu  = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-...)"
//   -s   = "Link 0: 26.562 GB/s" | "Link 0: <inactive>"
//   -e   = "Link 0: Replay Errors: 0"
//   topo = "GPU0 GPU1 ... NIC0 CPU Affinity" {"GPU0  X  NV18 ... PIX 0-55"}
//
// Source: nvidia-smi nvlink and topo of drivers 470 to 560.
#include <algorithm>
#include <map>
#include <vector>

#include "base/number.h"
#include "desk/nvidia/nvidia.h"
#include "desk/nvidia/words.h"

namespace lento::desk {
namespace {

enum NvlinkForm {
  Gpu,
  Active,
  Inactive,
  Errors,
};

const LineForm kNvlinkForms[] = {
    {"^~GPU {gpu:int}: {name} (UUID: {_:word})", {"GPU 0: NVIDIA A100-SXM4-80GB (UUID: N/A)"}},
    {"^~Link {link:int}: {speed:num} GB/s", {"\t Link 0: 25 GB/s", "\t Link 11: 26.562 GB/s"}},
    {"^~Link {link:int}: <inactive>", {"\t Link 3: <inactive>"}},
    {"^~Link {link:int}: {kind:name} Errors: {n:int}",
     {"\t Link 0: Replay Errors: 0", "\t Link 0: Recovery Errors: 1", "\t Link 5: CRC Errors: 12"}},
};

constexpr const char* kLink =
    "look for Xid 74 in the kernel log, reset the GPU; when the link stays bad, baseboard or GPU are to be "
    "replaced";

class Nvlink : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    switch (form) {
      case Gpu:
        write(sink);
        device_ = "gpu" + match.text("gpu");
        model_ = match.text("name");
        sink.state({"model", "", Kind::Annotation}, model_, {{"", device_, ""}});  // counted among the parts
        return;
      case Active:
        has_links_ = true;
        slowest_ = std::fmin(slowest_, match.number("speed").value_or(kUnknown));
        return;
      case Inactive:
        has_links_ = true;
        ++inactive_;
        return;
      default:
        has_errors_ = true;
        add_errors(match);
        errors_of_[device_ + " link " + match.text("link")] += match.number("n").value_or(0);
    }
  }

  // Writes the last GPU, and the errors of each link when the host has too few GPUs to compare them with each
  // other.
  void end(Sink& sink) override {
    write(sink);
    constexpr int kFewestGpus = 3;
    for (const auto& [link, errors] : errors_of_)
      if (gpus_ < kFewestGpus)
        sink.state(
            {"errors of an NVLink", "", Kind::Counter, Better::Lower, "", Scope::Own, kLink},
            errors,
            {{"", link, ""}});
    errors_of_.clear();
    gpus_ = 0;
  }

  void add_errors(const Match& match) {
    const double count = match.number("n").value_or(0);
    errors_ += count;
    if (count <= most_)
      return;
    most_ = count;
    worst_ = match.text("kind") + " errors of link " + match.text("link");
  }

  // Reports number and speed of a GPU's NVLinks.
  void write(Sink& sink) {
    const Sink::Place place{{"", device_, ""}};
    const auto state = [&](const char* name, const char* unit, Kind kind, Better better, double value) {
      sink.state({name, unit, kind, better, model_, Scope::Own, kLink}, value, place);
    };
    if (!device_.empty() && has_links_) {
      // A list that was cut has fewer links, so the inactive links are counted instead of the active ones.
      state("inactive NVLinks", "links", Kind::FewValued, Better::Lower, inactive_);
      state("speed of its slowest NVLink", "GB/s", Kind::FewValued, Better::Higher, slowest_);
    }
    if (!device_.empty() && has_errors_)
      sink.state(
          {"NVLink errors", "", Kind::Counter, Better::Lower, model_, Scope::Own, kLink},
          errors_,
          {{"", device_, ""}, kUnknown, kUnknown, worst_.empty() ? "" : "most are " + worst_});
    gpus_ += has_errors_;
    device_.clear();
    worst_.clear();
    inactive_ = errors_ = most_ = 0;
    slowest_ = kUnknown;
    has_links_ = has_errors_ = false;
  }

  std::string device_;
  std::string model_;
  double inactive_ = 0;
  double errors_ = 0;
  double most_ = 0;  // errors of one kind and link
  std::string worst_;
  std::map<std::string, double> errors_of_;  // of each link
  int gpus_ = 0;
  double slowest_ = kUnknown;
  bool has_links_ = false;
  bool has_errors_ = false;
};

// Returns the columns of the matrix. "CPU Affinity" and what follows it are not part of the matrix.
std::vector<std::string> columns_of(std::string_view line) {
  std::vector<std::string> cells = words_of(line);
  cells.erase(std::ranges::find(cells, "CPU"), cells.end());
  return cells;
}

bool is_named(const std::string& cell, std::string_view kind) {
  return cell.starts_with(kind) && cell.size() > kind.size() && base::try_uint(cell.substr(kind.size()));
}

bool is_card(const std::string& cell) {
  return is_named(cell, "NIC") || cell.starts_with("mlx5_");
}

// Returns whether a line is the header: "GPU0 GPU1 NIC0", or "GPU0 CPU Affinity" of a host with one GPU.
bool is_header(const std::vector<std::string>& cells, std::string_view line) {
  if (cells.empty() || !is_named(cells[0], "GPU"))
    return false;
  return cells.size() == 1 ? line.find("CPU Affinity") != line.npos
                           : is_named(cells[1], "GPU") || is_card(cells[1]);
}

// Kinds of paths from the shortest to the longest.
constexpr std::string_view kPaths[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};
constexpr size_t kSameSwitch = 1;

class Topology : public Reader {
  bool row(std::string_view line, Sink&) override {
    std::vector<std::string> cells = columns_of(line);
    if (is_header(cells, line)) {
      columns_ = std::move(cells);
      return true;
    }
    if (columns_.empty() || cells.empty() || !is_named(cells[0], "GPU") || cells.size() <= columns_.size())
      return false;
    constexpr size_t kMostRows = 256;
    if (rows_.size() < kMostRows)
      rows_.push_back({cells[0].substr(3), {}, std::size(kPaths)});
    Row& own = rows_.back();
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cells[i + 1];
      if (is_named(columns_[i], "GPU"))
        own.links[columns_[i].substr(3)] = is_named(cell, "NV") ? double(*base::try_uint(cell.substr(2))) : 0;
      if (is_card(columns_[i]))
        own.shortest = std::min(own.shortest, size_t(std::ranges::find(kPaths, cell) - std::begin(kPaths)));
    }
    return true;
  }

  void end(Sink& sink) override {
    std::vector<size_t> paths;
    for (const Row& own : rows_)
      paths.push_back(own.shortest);
    std::ranges::sort(paths);
    for (const Row& own : rows_) {
      const Sink::Place place{{"", "gpu" + own.gpu, ""}};
      sink.state(
          {"NVLinks to other GPUs", "links", Kind::FewValued, Better::Higher, "", Scope::Own, kLink},
          links_of(own),
          place);
      // A path that is shorter than most is no fault. Where most GPUs have no card on their own switch the
      // paths differ by layout, and only the same GPU of other hosts is a peer.
      const size_t typical = paths[(paths.size() - 1) / 2];
      const size_t path = std::max(own.shortest, typical);
      const std::string whose = typical > kSameSwitch ? "path from GPU" + own.gpu + " to its" : "path to its";
      if (path < std::size(kPaths))
        sink.state(
            {whose + " nearest network card",
             "",
             Kind::FewValued,
             Better::Same,
             "",
             Scope::Own,
             "compare the slots of cards and GPUs with a peer, and whether a card is missing"},
            std::string(kPaths[path]),
            place);
    }
  }

  struct Row {
    std::string gpu;
    std::map<std::string, double> links;  // to each other GPU
    size_t shortest;                      // index of the path to the nearest network card
  };

  static double sum_of(const Row& row) {
    double sum = 0;
    for (const auto& [gpu, links] : row.links)
      sum += links;
    return sum;
  }

  // Returns the number of a GPU's links, plus those that it should have to GPUs without any link, because the
  // other GPU is at fault for these.
  double links_of(const Row& own) const {
    double most = 0;
    for (const auto& [gpu, links] : own.links)
      most = std::max(most, links);
    double sum = sum_of(own);
    for (const Row& other : rows_)
      if (other.gpu != own.gpu && sum_of(other) == 0)
        sum += most;
    return sum;
  }

  std::vector<Row> rows_;
  std::vector<std::string> columns_;
};

double score_topology(std::string_view head, std::string& reason) {
  constexpr size_t kEarlyLines = 16;  // lines before the matrix, such as a prompt or a command
  for (size_t i = 0; i < kEarlyLines && !head.empty(); ++i) {
    const size_t end = head.find('\n');
    const std::string_view line = head.substr(0, end);
    if (is_header(columns_of(line), line)) {
      reason = "it has the header of nvidia-smi topo -m";
      return 0.9;
    }
    head = end == head.npos ? std::string_view() : head.substr(end + 1);
  }
  return 0;
}

}  // namespace

const Format kNvlink{"nvidia-smi nvlink", "nvidia", kNvlinkForms, Shape::Lines, make<Nvlink>, nullptr};
const Format kTopology{"nvidia-smi topo -m", "nvidia", {}, Shape::Table, make<Topology>, score_topology};

}  // namespace lento::desk
