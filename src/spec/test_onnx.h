// Writes small ONNX models for tests, with only the protobuf fields that a graph needs.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace lento::spec::test {

class OnnxModel {
 public:
  using Shape = std::vector<int64_t>;
  struct Attribute {
    std::string name;
    std::vector<int64_t> values;
    bool list = true;
  };

  // Adds an input. A dimension of 0 is written as the symbol "open".
  OnnxModel& input(const std::string& name, const Shape& shape) {
    return add(11, value_info(name, shape));
  }
  OnnxModel& output(const std::string& name, const Shape& shape = {}) {
    return add(12, value_info(name, shape));
  }
  OnnxModel& stated(const std::string& name, const Shape& shape) {
    return add(13, value_info(name, shape));
  }

  // Adds an initializer whose numbers are not in the file.
  OnnxModel& weight(const std::string& name, const Shape& shape) {
    std::string tensor;
    for (const int64_t d : shape)
      number(tensor, 1, d);
    number(tensor, 2, 1);  // FLOAT
    bytes(tensor, 8, name);
    number(tensor, 14, 1);  // EXTERNAL
    return add(5, tensor);
  }
  OnnxModel& floats(const std::string& name, const Shape& shape, const std::vector<float>& values) {
    std::string tensor;
    std::string raw(values.size() * sizeof(float), '\0');
    std::memcpy(raw.data(), values.data(), raw.size());
    for (const int64_t d : shape)
      number(tensor, 1, d);
    number(tensor, 2, 1);  // FLOAT
    bytes(tensor, 8, name);
    bytes(tensor, 9, raw);
    return add(5, tensor);
  }
  OnnxModel& integers(const std::string& name, const Shape& values) {
    std::string tensor;
    number(tensor, 1, int64_t(values.size()));
    number(tensor, 2, 7);  // INT64
    for (const int64_t v : values)
      number(tensor, 7, v);
    bytes(tensor, 8, name);
    return add(5, tensor);
  }
  OnnxModel& node(
      const std::string& type,
      const std::vector<std::string>& inputs,
      const std::vector<std::string>& outputs,
      const std::vector<Attribute>& attributes = {}) {
    std::string text;
    for (const auto& i : inputs)
      bytes(text, 1, i);
    for (const auto& o : outputs)
      bytes(text, 2, o);
    bytes(text, 3, outputs.front());
    bytes(text, 4, type);
    for (const Attribute& a : attributes) {
      std::string attribute;
      bytes(attribute, 1, a.name);
      for (const int64_t v : a.values)
        number(attribute, a.list ? 8 : 3, v);
      number(attribute, 20, a.list ? 7 : 2);
      bytes(text, 5, attribute);
    }
    return add(1, text);
  }
  // Adds a convolution with weights [k, c, r, r], stride and padding.
  OnnxModel& conv(
      const std::string& in,
      const std::string& out,
      const Shape& weights,
      int64_t stride = 1,
      int64_t pad = 0,
      int64_t group = 1) {
    weight(out + ".w", weights);
    return node(
        "Conv",
        {in, out + ".w"},
        {out},
        {{"strides", {stride, stride}}, {"pads", {pad, pad, pad, pad}}, {"group", {group}, false}});
  }
  // Adds y = x w, where w is a matrix of rows x columns.
  OnnxModel& linear(const std::string& in, const std::string& out, int64_t rows, int64_t columns) {
    weight(out + ".w", {rows, columns});
    return node("MatMul", {in, out + ".w"}, {out});
  }

  std::string bytes() const {
    std::string model;
    number(model, 1, 7);  // ir_version
    bytes(model, 7, graph_);
    return model;
  }

 private:
  static void varint(std::string& out, uint64_t v) {
    for (; v >= 128; v >>= 7)
      out += char(v | 128);
    out += char(v);
  }
  static void number(std::string& out, int field, int64_t value) {
    varint(out, uint64_t(field) << 3);
    varint(out, uint64_t(value));
  }
  static void bytes(std::string& out, int field, const std::string& text) {
    varint(out, uint64_t(field) << 3 | 2);
    varint(out, text.size());
    out += text;
  }
  static std::string value_info(const std::string& name, const Shape& shape) {
    std::string dims;
    std::string tensor;
    std::string type;
    std::string info;
    for (const int64_t d : shape) {
      std::string dim;
      if (d == 0)
        bytes(dim, 2, "open");
      else
        number(dim, 1, d);
      bytes(dims, 1, dim);
    }
    number(tensor, 1, 1);
    bytes(tensor, 2, dims);
    bytes(type, 1, tensor);
    bytes(info, 1, name);
    if (!shape.empty())
      bytes(info, 2, type);  // without: nothing is stated
    return info;
  }
  OnnxModel& add(int field, const std::string& text) {
    bytes(graph_, field, text);
    return *this;
  }

