// Interprets the data opcodes of a pickle: a stack of values, marks that open lists and dictionaries, and a
// memo of numbered values. `Unpickler::step` lists the opcodes that PyTorch's serialiser (protocol 2, C++)
// and Python's own write for plain data. All others are refused.
//
// Invariants: (1) the document owns every value, and stack and memo hold pointers to values. (2) An opcode
// removes no more values than the stack holds above the last mark.
#include "fleet/ranks/read/pickle.h"

#include <bit>
#include <charconv>
#include <unordered_map>

#include "base/error.h"

namespace lento::fleet::ranks {
namespace {

using Kind = PlainValue::Kind;

class Unpickler {
 public:
  Unpickler(std::string_view bytes, const std::string& file)
      : bytes_(bytes),
        file_(file) {
  }

  // Interprets the opcodes of the pickle. Only plain values are allowed.
  PlainDocument run() {
    while (step()) {
    }
    if (stack_.size() != 1)
      fail("the pickle does not leave exactly one value");
    document_.root = stack_.back();
    return std::move(document_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const char* hint = "") {
    throw base::Error({file_}, what + " (byte " + std::to_string(at_) + ")", hint);
  }

  std::string_view take(uint64_t size) {
    if (size > bytes_.size() - at_)
      fail("the pickle ends early");
    const std::string_view part = bytes_.substr(at_, size);
    at_ += size;
    return part;
  }

  uint64_t little(int size) {
    uint64_t value = 0;
    const std::string_view part = take(size);
    for (int i = 0; i < size; ++i)
      value |= uint64_t{uint8_t(part[i])} << (8 * i);
    return value;
  }

  PlainValue& push(Kind kind) {
    if (document_.values.size() >= PlainDocument::kMostValues)
      fail("the pickle holds over 4 million values");
    PlainValue& value = document_.make(kind);
    stack_.push_back(&value);
    return value;
  }
  void push_int(int64_t number) {
    push(Kind::Int).number = number;
  }
  void push_text(uint64_t size) {
    push(Kind::Text).text = std::string(take(size));
  }

  // Pushes an integer in two's complement, lowest byte first. Counters and times need no more than 8 bytes.
  void push_long(uint64_t size) {
    if (size > 8)
      fail("a whole number of over 64 bits");
    if (size == 0)
      return push_int(0);
    uint64_t value = little(int(size));
    const bool negative = value >> (8 * size - 1) & 1;
    if (negative && size < 8)
      value |= ~uint64_t{0} << (8 * size);
    push_int(int64_t(value));
  }

  void push_real() {
    uint64_t bits = 0;
    for (const char c : take(8))
      bits = bits << 8 | uint8_t(c);
    push(Kind::Real).real = std::bit_cast<double>(bits);
  }

  // Returns the number of values above the last mark, or in all when no mark is open.
  size_t above() const {
    return stack_.size() - (marks_.empty() ? 0 : marks_.back());
  }
  PlainValue* top(Kind kind) {
    if (above() == 0 || stack_.back()->kind != kind)
      fail("an item without its list or dictionary");
    return stack_.back();
  }

  // Closes the last mark and returns the values above it.
  std::vector<const PlainValue*> since_mark() {
    if (marks_.empty())
      fail("the end of a list that was not begun");
    const std::vector<const PlainValue*> items(
        stack_.begin() + static_cast<ptrdiff_t>(marks_.back()),
        stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }

  // Appends items to the list or dictionary below them on the stack.
  void append(Kind kind, const std::vector<const PlainValue*>& items) {
    if (kind == Kind::Dict && items.size() % 2 != 0)
      fail("a key without a value");
    PlainValue* into = top(kind);
    into->items.insert(into->items.end(), items.begin(), items.end());
  }

  // Removes the last values from the stack and returns them.
  std::vector<const PlainValue*> last(size_t count) {
    if (above() < count)
      fail("too few values");
    const std::vector<const PlainValue*> items(stack_.end() - static_cast<ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return items;
  }

  void collect(Kind kind, std::vector<const PlainValue*> items) {
    if (kind == Kind::Dict && items.size() % 2 != 0)
      fail("a key without a value");
    push(kind).items = std::move(items);
  }

  // Stores the top value in the memo under a number.
  void remember(uint64_t slot) {
    if (above() == 0)
      fail("nothing to remember");
    if (memo_.size() >= PlainDocument::kMostValues)
      fail("too many remembered values");
    memo_[slot] = stack_.back();
  }
  // Pushes the value that the memo holds under a number.
  void recall(uint64_t slot) {
    const auto found = memo_.find(slot);
    if (found == memo_.end())
      fail("a value that was not remembered");
    if (stack_.size() >= PlainDocument::kMostValues)
      fail("the pickle holds over 4 million values");
    stack_.push_back(found->second);
  }

  bool step();

  std::string_view bytes_;
  const std::string& file_;
  size_t at_ = 0;
  PlainDocument document_;
  std::vector<PlainValue*> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, PlainValue*> memo_;
};

bool Unpickler::step() {
  const auto code = uint8_t(take(1)[0]);
  switch (code) {
    case 0x80:
      take(1);
      break;  // protocol
    case 0x95:
      take(8);
      break;  // frame
    case '.':
      return false;  // stop
    case '(':
      marks_.push_back(stack_.size());
      break;
    case '0':
      last(1);
      break;
    case 'N':
      push(Kind::None);
      break;
    case 0x88:
      push(Kind::Bool).number = 1;
      break;
    case 0x89:
      push(Kind::Bool).number = 0;
      break;
    case 'K':
      push_int(int64_t(little(1)));
      break;
    case 'M':
      push_int(int64_t(little(2)));
      break;
    case 'J':
      push_int(int32_t(little(4)));
      break;
    case 0x8a:
      push_long(little(1));
      break;
    case 'G':
      push_real();
      break;
    case 'X':
    case 'T':
      push_text(little(4));
      break;
    case 0x8c:
    case 'U':
      push_text(little(1));
      break;
    case 0x8d:
      push_text(little(8));
      break;
    case ']':
      push(Kind::List);
      break;
    case ')':
      push(Kind::List);
      break;
    case '}':
      push(Kind::Dict);
      break;
    case 'l':
    case 't':
      collect(Kind::List, since_mark());
      break;
    case 'd':
      collect(Kind::Dict, since_mark());
      break;
    case 0x85:
      collect(Kind::List, last(1));
      break;
    case 0x86:
      collect(Kind::List, last(2));
      break;
    case 0x87:
      collect(Kind::List, last(3));
      break;
    case 'a':
      append(Kind::List, last(1));
      break;
    case 'e':
      append(Kind::List, since_mark());
      break;
    case 's':
      append(Kind::Dict, last(2));
      break;
    case 'u':
      append(Kind::Dict, since_mark());
      break;
    case 'q':
      remember(little(1));
      break;
    case 'r':
      remember(little(4));
      break;
    case 0x94:
      remember(memo_.size());
      break;
    case 'h':
      recall(little(1));
      break;
    case 'j':
      recall(little(4));
      break;
    case 'c':
    case 0x93:
    case 'R':
    case 'b':
    case 'i':
    case 'o':
    case 0x81:
    case 0x92:
    case 'P':
    case 'Q':
    case 0x82:
    case 0x83:
    case 0x84:
      --at_;
      fail(
          "the pickle would import or call something",
          "a flight recorder's dump holds plain data only: do not load this file in Python either");
    default:
      --at_;
      fail("an opcode that a flight recorder does not write");
  }
  return true;
}

}  // namespace

PlainValue& PlainDocument::make(PlainValue::Kind kind) {
  PlainValue& value = values.emplace_back();
  value.kind = kind;
  return value;
}

const PlainValue* PlainValue::find(std::string_view key) const {
  if (kind != Kind::Dict)
    return nullptr;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i]->kind == Kind::Text && items[i]->text == key)
      return items[i + 1];
  }
  return nullptr;
}

int64_t PlainValue::integer(int64_t otherwise) const {
  if (kind == Kind::Int || kind == Kind::Bool)
    return number;
  if (kind != Kind::Text)
    return otherwise;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && !text.empty())
    return value;
  return otherwise;
}

