// Composes HTTP answers. Every answer forbids caching, content sniffing and referrers, because reports
// contain names of files and hosts.
#include "base/http/reply.h"

namespace lento::base {
namespace {

// Returns the reason phrase of an HTTP status.
const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 505:
      return "HTTP Version Not Supported";
    default:
      if (status < 500)
        return "Answer";
      return "Error";
  }
}

}  // namespace

HttpReply http_refusal(int status) {
  constexpr const char* kText = "text/plain; charset=utf-8";
  if (status == 405)
    return {405, "only GET and HEAD are answered\n", kText};
  if (status == 413)
    return {413, "bodies are not accepted\n", kText};
  if (status == 431)
    return {431, "the head of the request is too large\n", kText};
  if (status == 421)
    return {421, "this server answers to loopback names only, such as localhost\n", kText};
  if (status == 505)
    return {505, "HTTP/1.0 and HTTP/1.1 are spoken here\n", kText};
  return {400, "this is no HTTP request\n", kText};
}

std::string http_reply_head(const HttpReply& reply, size_t size, bool keep_alive) {
  std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " " + reason_of(reply.status) + "\r\n";
  const auto field = [&](const char* name, const std::string& value) {
    if (!value.empty())
      text += std::string(name) + ": " + value + "\r\n";
  };
  field("Content-Type", reply.type);
  field("Content-Length", std::to_string(size));
  field("Cache-Control", "no-store");
  field("X-Content-Type-Options", "nosniff");
  field("Referrer-Policy", "no-referrer");
  field("Content-Security-Policy", reply.policy);
  field("ETag", reply.etag);
  if (reply.status == 405)
    field("Allow", "GET, HEAD");
  field("Connection", keep_alive ? "keep-alive" : "close");
  return text + "\r\n";
}

}  // namespace lento::base
