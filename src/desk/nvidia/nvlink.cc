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
        errors_ += match.number("n").value_or(0);
    }
  }

  void end(Sink& sink) override {
    write(sink);
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
      state("NVLink errors", "", Kind::Counter, Better::Lower, errors_);
    device_.clear();
    inactive_ = errors_ = 0;
    slowest_ = kUnknown;
    has_links_ = has_errors_ = false;
  }

  std::string device_;
  std::string model_;
  double inactive_ = 0;
  double errors_ = 0;
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

bool is_header(const std::vector<std::string>& cells) {
  return cells.size() >= 2 && is_named(cells[0], "GPU") && is_named(cells[1], "GPU");
}

// Kinds of paths from the shortest to the longest.
constexpr std::string_view kPaths[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};

class Topology : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    std::vector<std::string> cells = columns_of(line);
    if (is_header(cells)) {
      columns_ = std::move(cells);
      return true;
    }
    if (columns_.empty() || cells.empty() || !is_named(cells[0], "GPU") || cells.size() <= columns_.size())
      return false;
    double links = 0;
    size_t shortest = std::size(kPaths);
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cells[i + 1];
      if (is_named(cell, "NV") && is_named(columns_[i], "GPU"))
        links += double(*base::try_uint(cell.substr(2)));
      if (is_card(columns_[i]))
        shortest = std::min(shortest, size_t(std::ranges::find(kPaths, cell) - std::begin(kPaths)));
    }
    const Sink::Place place{{"", "gpu" + cells[0].substr(3), ""}};
    sink.state(
        {"NVLinks to other GPUs", "links", Kind::FewValued, Better::Higher, "", Scope::Own, kLink},
        links,
        place);
    if (shortest < std::size(kPaths))
      sink.state(
          {"path to its nearest network card",
           "",
           Kind::FewValued,
           Better::Same,
           "",
           Scope::Own,
           "compare the slots of cards and GPUs with a peer, and whether a card is missing"},
          std::string(kPaths[shortest]),
          place);
    return true;
  }

  std::vector<std::string> columns_;
};

double score_topology(std::string_view head, std::string& reason) {
  constexpr size_t kEarlyLines = 16;  // lines before the matrix, such as a prompt or a command
  for (size_t i = 0; i < kEarlyLines && !head.empty(); ++i) {
    const size_t end = head.find('\n');
    if (is_header(columns_of(head.substr(0, end)))) {
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
