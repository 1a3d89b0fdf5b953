// DCGM watches GPUs while jobs run: dcgmi health -c lists the systems of each GPU with a problem, dcgmi
// nvlink -s the state of each link.
//
//   health = "| Overall Health | " STATUS " |" {gpu}
//   gpu    = "| -> " N " | " STATUS " |" {"| -> " SYSTEM " | " STATUS " |" {"| | " TEXT " |"}}
//   nvlink = "gpuId " N ":" NEWLINE {"U" | "D" | "X" | "_"}      up, down, disabled, not supported
//
// Source: the feature overview of DCGM's user guide, 2.4 to 4.0.
#include "base/number.h"
#include "desk/nvidia/nvidia.h"
#include "desk/nvidia/words.h"

namespace lento::desk {
namespace {

constexpr std::string_view kArrow = "-> ";

class DcgmHealth : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    const size_t bar = line.starts_with("|") ? line.find('|', 1) : line.npos;
    if (bar == line.npos)
      return false;
    std::string_view name = trimmed(line.substr(1, bar - 1));
    const std::string_view rest = line.substr(bar + 1);
    const std::string_view value = trimmed(rest.substr(0, rest.find('|')));
    const size_t depth = line.find(kArrow);
    if (depth == line.npos || depth > bar) {
      if (name.empty() && !system_.empty() && text_.size() < kLongest)
        text_ += (text_.empty() ? "" : " ") + std::string(value);
      return true;
    }
    write(sink);
    name.remove_prefix(std::min(name.find_first_not_of("-> "), name.size()));
    if (base::try_uint(name)) {
      gpu_ = "gpu" + std::string(name);
    } else if (name != "Errors" && !gpu_.empty() && value != "Healthy") {
      system_ = name;
      is_failure_ = value == "Failure";
      line_.assign(line);
      number_ = sink.number();
    }
    return true;
  }

  void end(Sink& sink) override {
    write(sink);
  }

  // Reports a subsystem that DCGM calls unhealthy.
  void write(Sink& sink) {
    if (system_.empty())
      return;
    Event event;
    event.kind = "dcgm health/" + system_;
    event.severity = is_failure_ ? Severity::Fault : Severity::Warning;
    event.origin = Origin::Hardware;
    event.subject.device = gpu_;
    event.meaning = "DCGM reports a problem of its " + system_ + (text_.empty() ? "" : ": " + text_);
    event.action = "drain the node and run dcgmi diag -r 3; its kernel log holds the Xid";
    sink.at(line_, number_, sink.subject(), sink.time());
    sink.event(std::move(event));
    system_.clear();
    text_.clear();
  }

  static constexpr size_t kLongest = 400;
  std::string gpu_;
  std::string system_;
  std::string text_;
  std::string line_;
  int64_t number_ = 0;
  bool is_failure_ = false;
};

double score_health(std::string_view head, std::string& reason) {
  if (head.find("| Overall Health") == head.npos)
    return 0;
  reason = "it has the overall health of dcgmi health";
  return 0.9;
}

constexpr const char* kLinkAdvice =
    "look for Xid 74 in the kernel log, reset the GPU; when the link stays down, baseboard or GPU are to be "
    "replaced";

class DcgmLinks : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    const std::vector<std::string> words = words_of(line);
    if (words.size() == 2 && words[0] == "gpuId") {
      gpu_ = "gpu" + words[1].substr(0, words[1].find(':'));
      return true;
    }
    if (gpu_.empty() || words.empty())
      return false;
    double down = 0;
    double disabled = 0;
    for (const std::string& word : words) {
      if (word.size() != 1 || std::string_view("UDX_").find(word) == std::string_view::npos)
        return false;
      down += word == "D";
      disabled += word == "X";
    }
    const Subject subject{"", gpu_, ""};
    sink.state(
        {"disabled NVLinks", "links", Kind::FewValued, Better::Lower, "", Scope::Own, kLinkAdvice},
        disabled,
        {subject});
    if (down > 0) {
      Event event;
      event.kind = "nvlink/down";
      event.severity = Severity::Fault;
      event.origin = Origin::Link;
      event.subject = subject;
      event.meaning = std::to_string(int(down)) + (down == 1 ? " NVLink is down" : " NVLinks are down");
      event.action = kLinkAdvice;
      sink.event(std::move(event));
    }
    gpu_.clear();
    return true;
  }
  std::string gpu_;
};

double score_links(std::string_view head, std::string& reason) {
  if (head.find("NvLink Link Status") == head.npos || head.find("gpuId ") == head.npos)
    return 0;
  reason = "it has the title of dcgmi nvlink -s";
  return 0.9;
}

}  // namespace

const Format kDcgmHealth{
    "dcgmi health",
    "nvidia",
    {},
    Shape::Table,
    make<DcgmHealth>,
    score_health,
    "",
    "health systems of DCGM"};
const Format kDcgmLinks{
    "dcgmi nvlink -s",
    "nvidia",
    {},
    Shape::Table,
    make<DcgmLinks>,
    score_links,
    "",
    "NVLinks that are down"};

}  // namespace lento::desk
