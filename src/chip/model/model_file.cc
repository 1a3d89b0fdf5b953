// Fields are listed once and visited by a writer or a reader. Counts are checked against the bytes that are
// left, and indices against what they index, before anything is used.
#include "chip/model/model_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace lento::chip {
namespace {

namespace fs = std::filesystem;

// The number rises with each change of what a model learns, so that models of earlier versions are learnt
// again.
constexpr std::string_view kMagic = "lento chip model 4\n";
constexpr size_t kDigest = 32;  // hex digits
constexpr uint64_t kMostBytes = uint64_t{1} << 30;
constexpr uint8_t kKinds = 4;

class ModelWriter {
 public:
  template <class T>
  void operator()(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    (*this)(uint64_t{values.size()});
    if constexpr (std::is_trivially_copyable_v<T>)
      bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    else
      for (const T& v : values)
        (*this)(v);
  }
  void operator()(const Dictionary::Setting& s) {
    (*this)(s.setting);
    (*this)(s.step);
    (*this)(s.shift);
  }
  void operator()(const OtherSheet& s) {
    (*this)(s.error);
    (*this)(s.noise);
    (*this)(s.shift);
  }

  std::string bytes;
};

class ModelBytes {
 public:
  explicit ModelBytes(std::string_view bytes)
      : left_(bytes) {
  }

  template <class T>
  void operator()(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    copy(&value, sizeof value);
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    uint64_t count = 0;
    (*this)(count);
    if (count > left_.size()) {
      whole_ = false;
      return;
    }
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (count * sizeof(T) > left_.size()) {
        whole_ = false;
        return;
      }
      values.resize(count);
      copy(values.data(), count * sizeof(T));
    } else {
      values.clear();
      for (uint64_t i = 0; i < count && whole_; ++i)
        (*this)(values.emplace_back());
    }
  }
  void operator()(Dictionary::Setting& s) {
    (*this)(s.setting);
    (*this)(s.step);
    (*this)(s.shift);
  }
  void operator()(OtherSheet& s) {
    (*this)(s.error);
    (*this)(s.noise);
    (*this)(s.shift);
  }

  bool whole() const {
    return whole_ && left_.empty();
  }

 private:
  void copy(void* to, size_t size) {
    if (size > left_.size()) {
      whole_ = false;
      return;
    }
    if (size > 0)
      std::memcpy(to, left_.data(), size);
    left_.remove_prefix(size);
  }

  std::string_view left_;
  bool whole_ = true;
};

template <class Visitor, class Model>
void visit_fields(Visitor& visit, Model& m) {
  auto& d = m.dictionary;
  visit(d.inferences);
  visit(d.run_cycles);
  visit(d.keys);
  visit(d.expected);
  visit(d.cells);
  visit(d.shares);
  visit(d.settings);
  visit(d.sheets);
  visit(d.file_runs);
  visit(m.threshold);
  visit(m.unlike_threshold);
  visit(m.spread);
  visit(m.unlike_spread);
  visit(m.deviance);
  visit(m.limits);
}

bool indices_hold(const Dictionary& d) {
  const size_t cells = d.cells.size();
  const auto of_cells = [cells](const auto& values) {
    return values.size() == cells;
  };
  return d.expected.size() == d.keys.size() && std::ranges::is_sorted(d.keys) &&
         std::ranges::all_of(
             d.keys,
             [](const RecordKey& k) {
               return uint8_t(k.kind) < kKinds;
             }) &&
         std::ranges::all_of(
             d.expected,
             [&](const Dictionary::Expected& e) {
               return e.cell < cells && e.cycles > 0;
             }) &&
         std::ranges::all_of(
             d.cells,
             [&](const Dictionary::Cell& c) {
               return uint8_t(c.kind) < kKinds && c.begin <= c.end && c.end <= d.shares.size() &&
                      c.variance > 0 && c.middle > 0;
             }) &&
         std::ranges::all_of(
             d.shares,
             [&](const Dictionary::Share& s) {
               return s.column < d.columns.size();
             }) &&
         std::ranges::all_of(
             d.settings,
             [&](const Dictionary::Setting& s) {
               return int(s.setting) < kChipSettings && s.step != 0 && of_cells(s.shift);
             }) &&
         std::ranges::all_of(
             d.sheets,
             [&](const OtherSheet& s) {
               return int(s.error) < kSheetErrors && of_cells(s.noise) && of_cells(s.shift);
             }) &&
         d.file_runs.size() == kShiftSeeds && std::ranges::all_of(d.file_runs, of_cells);
}

}  // namespace

void write_model(const std::string& path, const std::string& key, const ChipModel& model) {
  ModelWriter body;
  visit_fields(body, model);
  base::OutputFile out(path);
  out.write(kMagic);
  out.write(base::digest(key));
  out.write(base::digest(body.bytes));
  out.write(body.bytes);
  out.commit();
}

std::optional<ChipModel>
read_model(const std::string& path, const std::string& key, const LearnSetup& setup) {
  std::error_code none;
  if (!fs::is_regular_file(path, none))
    return {};
  std::string text;
  try {
    text = base::read_file(path, kMostBytes);
  } catch (const base::Error&) {
    return {};
  }
  constexpr size_t kHead = kMagic.size() + 2 * kDigest;
  const std::string_view bytes = text;
  if (bytes.size() < kHead || !bytes.starts_with(kMagic) ||
      bytes.substr(kMagic.size(), kDigest) != base::digest(key) ||
      bytes.substr(kMagic.size() + kDigest, kDigest) != base::digest(bytes.substr(kHead)))
    return {};
  ChipModel out{setup, Dictionary(Grid(setup.chip)), {}, std::make_shared<Shifts>(setup)};
  ModelBytes body(bytes.substr(kHead));
  visit_fields(body, out);
  if (!body.whole() || out.dictionary.inferences != setup.inferences || !indices_hold(out.dictionary))
    return {};
  out.parts = part_cells(out.dictionary, setup.chip);
  fs::last_write_time(path, fs::file_time_type::clock::now(), none);  // used now
  return out;
}

void keep_newest_models(const std::string& folder, uint64_t most_bytes) {
  struct KeptFile {
    fs::file_time_type used;
    uint64_t bytes = 0;
    fs::path path;
  };
  std::error_code none;
  std::vector<KeptFile> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    if (entry.is_regular_file(none) && entry.path().extension() == kModelSuffix)
      files.push_back({entry.last_write_time(none), entry.file_size(none), entry.path()});
  std::ranges::sort(files, std::ranges::greater{}, &KeptFile::used);
  uint64_t kept = 0;
  for (const KeptFile& file : files) {
    kept += file.bytes;
    if (kept > most_bytes)
      fs::remove(file.path, none);
  }
}

}  // namespace lento::chip