  std::string graph_;
};

// An inverted bottleneck with squeeze and excitation, swish as separate operators, a residual and a
// classifier, as in MobileNet and EfficientNet.
inline OnnxModel mobile_block() {
  OnnxModel m;
  m.input("x", {0, 3, 32, 32});
  m.conv("x", "stem", {16, 3, 3, 3}, 2, 1)
      .node("Sigmoid", {"stem"}, {"s0"})
      .node("Mul", {"stem", "s0"}, {"a0"});
  m.conv("a0", "expand", {48, 16, 1, 1}).node("Clip", {"expand"}, {"a1"});
  m.conv("a1", "depthwise", {48, 1, 3, 3}, 1, 1, 48).node("HardSwish", {"depthwise"}, {"a2"});
  m.node("GlobalAveragePool", {"a2"}, {"squeeze"});
  m.conv("squeeze", "fc1", {12, 48, 1, 1}).node("Relu", {"fc1"}, {"r1"});
  m.conv("r1", "fc2", {48, 12, 1, 1})
      .node("Sigmoid", {"fc2"}, {"gate"})
      .node("Mul", {"a2", "gate"}, {"scaled"});
  m.conv("scaled", "project", {16, 48, 1, 1}).node("Add", {"project", "a0"}, {"sum"});
  m.node("GlobalAveragePool", {"sum"}, {"pooled"}).node("Flatten", {"pooled"}, {"flat"});
  m.linear("flat", "logits", 16, 10).output("logits");
  return m;
}

// Two branches joined along channels, then a grouped convolution and a padded pool, as in DenseNet, Inception
// and ResNeXt.
inline OnnxModel branches() {
  OnnxModel m;
  m.input("x", {1, 8, 17, 17});
  m.conv("x", "left", {6, 8, 1, 1}).conv("x", "right", {10, 8, 3, 3}, 1, 1);
  m.node("MaxPool", {"x"}, {"pool"}, {{"kernel_shape", {3, 3}}, {"strides", {1, 1}}, {"pads", {1, 1, 1, 1}}});
  m.node("Concat", {"left", "right", "pool"}, {"joined"}, {{"axis", {1}, false}});
  m.node("Relu", {"joined"}, {"r"});
  m.conv("r", "grouped", {12, 6, 3, 3}, 2, 0, 4);
  m.node("Split", {"grouped"}, {"first", "second"}, {{"axis", {1}, false}});
  m.conv("second", "tail", {4, 6, 1, 1}).node("Concat", {"first", "tail"}, {"y"}, {{"axis", {1}, false}});
  m.conv("y", "z", {5, 10, 3, 3}).output("z");
  return m;
}

// One attention layer as exporters write it: fused projection, split, heads, two products of activations,
// softmax.
inline OnnxModel attention() {
  OnnxModel m;
  m.input("x", {1, 10, 24})
      .integers("heads", {1, 10, 3, 3, 8})
      .integers("merged", {1, 10, 24})
      .integers("axis0", {0});
  m.node("LayerNormalization", {"x"}, {"n"}).linear("n", "qkv", 24, 72);
  m.node("Reshape", {"qkv", "heads"}, {"h"}).node("Transpose", {"h"}, {"t"}, {{"perm", {2, 0, 3, 1, 4}}});
  m.node("Split", {"t"}, {"q0", "k0", "v0"}, {{"axis", {0}, false}});
  for (const std::string p : {"q", "k", "v"})
    m.node("Squeeze", {p + "0", "axis0"}, {p});
  m.node("Transpose", {"k"}, {"kt"}, {{"perm", {0, 1, 3, 2}}}).node("MatMul", {"q", "kt"}, {"scores"});
  m.node("Softmax", {"scores"}, {"p"}, {{"axis", {-1}, false}}).node("MatMul", {"p", "v"}, {"heads_out"});
  m.node("Transpose", {"heads_out"}, {"back"}, {{"perm", {0, 2, 1, 3}}})
      .node("Reshape", {"back", "merged"}, {"m"});
  m.linear("m", "projected", 24, 24).node("Add", {"projected", "x"}, {"y"});
  m.linear("y", "up", 24, 96).node("Gelu", {"up"}, {"g"}).linear("g", "down", 96, 24).output("down");
  return m;
}

}  // namespace lento::spec::test
