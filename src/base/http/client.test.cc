#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "base/http/http.h"
#include "base/rng.h"
#include "base/test_error.h"

namespace lento::base {
namespace {

using test::error_of;
using testing::HasSubstr;
using testing::Not;

std::string body_of(size_t size, const HttpLimits& limits) {
  HttpServer server("127.0.0.1", 0, [&](const HttpQuestion&) {
    return HttpReply{200, std::string(size, 'x'), "text/plain"};
  });
  std::string body;
  const std::string complaint = error_of([&] {
    body = http_get("http://127.0.0.1:" + std::to_string(server.port()) + "/", limits).body;
  });
  return complaint == "no error" ? body : complaint;
}

TEST(HttpGet, TakesExactlyAsMuchAsAllowed) {
  HttpLimits limits;
  limits.max_bytes = 1000;
  EXPECT_EQ(body_of(1000, limits).size(), 1000u);
  EXPECT_THAT(body_of(1001, limits), HasSubstr("the answer is larger than 1000 bytes"));
}

TEST(HttpGet, DoesNotWaitForever) {
  HttpServer server("127.0.0.1", 0, [](const HttpQuestion&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
    return HttpReply{};
  });
  HttpLimits limits;
  limits.timeout_s = 0.1;
  EXPECT_THAT(
      error_of([&] {
        http_get("http://127.0.0.1:" + std::to_string(server.port()) + "/", limits);
      }),
      HasSubstr("the server answers in time"));
}

TEST(HttpGet, OtherSchemesAreNotFollowed) {
  for (const char* url : {"file:///etc/passwd", "ftp://localhost/", "localhost:9090", ""})
    EXPECT_THAT(
        error_of([&] {
          http_get(url);
        }),
        HasSubstr("is not an address of the form http://host:port/path"))
        << url;
}

TEST(HttpRequest, NoRedirectionIsFollowed) {
  HttpServer server("127.0.0.1", 0, [](const HttpQuestion&) {
    return HttpReply{302, "", "text/plain"};
  });
  EXPECT_EQ(http_get("http://127.0.0.1:" + std::to_string(server.port()) + "/").status, 302);
}

TEST(WithoutPassword, HidesThePasswordAndNothingElse) {
  EXPECT_EQ(without_password("http://user:secret@host:9090/p"), "http://user:...@host:9090/p");
  EXPECT_EQ(without_password("https://u:a@b:c@host/"), "https://u:...@host/");
  for (const char* plain :
       {"http://host:9090/path",
        "http://user@host/",
        "http://host/p@q:r",
        "host:9090",
        "user:secret@host",
        ""})
    EXPECT_EQ(without_password(plain), plain);
}

TEST(WithoutPassword, StaysOutOfErrors) {
  const std::string complaint = error_of([] {
    http_get("http://me:hunter2@127.0.0.1:1/");
  });
  EXPECT_THAT(complaint, HasSubstr("http://me:...@127.0.0.1:1/"));
  EXPECT_THAT(complaint, Not(HasSubstr("hunter2")));
}

// The inverse, by the definition.
std::string decoded(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    out += char(std::stoi(text.substr(i + 1, 2), nullptr, 16));
    i += 2;
  }
  return out;
}

TEST(PercentEncoded, EveryByteComesBack) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte)
    all += char(byte);
  const std::string encoded = percent_encoded(all);
  EXPECT_EQ(decoded(encoded), all);
  EXPECT_EQ(
      encoded.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-%"),
      std::string::npos);
}

TEST(PercentEncoded, WhatIsSafeStaysAndNoTwoTextsMeet) {
  EXPECT_EQ(percent_encoded("aZ09_.-"), "aZ09_.-");
  EXPECT_EQ(percent_encoded("a/b c%"), "a%2Fb%20c%25");
  EXPECT_NE(percent_encoded("a/b"), percent_encoded("a%2Fb"));
}

}  // namespace
}  // namespace lento::base
