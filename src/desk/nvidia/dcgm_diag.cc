// dcgmi diag tests GPUs and writes, for each test, which passed: as JSON (-j) or as a table. A test that
// failed is an event of the GPU. Tests of the hardware are faults. A stress test that stays below its target
// shows a slow part. Software and deployment are settings.
//
//   document = {"DCGM Diagnostic" | "DCGM GPU Diagnostic": {"test_categories": [category]}}
//   category = {"category": NAME, "tests": [{"name": NAME, "results": [result]}]}
//   result   = {"status": "Pass" | "Fail" | "Warn" | "Skip", "entity_id" | "gpu_id": N | "gpu_ids": "0,1",
//               "warnings": TEXT | [TEXT | {"warning": TEXT, "error_id": N}]}
//   table    = "|-----  Hardware  -----+" | "| GPU Memory | Fail - GPU: 3 |" | "| Warning | TEXT |"
//            | "| PCIe | Pass - GPUs: 0, 1 |" "| | Fail - GPU: 2 |"
//            | "| memory | Fail |" {"|  | GPU3: Fail |"}     (version 4)
//
// A text that fills its cell goes on in the next row without a blank.
//
// Source: the diagnostics chapter of DCGM's user guide, 2.4 to 4.0.
#include <set>

#include "base/error.h"
#include "base/json.h"
#include "desk/nvidia/nvidia.h"

namespace lento::desk {
namespace {

constexpr size_t kMostWarnings = 64;  // warnings of one result that are kept

// Normalises the name of a test, whose case and separators differ between versions: "Targeted Power",
// "targeted_power".
std::string plain(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    c = c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return text;
}

// Returns the event for a failed test of DCGM.
Event event_of(const std::string& category, const std::string& test, const std::string& warning) {
  Event event;
  const std::string name = plain(test);
  event.kind = "dcgm/" + name;
  const auto has = [&name](const char* word) {
    return name.find(word) != name.npos;
  };
  const bool is_stress =
      category == "Stress" || has("targeted") || has("stress") || has("bandwidth") || has("pcie");
  const bool is_setting = category == "Deployment" || category == "Software" || name == "software";
  if (is_stress) {
    event.severity = Severity::Warning;
    event.origin = Origin::Hardware;
    event.action =
        "look at its clocks, temperature and power limit while the test runs, and at its PCIe link";
  } else if (is_setting) {
    event.severity = Severity::Warning;
    event.origin = Origin::Operator;
    event.action = "mend what the warning names, then run the diagnostic again";
  } else {
    event.severity = category == "Hardware" || has("mem") ? Severity::Fault : Severity::Warning;
    event.origin = Origin::Hardware;
    event.action = "drain the node and reset the GPU; replace it if the test fails again";
  }
  event.meaning = "fails the test '" + test + "'";
  if (!warning.empty())
    event.meaning += ": " + warning;
  return event;
}

// Parses a list of GPUs: "0,1", or "all" in older versions.
std::vector<std::string> gpus_of(std::string_view text) {
  std::vector<std::string> gpus;
  std::string digits;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c >= '0' && c <= '9' && digits.size() < 8) {
      digits += c;
    } else if (!digits.empty()) {
      gpus.push_back("gpu" + digits);
      digits.clear();
    }
  }
  if (gpus.empty())
    gpus.emplace_back();
  return gpus;
}

// Returns a string or integer as text, else "".
std::string text_of(const base::Json* value) {
  if (!value)
    return "";
  const base::Location where;
  if (value->is_string())
    return value->string(where);
  return value->is_int() ? std::to_string(value->integer(where)) : "";
}

class DcgmDocument : public Reader {
  void document(std::string_view text, const std::string& path, Sink& sink) override {
    const base::Json root = base::parse_json(text, path);
    for (const char* name : {"DCGM Diagnostic", "DCGM GPU Diagnostic"}) {
      const base::Json* page = root.find(name);
      const base::Json* categories = page ? page->find("test_categories") : nullptr;
      if (!categories)
        continue;
      for (const base::Json& category : categories->items())
        if (const base::Json* tests = category.find("tests"))
          for (const base::Json& test : tests->items())
            take_test(text_of(category.find("category")), test, sink);
    }
  }

  // Takes one test: an event for each failed result.
  static void take_test(const std::string& category, const base::Json& test, Sink& sink) {
    const base::Json* results = test.find("results");
    if (!results)
      return;
    for (const base::Json& result : results->items()) {
      const std::string status = text_of(result.find("status"));
      if (!status.empty())
        sink.took();
      if (status != "Fail" && status != "FAIL")
        continue;
      std::string ids;
      for (const char* name : {"entity_id", "gpu_id", "gpu_ids"})
        if (ids.empty())
          ids = text_of(result.find(name));
      const std::string warning = warnings_of(result.find("warnings"));
      sink.at(warning, 0, {}, {});
      for (const std::string& gpu : gpus_of(ids)) {
        Event event = event_of(category, text_of(test.find("name")), warning);
        event.subject.device = gpu;
        sink.event(std::move(event));
      }
    }
  }

