// The name of a model's file is a digest of the bytes of the chip file, the mapping and all else that the
// model depends on, so that a changed input never meets an old model. When the folder exceeds kMostKept, the
// files that were used longest ago are removed.
#include "chip/kept_model.h"

#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "base/version.h"
#include "chip/chip_file.h"
#include "chip/map/file/map_file.h"
#include "chip/model/model_file.h"
#include "finding/inputs.h"

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

finding::Diagnosis chip_learn(const ChipLearnOptions& options, const base::Progress& progress) {
  const ChipFile file = read_chip_file(options.chip);
  const Program program = expand(read_map(options.mapping), file.twin.chip, options.mapping);
  const LearnSetup setup{file.twin.chip, program, options.inferences, file.twin.own};
  const LearnOptions learning{.false_alarms = options.false_alarms};
  const ModelPlace place{options.models, options.chip, options.mapping};
  const std::string path = place.path(setup, learning);
  if (path.empty())
    throw base::Error(
        {options.models.empty() ? "--models" : options.chip},
        "there is no place to keep what is learnt of this chip",
        "give a folder with --models, and chip and mapping as files");
  std::shared_ptr<const ChipModel> model = kept_model(place, setup, learning);
  const bool known = model != nullptr;
  if (!known)
    model = learn_and_keep(place, setup, learning, progress);
  std::error_code failed;
  const uint64_t bytes = fs::file_size(path, failed);
  if (failed)
    throw base::Error({options.models}, "the model could not be written there", "give another folder");
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = program.name + " on " + file.twin.chip.name;
  d.verdict = known ? "This chip and mapping were known already." : "Learnt this chip and mapping.";
  d.facts = {
      {"file", path},
      {"size", base::format_quantity(double(bytes), base::Dimension::Bytes)},
      {"inferences of a run", std::to_string(options.inferences)},
      {"records expected", std::to_string(model->dictionary.keys.size())},
      {"gain in log likelihood, twice, that a part must exceed", base::format_number(model->threshold, 3)},
      {"the same on a chip unlike its file", base::format_number(model->unlike_threshold, 3)}};
  d.inputs = {finding::input_of("chip", options.chip), finding::input_of("mapping", options.mapping)};
  return d;
}

}  // namespace lento::chip
