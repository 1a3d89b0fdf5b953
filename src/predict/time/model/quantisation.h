// Reads from a config.json in which format a checkpoint stores its weights and its key-value cache.
#pragma once

#include "predict/time/model/config_keys.h"
#include "predict/time/model/transformer.h"

namespace lento::predict {

// Reads 'quantization_config'. Throws base::Error that names the method or the field when the format is not
// modelled, because weights taken for 16 bits would be counted at twice to four times their size.
void read_quantisation(const Config& config, Transformer& model);

}  // namespace lento::predict
