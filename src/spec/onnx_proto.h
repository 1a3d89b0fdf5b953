// Helpers of both ONNX readers: numbers of tensors and attributes of nodes. Internal to spec.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "spec/network.h"

namespace onnx {
class NodeProto;
class TensorProto;
}  // namespace onnx

namespace lento::spec {

// Numbers the values of a graph by name, in the order in which nodes produce them.
class ValueNames {
 public:
  int add(const std::string& name, const base::Location& where);  // throws when it is made twice
  int find(
      const std::string& name,
      const base::Location& where) const;  // throws when nothing before makes it
  bool contains(const std::string& name) const {
    return ids_.contains(name);
  }

 private:
  std::unordered_map<std::string, int> ids_;
};

// Returns the operation of a node with its values numbered: inputs by `names`, outputs by `add(name)`.
Operation operation_of(
    const onnx::NodeProto& node,
    const ValueNames& names,
    const base::Location& where,
    const std::function<int(const std::string&)>& add);

// Returns the location "node[3] 'conv1' (Conv)". Throws when the node has no output.
base::Location node_location(const std::string& file, const onnx::NodeProto& node, int i);

// Returns the location "input[3] 'image'".
base::Location
value_location(const std::string& file, const std::string& list, int i, const std::string& name);

void check_nodes(const std::string& file, int nodes);  // throws above 200,000

int element_bytes(int data_type);
bool is_integer(int data_type);  // INT64, INT32 or BOOL: the types whose numbers are kept as integers

// Returns the numbers of a FLOAT or is_integer tensor, fewer than `count` when the file does not hold them.
std::vector<double> tensor_numbers(const onnx::TensorProto& tensor, size_t count);

// Rounds toward zero and clamps to the range of int64_t.
int64_t to_integer(double v);

// Reads integers, numbers and texts. Floats are kept in millionths.
void read_attributes(const onnx::NodeProto& node, Operation& op);
int64_t millionths(double v);

}  // namespace lento::spec
