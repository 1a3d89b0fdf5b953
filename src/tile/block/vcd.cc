// Samples a design's signals at the rising edges of a clock in a VCD recording. Only the mapped signals are
// kept, as numbers by code, so memory does not grow with the recording. A damaged change is skipped and
// counted. A header that cannot be read ends the reading, because codes would be unknown. Source: IEEE
// 1364-2005, section 18.
#include "tile/block/vcd.h"

#include <map>
#include <unordered_map>

#include "base/file.h"
#include "base/number.h"
#include "spec/yaml.h"

namespace lento::tile {
namespace {

constexpr size_t kMaxSignals = 1 << 20;
constexpr size_t kMaxDepth = 256;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < line.size();) {
    const size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos)
      break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    out.push_back(line.substr(begin, at - begin));
  }
  return out;
}

// Header grammar: { "$scope" type name "$end" | "$upscope" "$end" | "$var" type width code name [range]
// "$end" | other sections up to "$end" } "$enddefinitions" "$end". Then words: { "#" time | value code | ("b"
// | "r" | "s") value " " code | "$comment" text "$end" | "$dumpvars" and the like | "$end" }. A value and its
// code are on one line.
class Reader {
 public:
  Reader(const std::string& path, const VcdMap& map, base::ReadReport& report)
      : in_(path),
        map_(map),
        report_(report) {
  }

  bool run(const std::function<bool(const VcdCycle&)>& use) {
    read_header();
    bind();
    std::string_view line;
    while (wanted_ && in_.line(line))
      changes(line, use);
    if (wanted_ && seen_time_)
      edge(use);
    return wanted_;
  }

 private:
  base::Location here() const {
    return {in_.path(), int(in_.line_number())};
  }

  bool next_word(std::string& out) {
    while (at_ >= words_.size()) {
      std::string_view line;
      if (!in_.line(line))
        return false;
      line_ = line;
      words_ = words_of(line_);
      at_ = 0;
    }
    out = words_[at_++];
    return true;
  }

  void read_header() {
    std::string word;
    std::vector<std::string> scope;
    while (next_word(word)) {
      std::vector<std::string> section;
      const std::string kind = word;
      if (kind.empty() || kind[0] != '$')
        throw base::Error(here(), "not a VCD header: '" + kind + "'");
      while (next_word(word) && word != "$end") {
        if (section.size() < 16)
          section.push_back(word);
      }
      if (kind == "$enddefinitions")
        return;
      if (kind == "$upscope" && !scope.empty())
        scope.pop_back();
      if (kind == "$scope" && section.size() >= 2)
        scope.push_back(section[1]);
      if (scope.size() > kMaxDepth)
        throw base::Error(here(), "scopes nest deeper than 256");
      if (kind == "$var" && section.size() >= 4)
        declare(scope, section);
    }
    throw base::Error(here(), "the file ends inside the VCD header");
  }

  void declare(const std::vector<std::string>& scope, const std::vector<std::string>& section) {
    if (names_.size() >= kMaxSignals)
      throw base::Error(here(), "more than a million signals");
    std::string name;
    for (const std::string& part : scope)
      name += part + ".";
    std::string leaf = section[3];
    if (const size_t bracket = leaf.find('['); bracket != std::string::npos && bracket > 0)
      leaf.resize(bracket);
    names_[name + leaf] = section[2];
  }

  uint32_t watch(const std::string& name, const std::string& use) {
    const auto found = names_.find(name);
    if (found == names_.end()) {
      std::vector<std::string> known;
      for (const auto& [known_name, code] : names_) {
        if (known.size() < 5000)
          known.push_back(known_name);
      }
      throw base::Error(
          {in_.path()},
          "there is no signal '" + name + "' (" + use + " of the map)",
          base::suggestion(name, known));
    }
    const auto [at, is_new] = slots_.emplace(found->second, uint32_t(values_.size()));
    if (is_new)
      values_.push_back(0);
    return at->second;
  }

  void bind() {
    clock_ = watch(map_.clock, "clock");
    if (!map_.address.empty())
      address_ = watch(map_.address, "address");
    for (const VcdMap::Input& input : map_.inputs) {
      Bound bound{input.ioreg, input.at, watch(input.signal, "input"), std::nullopt};
      if (!input.valid.empty())
        bound.valid = watch(input.valid, "valid");
      bound_.push_back(bound);
    }
    pending_ = values_;
  }

