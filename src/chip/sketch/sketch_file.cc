// Reads and writes the sketch file, little-endian (docs/formats/sketch.md). Shapes and counts are checked
// before memory is allocated, and the state of every core for consistency.
//   "lento.sketch/1\n"  options  core count  inferences  core*  crc32 of all before it
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/file.h"
#include "chip/sketch/sketch.h"

namespace lento::chip {
namespace {

constexpr std::string_view kMagic = "lento.sketch/1\n";
constexpr uint32_t kMostCores = 1 << 15;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;
constexpr int kMostBinShift = kTickShift + 31;  // ticks have 32 bits

uint32_t checksum(std::string_view bytes) {  // CRC-32, reflected 0xEDB88320
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> t{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t c = i;
      for (int k = 0; k < 8; ++k)
        c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
      t[i] = c;
    }
    return t;
  }();
  uint32_t crc = ~0u;
  for (const char ch : bytes)
    crc = table[(crc ^ uint8_t(ch)) & 255] ^ crc >> 8;
  return ~crc;
}

template <class T>
void put(std::string& out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T> && std::endian::native == std::endian::little);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
void put_all(std::string& out, const std::vector<T>& values) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// Takes values off the front of a buffer. Throws base::Error with the position when the buffer is too short.
class Cursor {
 public:
  Cursor(std::string_view bytes, const std::string& file)
      : bytes_(bytes),
        file_(file) {
  }

  template <class T>
  T take() {
    T value;
    std::memcpy(&value, piece(sizeof(T)).data(), sizeof(T));
    return value;
  }
  template <class T>
  void take_all(std::vector<T>& out) {
    const size_t size = out.size() * sizeof(T);
    if (size > 0)
      std::memcpy(out.data(), piece(size).data(), size);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw base::Error(
        {file_, 0, 0, "byte " + std::to_string(at_)},
        what,
        "record the run again; the file is not what lento wrote");
  }
  size_t left() const {
    return bytes_.size() - at_;
  }

 private:
  std::string_view piece(size_t size) {
    if (size > left())
      fail("the sketch file ends in the middle");
    const std::string_view out = bytes_.substr(at_, size);
    at_ += size;
    return out;
  }
  std::string_view bytes_;
  const std::string& file_;
  size_t at_ = 0;
};

}  // namespace

class SketchCodec {
 public:
  static void put_head(std::string& out, const SketchOptions& options, size_t cores, uint32_t inferences) {
    put(out, options.budget_bytes);
    put(out, options.threshold);
    put(out, uint8_t(options.eviction));
    put(out, uint8_t(options.as_printed));
    put(out, options.ops_per_cycle);
    put(out, options.bin_cycles);
    put(out, uint32_t(cores));
    put(out, inferences);
  }

  static void put_sketch(std::string& out, const Sketch& s) {
    put_head(out, s.options_, s.cores_.size(), s.inferences_);
    for (const CoreSketch& core : s.cores_)
      put_core(out, core);
  }

  // Reads a whole sketch after its checksum was verified.
  static Sketch take_sketch(Cursor& in) {
    Sketch s;
    s.options_.budget_bytes = in.take<uint32_t>();
    s.options_.threshold = in.take<uint32_t>();
    const auto eviction = in.take<uint8_t>();
    if (eviction > uint8_t(Eviction::Random))
      in.fail("the eviction policy is not known");
    s.options_.eviction = static_cast<Eviction>(eviction);
    s.options_.as_printed = in.take<uint8_t>() != 0;
    s.options_.ops_per_cycle = in.take<double>();
    if (!(s.options_.ops_per_cycle > 0) || s.options_.ops_per_cycle > 1e9)
      in.fail("the compute rate is impossible");
    s.options_.bin_cycles = in.take<uint64_t>();
    if (s.options_.bin_cycles > uint64_t{1} << kMostBinShift)
      in.fail("the time bins are impossibly wide");
    const auto cores = in.take<uint32_t>();
    if (cores > kMostCores)
      in.fail("the sketch has more cores than any chip");
    s.inferences_ = in.take<uint32_t>();
    if (s.inferences_ > kMostInferences)
      in.fail("the sketch is of more inferences than any run");
    s.cores_.reserve(cores);
    for (uint32_t i = 0; i < cores; ++i)
      s.cores_.push_back(take_core(in, s.options_));
    return s;
  }

 private:
  static void put_core(std::string& out, const CoreSketch& c) {
    put(out, c.shape_);
    put(out, c.state_);
    put_all(out, c.buckets_);
    put_all(out, c.entries_);
    put_all(out, c.bins_);
    put_all(out, c.episodes_);
  }

