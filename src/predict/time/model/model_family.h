// Lists properties of decoder architectures that their config.json does not state: whether the feed-forward
// layer is gated, which products have a bias, which values are normalised, whether the embeddings are tied.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace lento::predict {

enum Norm {
  kNone = 0,
  kScale = 1,
  kScaleAndShift = 2
};  // vectors a norm learns
enum QueryKeyNorm {
  kNotNormed,
  kPerHead,
  kWhole
};

struct Family {
  std::string_view type;  // the value of the key model_type
  bool gated = true;
  Norm norm = kScale;
  int norms = 2;  // norms in each layer
  bool tied = false;
  bool query_bias = false;
  bool out_bias = false;
  bool feed_bias = false;
  QueryKeyNorm query_key = kNotNormed;
};

// Returns the family of a `model_type`. Throws base::Error at `where` for an unknown architecture, because a
// guess would look like a result. The message contains `architecture` too.
const Family&
family_of(const std::string& type, const std::string& architecture, const base::Location& where);

}  // namespace lento::predict
