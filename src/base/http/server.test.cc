#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/http/http.h"
#include "base/test_error.h"

namespace lento::base {
namespace {

using test::error_of;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

HttpReply text_reply(std::string body) {
  return {200, std::move(body), "text/plain"};
}

std::string url_of(const HttpServer& server, const std::string& path = "/") {
  return "http://127.0.0.1:" + std::to_string(server.port()) + path;
}

// A socket of its own, for requests that no client would send.
class Wire {
 public:
  explicit Wire(int port)
      : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(uint16_t(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    const timeval patience{10, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~Wire() {
    ::close(fd_);
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  void send(std::string_view bytes) {
    EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), ssize_t(bytes.size()));
  }
  // Until the text ends with `end`, or the server closes.
  std::string until(std::string_view end) {
    std::string all;
    char c = 0;
    while (!(all.ends_with(end) && !end.empty()) && ::recv(fd_, &c, 1, 0) == 1)
      all += c;
    return all;
  }
  std::string rest() {
    return until("");
  }

 private:
  int fd_;
};

class HttpTest : public testing::Test {
 protected:
  HttpServer server_{"127.0.0.1", 0, [this](const HttpQuestion& q) {
                       ++asked_;
                       if (q.path == "/error")
                         throw Error({}, "not like this");
                       if (q.path == "/bug")
                         throw std::runtime_error("secret");
                       if (q.path == "/none")
                         return HttpReply{404, "nothing there", "text/plain"};
                       return text_reply(q.path + "|" + q.query);
                     }};
  std::atomic<int> asked_{0};
};

TEST_F(HttpTest, AnswersWhatItIsAskedFor) {
  const HttpReply reply = http_get(url_of(server_, "/a/b?x=1&y=2"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "/a/b|x=1&y=2");
  EXPECT_EQ(reply.type, "text/plain");
  EXPECT_TRUE(server_.on_loopback());
}

TEST_F(HttpTest, AStatusIsAValue) {
  const HttpReply reply = http_get(url_of(server_, "/none"));
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.body, "nothing there");
}

TEST_F(HttpTest, AUsersErrorIsToldABugIsNot) {
  const HttpReply error = http_get(url_of(server_, "/error"));
  EXPECT_EQ(error.status, 400);
  EXPECT_THAT(error.body, HasSubstr("not like this"));
  const HttpReply bug = http_get(url_of(server_, "/bug"));
  EXPECT_EQ(bug.status, 500);
  EXPECT_THAT(bug.body, Not(HasSubstr("secret")));
}

TEST_F(HttpTest, HeadGivesTheLengthWithoutTheBody) {
  Wire wire(server_.port());
  wire.send("HEAD /ab HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const std::string all = wire.rest();
  EXPECT_THAT(all, HasSubstr("Content-Length: 4\r\n"));
  EXPECT_THAT(all, EndsWith("\r\n\r\n"));
}

TEST_F(HttpTest, OneConnectionAsksManyTimesAlsoAtOnce) {
  Wire wire(server_.port());
  const std::string question = "GET /one HTTP/1.1\r\nHost: localhost\r\n\r\n";
  wire.send(question);
  EXPECT_THAT(wire.until("/one|"), HasSubstr("Connection: keep-alive"));
  wire.send(question + "GET /two HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(wire.until("/one|"), StartsWith("HTTP/1.1 200 OK\r\n"));
  const std::string last = wire.rest();
  EXPECT_THAT(last, HasSubstr("Connection: close"));
  EXPECT_THAT(last, EndsWith("/two|"));
  EXPECT_EQ(asked_, 3);
}

TEST_F(HttpTest, AHeadMayComeInPieces) {
  Wire wire(server_.port());
  for (const char c : std::string("GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    wire.send({&c, 1});
  EXPECT_THAT(wire.rest(), EndsWith("/slow|"));
}

TEST_F(HttpTest, WhatIsNotForItIsRefusedAndNotHandled) {
  const std::pair<const char*, const char*> refused[] = {
      {"nonsense\r\n\r\n", "400 Bad Request"},
      {"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", "405 Method Not Allowed"},
      {"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", "421 Misdirected Request"},
      {"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", "413 Content Too Large"},
      {"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", "505 HTTP Version Not Supported"}};
  for (const auto& [request, status] : refused) {
    Wire wire(server_.port());
    wire.send(request);
    EXPECT_THAT(wire.rest(), StartsWith("HTTP/1.1 " + std::string(status))) << request;
  }
  EXPECT_EQ(asked_, 0);
}

TEST_F(HttpTest, ARefusedMethodSaysWhichAreAllowed) {
  Wire wire(server_.port());
  wire.send("DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(wire.rest(), HasSubstr("Allow: GET, HEAD\r\n"));
}

TEST_F(HttpTest, TheHeadHasABound) {
  Wire wire(server_.port());
  wire.send("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(9000, 'x') + "\r\n\r\n");
  EXPECT_THAT(wire.rest(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpTest, AnswersArriveTogetherWithThoseWhoWait) {
  std::vector<std::jthread> clients;
  std::atomic<int> right{0};
  for (int i = 0; i < 16; ++i) {
    clients.emplace_back([&, i] {
      const std::string path = "/n" + std::to_string(i);
      right += http_get(url_of(server_, path)).body == path + "|";
    });
  }
  clients.clear();
  EXPECT_EQ(right, 16);
}

TEST_F(HttpTest, StoppingTwiceIsFineAndThenNobodyAnswers) {
  const std::string url = url_of(server_);
  server_.stop();
  server_.stop();
  EXPECT_THAT(
      error_of([&] {
        http_get(url);
      }),
      HasSubstr("check that the address is right"));
}

TEST_F(HttpTest, ATakenPortIsRefusedWithAHint) {
  EXPECT_THAT(
      error_of([&] {
        HttpServer("127.0.0.1", server_.port(), [](const HttpQuestion&) {
          return HttpReply{};
        });
      }),
      HasSubstr("choose another --port"));
  EXPECT_THAT(
      error_of([] {
        HttpServer("not.an.address", 0, [](const HttpQuestion&) {
          return HttpReply{};
        });
      }),
      HasSubstr("is not an IP address"));
}

TEST(HttpServer, AnAnswerLargerThanTheKernelsBufferArrivesWhole) {
  std::string large;
  for (int i = 0; large.size() < (size_t{3} << 20); ++i)
    large += std::to_string(i) + ",";
  const auto shared = std::make_shared<const std::string>(large);
  HttpServer server("127.0.0.1", 0, [&](const HttpQuestion&) {
    HttpReply reply = text_reply("ignored");
    reply.shared_body = shared;
    return reply;
  });
  EXPECT_EQ(http_get(url_of(server)).body, large);
}

TEST(HttpServer, FieldsOfAnAnswer) {
  HttpServer server("127.0.0.1", 0, [](const HttpQuestion& q) {
    HttpReply reply = text_reply("body");
    reply.status = q.path == "/same" ? 304 : 200;
    reply.etag = "\"abc\"";
    reply.policy = "default-src 'none'";
    return reply;
  });
  Wire wire(server.port());
  wire.send("GET /same HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const std::string all = wire.rest();
  EXPECT_THAT(all, StartsWith("HTTP/1.1 304 Not Modified\r\n"));
  EXPECT_THAT(all, HasSubstr("ETag: \"abc\"\r\n"));
  EXPECT_THAT(all, HasSubstr("Content-Security-Policy: default-src 'none'\r\n"));
  EXPECT_THAT(all, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(all, HasSubstr("Cache-Control: no-store\r\n"));
  EXPECT_THAT(all, EndsWith("\r\n\r\n")) << "no body after 304";
}

TEST(HttpServer, WhoSaysNothingIsSentAway) {
  HttpServerLimits limits;
  limits.head_s = 0.1;
  HttpServer server(
      "127.0.0.1",
      0,
      [](const HttpQuestion&) {
        return text_reply("");
      },
      limits);
  Wire wire(server.port());
  wire.send("GET / HT");
  EXPECT_EQ(wire.rest(), "");
}

TEST(HttpServer, OneConnectionTooManyClosesTheMostSilent) {
  HttpServerLimits limits;
  limits.connections = 2;
  HttpServer server(
      "127.0.0.1",
      0,
      [](const HttpQuestion& q) {
        return text_reply(q.path);
      },
      limits);
  const std::string question = "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n";
  Wire silent(server.port());
  silent.send(question);
  silent.until("/x");
  Wire lively(server.port());
  lively.send(question);
  lively.until("/x");
  Wire third(server.port());
  third.send(question);
  EXPECT_THAT(third.until("/x"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(silent.rest(), "");
  lively.send(question);
  EXPECT_THAT(lively.until("/x"), StartsWith("HTTP/1.1 200"));
}

TEST(HttpServer, ASlowHandlerHoldsOnlyItsOwnThread) {
  std::atomic<bool> go{false};
  HttpServerLimits limits;
  limits.threads = 2;
  HttpServer server(
      "127.0.0.1",
      0,
      [&](const HttpQuestion& q) {
        while (q.path == "/slow" && !go)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return text_reply(q.path);
      },
      limits);
  Wire slow(server.port());
  slow.send("GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(http_get(url_of(server, "/fast")).body, "/fast");
  go = true;
  EXPECT_THAT(slow.rest(), EndsWith("/slow"));
}

TEST(HttpServer, OverIpv6) {
  HttpServer server("::1", 0, [](const HttpQuestion& q) {
    return text_reply(q.host);
  });
  EXPECT_TRUE(server.on_loopback());
  const HttpReply reply = http_get("http://[::1]:" + std::to_string(server.port()) + "/");
  EXPECT_EQ(reply.body, "[::1]:" + std::to_string(server.port()));
}

}  // namespace
}  // namespace lento::base
