// Writes one run record of a serving benchmark, from any tool.
#pragma once

#include <optional>
#include <string>

#include "desk/read/format.h"

namespace lento::desk {

struct ServingResult {
  std::string tool;
  std::string model;
  std::optional<double> requests;
  std::optional<double> duration_s;
  std::optional<double> input_tokens;   // of all requests
  std::optional<double> output_tokens;  // of all requests
  std::optional<double> asked_rate;     // requests per second that the client sent; none: as fast as possible
  std::optional<double> request_rate;   // requests per second that were served
  std::optional<double> token_rate;     // tokens per second
  std::optional<double> first_token_s;  // median, else mean
  std::optional<double> token_time_s;   // time per token after the first: median, else mean
  bool is_empty() const {
    return !request_rate && !token_rate;
  }
};

// Writes a run of the kind "serving benchmark" with one value for each measured quantity.
void write_serving(const ServingResult& result, Sink& sink);

}  // namespace lento::desk
