// Any bytes as YAML through the parser that reads all of Lento's input files.
#include "spec/yaml.h"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    lento::spec::parse_yaml(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  } catch (const lento::base::Error&) {
  }
  return 0;
}