  // Joins the warnings of a result.
  static std::string warnings_of(const base::Json* warnings) {
    std::string text = text_of(warnings);
    if (!warnings)
      return text;
    for (size_t i = 0; i < warnings->items().size() && i < kMostWarnings; ++i) {
      const base::Json& one = warnings->items()[i];
      text += (text.empty() ? "" : "; ") + (one.is_string() ? text_of(&one) : text_of(one.find("warning")));
    }
    return text;
  }
};

double score_document(std::string_view head, std::string& reason) {
  const size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == head.npos || head[begin] != '{' ||
      (head.find("\"DCGM Diagnostic\"") == head.npos && head.find("\"DCGM GPU Diagnostic\"") == head.npos))
    return 0;
  reason = "a JSON object with the key of dcgmi diag";
  return 0.95;
}

// Returns the text of a cell without the dashes that draw the table.
std::string_view without_rule(std::string_view text) {
  const size_t begin = text.find_first_not_of("- ");
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of("- \r") + 1 - begin);
}

class DcgmTable : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    if (!line.starts_with("|") && !line.starts_with("+--"))
      return false;
    const size_t bar = line.find_first_of("|+", 1);
    if (bar == line.npos)
      return false;
    const std::string_view name = without_rule(line.substr(1, bar - 1));
    if (line.substr(1).starts_with("---")) {
      write(sink);
      category_ = name;
      return true;
    }
    const std::string_view rest = line.substr(bar + 1);
    const std::string_view value = without_rule(rest.substr(0, rest.find('|')));
    if (name == "Diagnostic")  // the header
      return false;
    if (name.empty() && value.starts_with("GPU") && value.find(": ") != value.npos) {
      if (value.substr(value.find(": ") + 2).starts_with("Fail"))
        fail(value.substr(0, value.find(':')), sink);
    } else if (name.empty() && value.starts_with("Fail -")) {
      fail(value, sink);
    } else if (name.empty() || name.starts_with("Warning") || name.starts_with("Error")) {
      if (is_failed_ && warning_.size() < kLongest)
        warning_ += (warning_.empty() || goes_on_ ? "" : " ") + std::string(value);
      const size_t end = rest.find('|');
      goes_on_ = end != rest.npos && end > 1 && rest[end - 2] != ' ';
    } else {
      write(sink);
      test_ = name;
      if (value.starts_with("Fail"))
        fail(value, sink);
    }
    return true;
  }

  void end(Sink& sink) override {
    write(sink);
  }

  // Records a failure for the GPUs that `text` names. A test that names none failed on the host.
  void fail(std::string_view text, const Sink& sink) {
    if (!is_failed_) {
      failed_line_ = sink.line();
      failed_number_ = sink.number();
    }
    is_failed_ = true;
    for (std::string& gpu : gpus_of(text))
      if (!gpu.empty() && gpus_.size() < kMostGpus)
        gpus_.insert(std::move(gpu));
  }

  void write(Sink& sink) {
    if (is_failed_ && gpus_.empty())
      gpus_.emplace();
    if (is_failed_)
      sink.at(failed_line_, failed_number_, Subject(sink.subject()), Moment(sink.time()));
    for (const std::string& gpu : gpus_) {
      Event event = event_of(category_, test_, warning_);
      event.subject.device = gpu;
      sink.event(std::move(event));
    }
    is_failed_ = false;
    gpus_.clear();
    warning_.clear();
    goes_on_ = false;
  }

  static constexpr size_t kLongest = 2000;
  static constexpr size_t kMostGpus = 1024;
  std::string category_;
  std::string test_;
  bool is_failed_ = false;
  std::string failed_line_;
  int64_t failed_number_ = 0;
  std::set<std::string> gpus_;
  std::string warning_;
  bool goes_on_ = false;  // the last row of the warning fills its cell
};

double score_diag_table(std::string_view head, std::string& reason) {
  if (head.find("| Diagnostic ") == head.npos || head.find("| Result") == head.npos)
    return 0;
  reason = "it has the header of dcgmi diag";
  return 0.9;
}

}  // namespace

constexpr std::string_view kCovers = "tests of dcgmi diag";
const Format kDcgmDocument{
    "dcgmi diag -j",
    "nvidia",
    {},
    Shape::Document,
    make<DcgmDocument>,
    score_document,
    "",
    kCovers};
const Format
    kDcgmTable{"dcgmi diag", "nvidia", {}, Shape::Table, make<DcgmTable>, score_diag_table, "", kCovers};

Formats nvidia_formats() {
  return {
      &kSmiTable,
      &kSmiPage,
      &kSmiColumns,
      &kRocmLines,
      &kNvlink,
      &kTopology,
      &kDcgmDocument,
      &kDcgmTable,
      &kDcgmHealth,
      &kDcgmLinks,
      &kSmiBox,
      &kRocmPicture,
      &kSmiXml,
      &kAmdTree,
      &kAmdJson,
      &kGpustat};
}

}  // namespace lento::desk