  // Reads the sketch of one core.
  static CoreSketch take_core(Cursor& in, const SketchOptions& options) {
    const auto shape = in.take<SketchShape>();
    check_shape(in, shape, options);
    CoreSketch c(shape, options);
    c.state_ = in.take<CoreSketch::State>();
    in.take_all(c.buckets_);
    in.take_all(c.entries_);
    in.take_all(c.bins_);
    in.take_all(c.episodes_);
    check_state(in, c);
    c.rebuild_index();
    for (const int list : {0, 1})
      c.note_last_of_sample(list);
    return c;
  }

  // Throws base::Error for impossible capacities of a sketch.
  static void check_shape(const Cursor& in, const SketchShape& s, const SketchOptions& options) {
    const bool buckets_fit = s.hashes == 0 ? s.buckets == 0 : std::has_single_bit(unsigned{s.buckets});
    const bool entries_fit = s.computes >= 1 && s.transfers >= 1 && s.computes + s.transfers <= 254;
    if (!buckets_fit || s.octaves < 1 || s.octaves > 63 || s.hashes > 64 || !entries_fit || s.bins < 2 ||
        !std::has_single_bit(unsigned{s.bins}))
      in.fail("the capacities of a core's sketch are impossible");
    if (s.bytes() > options.budget_bytes)
      in.fail("a core's sketch is larger than the budget it names");
    if (s.bytes() / 2 > in.left())
      in.fail("the sketch file ends in the middle");
  }

  // Throws base::Error for impossible counters of a sketch.
  static void check_state(const Cursor& in, const CoreSketch& c) {
    const CoreSketch::State& s = c.state_;
    if (s.used[0] > c.shape_.computes || s.used[1] > c.shape_.transfers || s.episodes > c.shape_.episodes ||
        s.bin_shift < kTickShift || s.bin_shift > kMostBinShift)
      in.fail("the counters of a core's sketch are impossible");
    for (size_t slot = 0; slot < c.entries_.size(); ++slot) {
      const bool compute = slot < c.shape_.computes;
      const bool used = compute ? slot < s.used[0] : slot - c.shape_.computes < s.used[1];
      const SketchEntry& entry = c.entries_[slot];
      const bool is_compute = Pattern::unpack(entry.key).kind == chip::ProbeKind::Compute;
      if (used != (entry.key != 0) || (used && compute != is_compute) || !std::isfinite(entry.mean_work) ||
          entry.mean_work < 0)
        in.fail("an entry of a core's sketch is impossible");
    }
  }
};

std::string encode_sketch(const Sketch& sketch) {
  std::string out(kMagic);
  SketchCodec::put_sketch(out, sketch);
  return with_checksum(std::move(out));
}

Sketch sketch_from_states(
    std::span<const SketchShape> shapes,
    const SketchOptions& options,
    uint32_t inferences,
    std::span<const std::string> states) {
  LENTO_CHECK(shapes.size() == states.size(), "a recorder has no shape");
  std::string out;
  SketchCodec::put_head(out, options, shapes.size(), inferences);
  for (size_t i = 0; i < shapes.size(); ++i) {
    put(out, shapes[i]);
    out += states[i];
  }
  const std::string name = "recorders";
  Cursor in(out, name);
  Sketch sketch = SketchCodec::take_sketch(in);
  if (in.left() > 0)
    in.fail("a recorder sent more than it keeps");
  return sketch;
}

std::string with_checksum(std::string bytes) {
  put(bytes, checksum(bytes));
  return bytes;
}

// Decodes a sketch file after checking version and checksum.
Sketch decode_sketch(std::string_view bytes, const std::string& file) {
  if (!looks_like_sketch(bytes))
    throw base::Error(
        {file},
        "this is not a sketch of version 1",
        "write one with: lento chip diagnose RECORDS --sketch FILE");
  uint32_t stored = 0;
  const size_t payload = bytes.size() - std::min(bytes.size(), sizeof stored);
  if (payload < kMagic.size())
    Cursor("", file).fail("the sketch file ends in the middle");
  Cursor in(bytes.substr(kMagic.size(), payload - kMagic.size()), file);
  std::memcpy(&stored, bytes.data() + bytes.size() - sizeof stored, sizeof stored);
  if (checksum(bytes.substr(0, bytes.size() - sizeof stored)) != stored)
    in.fail("the checksum does not agree");
  Sketch sketch = SketchCodec::take_sketch(in);
  if (in.left() > 0)
    in.fail("the sketch file goes on after its last core");
  return sketch;
}

void write_sketch(const std::string& path, const Sketch& sketch) {
  base::write_file(path, encode_sketch(sketch));
}

Sketch read_sketch(const std::string& path) {
  base::InputStream in(path);
  return read_sketch(in);
}

Sketch read_sketch(base::InputStream& in) {
  return decode_sketch(base::read_all(in, kMostBytes), in.path());
}

bool looks_like_sketch(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

}  // namespace lento::chip
