// Scans JSON with a hand-written loop that recognises the few known keys by length and text, and validates
// the whole text only when something is unusual.
#include "chip/read/noc_events.h"

#include <array>
#include <charconv>

#include "base/error.h"
#include "base/json.h"
#include "base/scan/json_scan.h"

namespace lento::chip {
namespace {

struct Key {
  std::string_view name;
  int64_t NocEvent::*number = nullptr;
  std::string_view NocEvent::*word = nullptr;
};

// Keys sorted by length.
constexpr std::array<Key, 16> kKeys = {{
    {"sx", &NocEvent::sx},
    {"sy", &NocEvent::sy},
    {"dx", &NocEvent::dx},
    {"dy", &NocEvent::dy},
    {"noc", nullptr, &NocEvent::noc},
    {"proc", nullptr, &NocEvent::proc},
    {"type", nullptr, &NocEvent::type},
    {"zone", nullptr, &NocEvent::zone},
    {"num_bytes", &NocEvent::num_bytes},
    {"timestamp", &NocEvent::timestamp},
    {"zone_phase", nullptr, &NocEvent::zone_phase},
    {"run_host_id", &NocEvent::run_host_id},
    {"mcast_end_x", &NocEvent::mcast_end_x},
    {"mcast_end_y", &NocEvent::mcast_end_y},
    {"src_device_id", &NocEvent::src_device_id},
    {"dst_device_id", &NocEvent::dst_device_id},
}};
constexpr size_t kLongest = 13;

// Index of the first key with at least each length.
constexpr std::array<uint8_t, kLongest + 2> kFirst = [] {
  std::array<uint8_t, kLongest + 2> first{};
  for (size_t length = 0; length < first.size(); ++length)
    for (first[length] = 0; first[length] < kKeys.size(); ++first[length])
      if (kKeys[first[length]].name.size() >= length)
        break;
  return first;
}();

// Marks characters that need no decoding in a JSON string: ASCII without control characters, quote and
// backslash. The text ends with a zero byte, which is not marked, so that no loop runs past it.
constexpr std::array<bool, 256> kSimple = [] {
  std::array<bool, 256> simple{};
  for (int c = 0x20; c < 0x7f; ++c)
    simple[size_t(c)] = c != '"' && c != '\\';
  return simple;
}();

class Scanner {
 public:
  Scanner(const std::string& text, const std::string& file)
      : text_(text),
        file_(file),
        at_(text.data()) {
  }

  NocEvents scan() {
    if (!array()) {
      validate();
      throw base::Error({file_}, "not an array of events");
    }
    return std::move(out_);
  }

 private:
  // Parses an array of events.
  bool array() {
    if (!take('['))
      return false;
    if (take(']'))
      return at_end();
    do {
      NocEvent& event = out_.events.emplace_back();
      skip_space();
      if (*at_ == '{' ? !object(event) : !skip_value())
        return false;
    } while (take(','));
    return take(']') && at_end();
  }

  // Parses one event.
  bool object(NocEvent& event) {
    ++at_;
    seen_ = 0;
    if (take('}'))
      return true;
    do {
      if (!member(event))
        return false;
    } while (take(','));
    return take('}');
  }

  // Parses one member of an event.
  bool member(NocEvent& event) {
    skip_space();
    std::string_view name;
    if (*at_ != '"' || !string(name) || !take(':'))
      return false;
    skip_space();
    const Key* key = known(name);
    if (!key)
      return skip_value();
    const uint32_t bit = uint32_t{1} << (key - kKeys.data());
    if (seen_ & bit)
      return false;
    seen_ |= bit;
    if (key->number)
      return number(event.*key->number);
    return *at_ == '"' ? string(event.*key->word) : skip_value();
  }

  // Returns the known key of this name, or null.
  static const Key* known(std::string_view name) {
    if (name.size() > kLongest)
      return nullptr;
    for (size_t i = kFirst[name.size()]; i < kFirst[name.size() + 1]; ++i)
      if (kKeys[i].name == name)
        return &kKeys[i];
    return nullptr;
  }

  // Parses an integer. Any other value counts as absent.
  bool number(int64_t& out) {
    const auto [end, error] = std::from_chars(at_, text_.data() + text_.size(), out);
    const bool whole = error == std::errc() && *end != '.' && *end != 'e' && *end != 'E';
    if (!whole) {
      out = NocEvent::kNone;
      return skip_value();
    }
    at_ = end;
    return true;
  }

  // Parses a string without copying it when it has no escapes.
  bool string(std::string_view& out) {
    const char* begin = ++at_;
    while (kSimple[uint8_t(*at_)])
      ++at_;
    if (*at_ != '"')
      return unusual_string(begin, out);
    out = {begin, size_t(at_ - begin)};
    ++at_;
    return true;
  }

  // Decodes a string with escapes or other alphabets, or reports damage.
  bool unusual_string(const char* begin, std::string_view& out) {
    at_ = begin - 1;
    if (!skip_value())
      return false;
    validate();
    out_.decoded.push_back(base::json_text({begin - 1, size_t(at_ - begin) + 1}));
    out = out_.decoded.back();
    return true;
  }

  // Throws when the text as a whole is not JSON.
  void validate() {
    if (!valid_)
      base::parse_json(text_, file_);
    valid_ = true;
  }

  bool skip_value() {
    const size_t end = base::json_value_end(text_, size_t(at_ - text_.data()));
    if (end == std::string_view::npos)
      return false;
    at_ = text_.data() + end;
    return true;
  }

  void skip_space() {
    while (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')
      ++at_;
  }

  bool take(char c) {
    skip_space();
    if (*at_ != c)
      return false;
    ++at_;
    return true;
  }

  bool at_end() {
    skip_space();
    return at_ == text_.data() + text_.size();
  }

  const std::string& text_;
  const std::string& file_;
  const char* at_;
  uint32_t seen_ = 0;  // bit set of the known keys seen in this object
  bool valid_ = false;
  NocEvents out_;
};

}  // namespace

NocEvents scan_noc_events(const std::string& text, const std::string& file) {
  return Scanner(text, file).scan();
}

}  // namespace lento::chip
