#include "base/http/head.h"

#include <gtest/gtest.h>

namespace lento::base {
namespace {

constexpr size_t kMost = 8192;

HttpHead parse(const std::string& text) {
  return parse_http_head(text, kMost);
}

TEST(HttpHead, AnOrdinaryRequest) {
  const std::string text =
      "GET /report/a%20b.json?token=x HTTP/1.1\r\nhost: localhost:8099\r\nAuthorization: bearer  secret \r\n"
      "If-None-Match: \"tag\"\r\n\r\nGET /next";
  const HttpHead head = parse(text);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(text.substr(head.size), "GET /next");
  EXPECT_EQ(head.question.path, "/report/a b.json");
  EXPECT_EQ(head.question.query, "token=x");
  EXPECT_EQ(head.question.host, "localhost:8099");
  EXPECT_EQ(head.question.bearer, "secret");
  EXPECT_EQ(head.question.if_none_match, "\"tag\"");
  EXPECT_TRUE(head.question.keep_alive);
}

TEST(HttpHead, IncompleteAndTooLarge) {
  EXPECT_EQ(parse("").status, 0);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: a\r\n").status, 0);
  EXPECT_EQ(parse(std::string(kMost + 1, 'x')).status, 431);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(kMost, 'x') + "\r\n\r\n").status, 431);
}

TEST(HttpHead, WhatTwoReadersCouldReadDifferentlyIsRefused) {
  const std::string ask = "GET / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(parse(ask + "Host: b\r\n\r\n").status, 400);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\n\r\n").status, 400);
  EXPECT_EQ(parse(ask + "X : y\r\n\r\n").status, 400);
  EXPECT_EQ(parse(ask + " folded\r\n\r\n").status, 400);
  EXPECT_EQ(parse(ask + "X: a\nY: b\r\n\r\n").status, 400);
  EXPECT_EQ(parse("GET  / HTTP/1.1\r\nHost: a\r\n\r\n").status, 400);
  EXPECT_EQ(parse("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n").status, 400);
  EXPECT_EQ(parse("GET / HTTP/2\r\nHost: a\r\n\r\n").status, 505);
  EXPECT_EQ(parse(ask + "Transfer-Encoding: chunked\r\n\r\n").status, 413);
  EXPECT_EQ(parse(ask + "Content-Length: 5\r\n\r\n").status, 413);
  EXPECT_EQ(parse(ask + "Content-Length: -5\r\n\r\n").status, 400);
  EXPECT_EQ(parse("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n").status, 405);
}

TEST(HttpHead, ClosesWhenAskedAndForOldClients) {
  EXPECT_FALSE(parse("GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n").question.keep_alive);
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\n\r\n").question.keep_alive);
  EXPECT_TRUE(parse("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").question.head_only);
}

TEST(HttpHead, ValuesOfAQuery) {
  EXPECT_EQ(query_value("a=1&b=x+y%26z&c", "b"), "x y&z");
  EXPECT_EQ(query_value("a=1&b=2", "c"), "");
  EXPECT_EQ(query_value("", "a"), "");
  EXPECT_EQ(percent_decoded("a%2", false), "a%2");
}

TEST(HttpHead, LoopbackNames) {
  for (const char* host : {"localhost", "LocalHost:80", "127.0.0.1", "127.1.2.3:9", "[::1]", "[::1]:8099"})
    EXPECT_TRUE(is_loopback_host(host)) << host;
  for (const char* host :
       {"",
        "127.evil.com",
        "127.0.0.1.nip.io",
        "localhost:80@evil",
        "localhost:",
        "128.0.0.1",
        "127.0.0.256",
        "127.0.0",
        "[::1",
        "[::1]x",
        "::1",
        "localhost."})
    EXPECT_FALSE(is_loopback_host(host)) << host;
}

}  // namespace
}  // namespace lento::base
