// What a decoder's architecture says that the keys of its config.json do not: whether the feed-forward layer
// is gated, which products have a bias, what is normed, whether embeddings are tied.
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
  std::string_view type;  // model_type
  bool gated = true;
  Norm norm = kScale;
  int norms = 2;  // a layer
  bool tied = false;
  bool query_bias = false;
  bool out_bias = false;
  bool feed_bias = false;
  QueryKeyNorm query_key = kNotNormed;
};

// By `model_type`. Other architectures are refused by name, since a wrong guess looks like an answer: throws
// base::Error at `where`, with `architecture` beside the type.
const Family&
family_of(const std::string& type, const std::string& architecture, const base::Location& where);

}  // namespace lento::predict
