// The words of an HTTP server's answers.
#pragma once

#include <cstddef>
#include <string>

#include "base/http.h"

namespace lento::base {

// What is said to a request that no handler sees: 400, 405, 413, 421, 431 or 505.
HttpReply http_refusal(int status);

// Status line and fields, with the blank line behind them, of an answer whose body has `size` bytes.
std::string http_reply_head(const HttpReply& reply, size_t size, bool keep_alive);

}  // namespace lento::base