  // Values take effect at the end of a time step, and an edge samples those from before the step.
  void edge(const std::function<bool(const VcdCycle&)>& use) {
    if (!(values_[clock_] & 1) && (pending_[clock_] & 1)) {
      VcdCycle cycle;
      for (const Bound& b : bound_) {
        if (b.valid && !(values_[*b.valid] & 1))
          continue;
        cycle.valid |= 1u << b.ioreg;
        cycle.data[b.ioreg] |= uint32_t(values_[b.signal]) << b.at;
      }
      if (address_) {
        cycle.has_address = true;
        cycle.address = uint32_t(values_[*address_]);
      }
      wanted_ = use(cycle);
    }
    values_ = pending_;
  }

  // Removes the next word from the front of `line` and returns it, "" at its end.
  static std::string_view take_word(std::string_view& line) {
    constexpr std::string_view kBlank = " \t\r";
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(kBlank));
    line.remove_prefix(word.size());
    return word;
  }

  void changes(std::string_view line, const std::function<bool(const VcdCycle&)>& use) {
    while (wanted_) {
      const std::string_view word = take_word(line);
      if (word.empty())
        return;
      if (in_comment_)
        in_comment_ = word != "$end";
      else if (word[0] == '$')
        in_comment_ = word == "$comment";
      else if (word[0] == '#')
        time(word, use);
      else
        change(word, line);
    }
  }

  void time(std::string_view word, const std::function<bool(const VcdCycle&)>& use) {
    if (!base::try_uint(word.substr(1)))
      return report_.skip(here(), "a time that is not a number");
    if (seen_time_)
      edge(use);
    seen_time_ = true;
  }

  // Applies one change. For a vector, the rest of the line holds the code.
  void change(std::string_view word, std::string_view& rest) {
    const char first = word[0];
    const bool vector = first == 'b' || first == 'B';
    const bool other = first == 'r' || first == 'R' || first == 's';  // a real or a string: no signal of ours
    if (!vector && !other && std::string_view("01xXzZ").find(first) == std::string_view::npos)
      return report_.skip(here(), "a change that is no value");
    const std::string_view code = vector || other ? take_word(rest) : word.substr(1);
    if (code.empty())
      return report_.skip(here(), "a change without a signal");
    if (other)
      return;
    ++report_.taken;
    const auto slot = slots_.find(std::string(code));
    if (slot == slots_.end())
      return;
    uint64_t value = 0;
    for (const char bit : vector ? word.substr(1) : word.substr(0, 1))
      value = value << 1 | (bit == '1');
    pending_[slot->second] = value;
  }

  struct Bound {
    uint32_t ioreg;
    uint32_t at;
    uint32_t signal;
    std::optional<uint32_t> valid;
  };

  base::InputStream in_;
  const VcdMap& map_;
  base::ReadReport& report_;
  std::string line_;
  std::vector<std::string_view> words_;
  size_t at_ = 0;
  std::map<std::string, std::string> names_;
  std::unordered_map<std::string, uint32_t> slots_;
  std::vector<uint64_t> values_;
  std::vector<uint64_t> pending_;
  std::vector<Bound> bound_;
  uint32_t clock_ = 0;
  std::optional<uint32_t> address_;
  bool seen_time_ = false;
  bool in_comment_ = false;
  bool wanted_ = true;  // use has not returned false
};

}  // namespace

VcdMap parse_vcd_map(const std::string& text, const std::string& file) {
  const spec::YamlNode root = spec::parse_yaml(text, file);
  base::ErrorList errors;
  spec::Fields top(root, errors);
  VcdMap map;
  top.schema("lento.tile-map/1");
  top.required_text("clock", map.clock);
  top.text("address", map.address);
  std::vector<const spec::YamlNode*> inputs;
  top.list("inputs", inputs);
  for (const spec::YamlNode* node : inputs) {
    spec::Fields fields(*node, errors);
    VcdMap::Input input;
    int ioreg = 0;
    int at = 0;
    fields.required_integer("ioreg", ioreg, 0, 31);
    fields.required_text("signal", input.signal);
    fields.integer("at", at, 0, 31);
    fields.text("valid", input.valid);
    fields.finish();
    input.ioreg = uint32_t(ioreg);
    input.at = uint32_t(at);
    map.inputs.push_back(input);
  }
  top.finish();
  errors.throw_if_any();
  if (map.inputs.empty())
    throw base::Error({file}, "the map has no inputs", "list at least one under 'inputs:'");
  return map;
}

bool read_vcd(
    const std::string& path,
    const VcdMap& map,
    base::ReadReport& report,
    const std::function<bool(const VcdCycle&)>& use) {
  return Reader(path, map, report).run(use);
}

}  // namespace lento::tile
