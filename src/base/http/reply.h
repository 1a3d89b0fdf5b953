// Composes the head of an HTTP answer and the fixed answers to refused requests.
#pragma once

#include <cstddef>
#include <string>

#include "base/http/http.h"

namespace lento::base {

// Returns the answer to a request that is refused before any handler runs: 400, 405, 413, 421, 431 or 505.
HttpReply http_refusal(int status);

// Composes the status line and the fields, with the blank line after them, of an answer whose body has `size`
// bytes.
std::string http_reply_head(const HttpReply& reply, size_t size, bool keep_alive);

}  // namespace lento::base
