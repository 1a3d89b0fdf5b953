// The network of a chip comes from the reader of configurations that the caller plugs in.
#include "chip/read_network.h"

#include <gtest/gtest.h>

namespace lento::chip {
namespace {

TEST(ReadChipNetwork, AConfigurationGoesThroughTheReaderGiven) {
  spec::TransformerShape shape;
  shape.layers = 2;
  shape.hidden = 64;
  shape.heads = 4;
  shape.ffn = 128;
  shape.patch = 8;
  shape.channels = 3;
  shape.image = 32;
  std::string asked;
  ConfiguredTransformer transformer;
  transformer.read_shape = [&](const std::string& file) {
    asked = file;
    return shape;
  };
  transformer.run.tokens = 0;
  base::ReadReport report;
  EXPECT_FALSE(read_chip_network("some/config.json", {}, transformer, report).operations.empty());
  EXPECT_EQ(asked, "some/config.json");
  EXPECT_FALSE(is_model_config("net.onnx"));
}

}  // namespace
}  // namespace lento::chip
