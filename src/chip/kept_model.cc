// A model is known by a digest of the bytes of both files and of all else that it depends on. Nothing has to
// be told to forget it: another sheet is another file, and files used longest ago give way.
#include "chip/kept_model.h"

#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "base/version.h"
#include "chip/model/model_file.h"

namespace lento::chip {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostKept = uint64_t{1} << 28;  // bytes

std::string key_of(const ModelPlace& place, const LearnSetup& setup, const LearnOptions& options) {
  std::error_code none;
  if (place.folder.empty() || !fs::is_regular_file(place.chip, none) ||
      !fs::is_regular_file(place.mapping, none))
    return {};
  return base::kVersion +
         (" " + base::digest(base::read_file(place.chip)) + base::digest(base::read_file(place.mapping))) +
         " " + std::to_string(setup.inferences) + " " + std::to_string(options.draws) + " " +
         base::format_number(options.false_alarms, 17);
}

}  // namespace

std::string ModelPlace::path(const LearnSetup& setup, const LearnOptions& options) const {
  const std::string key = key_of(*this, setup, options);
  return key.empty() ? key : (fs::path(folder) / (base::digest(key) + kModelSuffix)).string();
}

std::shared_ptr<const ChipModel>
kept_model(const ModelPlace& place, const LearnSetup& setup, const LearnOptions& options) {
  const std::string path = place.path(setup, options);
  if (path.empty())
    return {};
  std::optional<ChipModel> read = read_model(path, key_of(place, setup, options), setup);
  return read ? std::make_shared<const ChipModel>(std::move(*read)) : nullptr;
}

std::shared_ptr<const ChipModel> learn_and_keep(
    const ModelPlace& place,
    const LearnSetup& setup,
    const LearnOptions& options,
    const base::Progress& progress) {
  auto out = std::make_shared<const ChipModel>(learn(setup, options, progress));
  const std::string path = place.path(setup, options);
  if (path.empty())
    return out;
  std::error_code none;
  fs::create_directories(place.folder, none);
  try {
    write_model(path, key_of(place, setup, options), *out);
    keep_newest_models(place.folder, kMostKept);
  } catch (const base::Error&) {
    fs::remove(path, none);
  }
  return out;
}

}  // namespace lento::chip