PlainDocument parse_pickle(std::string_view bytes, const std::string& file) {
  return Unpickler(bytes, file).run();
}

namespace {

// Converts JSON to the values of a pickle.
PlainValue* plain_value(const base::Json& json, PlainDocument& document) {
  if (json.is_object()) {
    PlainValue& dict = document.make(Kind::Dict);
    for (const auto& [key, value] : json.members()) {
      PlainValue& name = document.make(Kind::Text);
      name.text = key;
      dict.items.push_back(&name);
      dict.items.push_back(plain_value(value, document));
    }
    return &dict;
  }
  if (json.is_array()) {
    PlainValue& list = document.make(Kind::List);
    for (const base::Json& item : json.items())
      list.items.push_back(plain_value(item, document));
    return &list;
  }
  PlainValue& value = document.make(Kind::None);
  if (json.is_string()) {
    value.kind = Kind::Text;
    value.text = json.string({});
  } else if (json.is_bool()) {
    value.kind = Kind::Bool;
    value.number = json.boolean({});
  } else if (json.is_int()) {
    value.kind = Kind::Int;
    value.number = json.integer({});
  } else if (json.is_number()) {
    value.kind = Kind::Real;
    value.real = json.number({});
  }
  return &value;
}

}  // namespace

PlainDocument plain_of(const base::Json& json) {
  PlainDocument document;
  document.root = plain_value(json, document);
  return document;
}

}  // namespace lento::fleet::ranks
