#include "serve/serve.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/http/http.h"
#include "finding/finding.h"
#include "report/report.h"

namespace lento::serve {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Seconds. A page takes milliseconds; a server that waits for its readers takes as long as they like.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSoon = 60;
#else
constexpr double kSoon = 5;
#endif

finding::Diagnosis sample(const std::string& subject, double factor) {
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = "run";
  d.verdict = subject + " is slow";
  d.findings = {{subject, "slow core", "", .9, factor, {}, {}, {}, {}, ""}};
  d.facts = {{"total", "10 cycles"}};
  return d;
}

class Connection {
 public:
  explicit Connection(int port)
      : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(uint16_t(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Connection() {
    ::close(fd_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool connected() const {
    return connected_;
  }
  void send(const std::string& text) const {
    (void)!::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
  }
  std::string receive() const {
    std::string all;
    char block[4096];
    for (ssize_t n; (n = ::recv(fd_, block, sizeof block, 0)) > 0;)
      all.append(block, size_t(n));
    return all;
  }

 private:
  int fd_;
  bool connected_ = false;
};

class ServeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("lento_serve_test_" + std::to_string(::getpid()));
    fs::create_directories(root_ / "runs");
    write("runs/a.json", sample("core5", 2));
    write("runs/b.json", sample("core6", 3));
    write("secret.json", sample("secret", 9));
    std::ofstream(root_ / "runs/broken.json") << "{\"schema\":";
    std::ofstream(root_ / "runs/net.map.json") << R"({"name":"net","batch_size":4,"layers":[]})";
    fs::create_symlink(root_ / "secret.json", root_ / "runs/link.json");
    ServeOptions options;
    options.folder = (root_ / "runs").string();
    options.port = 0;
    server_ = std::make_unique<Server>(options);
  }
  void TearDown() override {
    server_.reset();
    fs::remove_all(root_);
  }
  void write(const std::string& name, const finding::Diagnosis& d) const {
    base::write_file((root_ / name).string(), report::write_json(d));
  }

  std::string
  get(const std::string& target, const std::string& host = "127.0.0.1", const std::string& more = "") const {
    const Connection connection(server_->port());
    connection.send(
        "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + more + "\r\n");
    return connection.receive();
  }

  fs::path root_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServeTest, ListsOpensAndCompares) {
  const std::string list = get("/api/diagnoses");
  EXPECT_THAT(list, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(list, HasSubstr("core5 is slow"));
  EXPECT_THAT(list, HasSubstr("not valid JSON"));
  EXPECT_THAT(list, Not(HasSubstr("secret is slow")));
  EXPECT_THAT(list, Not(HasSubstr("net.map.json")));
  EXPECT_THAT(get("/report/a.json"), HasSubstr("<code>core5</code>"));
  EXPECT_THAT(get("/report/a.json"), HasSubstr("sandbox allow-scripts"));
  EXPECT_THAT(get("/diff?a=a.json&b=b.json"), HasSubstr("1 new or worse, 1 gone"));
}

TEST_F(ServeTest, TheListRanksWhatIsWorst) {
  finding::Diagnosis unsure;
  finding::cannot_judge(unsure, "too short", "record longer");
  write("runs/c.json", unsure);
  finding::Diagnosis calm;
  finding::judged(calm, "all");
  write("runs/d.json", calm);
  const std::string list = get("/api/diagnoses");
  const auto severity = [&](const std::string& name) {
    const size_t at = list.find("\"severity\":", list.find("\"" + name + "\""));
    return std::stod(list.substr(at + 11));
  };
  EXPECT_GT(severity("b.json"), severity("a.json")) << "three times slower, and twice";
  EXPECT_GT(severity("a.json"), severity("c.json"));
  EXPECT_GT(severity("c.json"), severity("d.json"));
  EXPECT_THAT(list, HasSubstr("\"much\":\"3 times slower\""));
}

TEST_F(ServeTest, ABrokenPageIsAnErrorEachTime) {
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(get("/report/broken.json"), StartsWith("HTTP/1.1 404"));
}

TEST_F(ServeTest, ThePageHasTheReportsStyle) {
  const std::string page = get("/");
  EXPECT_THAT(page, HasSubstr("--accent:"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST_F(ServeTest, AnswersUnchangedListsWith304) {
  const std::string first = get("/api/diagnoses");
  const size_t at = first.find("ETag: ");
  ASSERT_NE(at, std::string::npos);
  const std::string tag = first.substr(at + 6, first.find("\r\n", at) - at - 6);
  EXPECT_THAT(
      get("/api/diagnoses", "localhost", "If-None-Match: " + tag + "\r\n"),
      StartsWith("HTTP/1.1 304"));
}

TEST_F(ServeTest, PathsDoNotEscapeTheFolder) {
  for (const char* target :
       {"/report/../secret.json",
        "/report/..%2Fsecret.json",
        "/report/%2e%2e%2fsecret.json",
        "/api/diagnoses/link.json",
        "/report/a.json%00",
        "/report/",
        "/report//etc/passwd",
        "/../../etc/passwd"}) {
    const std::string reply = get(target);
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 404")) << target;
    EXPECT_THAT(reply, Not(HasSubstr("secret is slow"))) << target;
  }
}

TEST_F(ServeTest, RefusesForeignHostsBodiesAndHugeHeads) {
  EXPECT_THAT(get("/api/diagnoses", "evil.example"), StartsWith("HTTP/1.1 421"));
  EXPECT_THAT(
      get("/api/diagnoses", "127.0.0.1", "X: " + std::string(20000, 'x') + "\r\n"),
      StartsWith("HTTP/1.1 431"));
  const Connection post(server_->port());
  post.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n");
  EXPECT_THAT(post.receive(), StartsWith("HTTP/1.1 413"));
  const Connection remove(server_->port());
  remove.send("DELETE /api/diagnoses/a.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(remove.receive(), StartsWith("HTTP/1.1 405"));
}

TEST_F(ServeTest, AnswersAHealthyClientBesideAThousandSlowOnes) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 2200)
    GTEST_SKIP() << "needs 2,200 open files";
  std::vector<std::unique_ptr<Connection>> slow;
  for (int i = 0; i < 1000; ++i) {
    slow.push_back(std::make_unique<Connection>(server_->port()));
    ASSERT_TRUE(slow.back()->connected());
    slow.back()->send("GET /api/dia");
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(get("/api/diagnoses"), StartsWith("HTTP/1.1 200"));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 1.0);
}

// A rebound name resolves to this machine, but the browser still says whom it believes to be talking to.
TEST_F(ServeTest, AnswersToLoopbackNamesOnly) {
  for (const char* host :
       {"127.evil.com",
        "127.0.0.1.nip.io",
        "localhost:80@evil",
        "127.0.0.1:80@evil",
        "localhost.evil",
        "[::1].evil",
        "[::1",
        "128.0.0.1",
        "127.0.0",
        "127.0.0.1.1",
        "0x7f.0.0.1",
        "127.0.0.1:x",
        ""})
    EXPECT_THAT(get("/api/diagnoses", host), StartsWith("HTTP/1.1 421")) << host;
  for (const char* host : {"localhost", "LOCALHOST:8099", "127.0.0.1", "127.3.2.1:80", "[::1]", "[::1]:8099"})
    EXPECT_THAT(get("/api/diagnoses", host), StartsWith("HTTP/1.1 200")) << host;
}

TEST_F(ServeTest, AnswersBesideAThousandThatReadNothing) {
  write("runs/large.json", sample(std::string(4 << 20, 'x'), 2));
  std::vector<std::unique_ptr<Connection>> idle;
  for (int i = 0; i < 1000; ++i) {
    idle.push_back(std::make_unique<Connection>(server_->port()));
    if (!idle.back()->connected())
      GTEST_SKIP() << "needs 2,200 open files";
    idle.back()->send("GET /report/large.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(get("/report/a.json"), StartsWith("HTTP/1.1 200"));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), kSoon);
}

TEST_F(ServeTest, ListsTheNewestFirstBeyondTheLimit) {
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 2500; ++i) {
    const fs::path path = root_ / "runs" / (std::to_string(i * 7919 % 2500) + ".json");
    std::ofstream(path) << "{}";
    fs::last_write_time(path, now + std::chrono::seconds(i * 7919 % 2500));
  }
  const std::string list = get("/api/diagnoses");
  EXPECT_THAT(list, HasSubstr("\"2499.json\""));
  EXPECT_THAT(list, HasSubstr("\"500.json\""));
  EXPECT_THAT(list, Not(HasSubstr("\"499.json\"")));
  EXPECT_LT(list.find("\"2499.json\""), list.find("\"2498.json\""));
}

TEST(ServeOptions, BeyondLoopbackATokenIsNeeded) {
  const fs::path folder = fs::temp_directory_path() / ("lento_serve_token_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  ServeOptions options;
  options.folder = folder.string();
  options.host = "0.0.0.0";
  options.port = 0;
  EXPECT_THROW(Server{options}, base::Error);
  options.token = "a secret & more";
  const Server server(options);
  const auto status = [&](const std::string& target) {
    const Connection connection(server.port());
    connection.send("GET " + target + " HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n");
    return connection.receive().substr(9, 3);
  };
  EXPECT_EQ(status("/api/diagnoses"), "401");
  EXPECT_EQ(status("/api/diagnoses?token=wrong"), "401");
  EXPECT_EQ(status("/api/diagnoses?token=" + base::percent_encoded(options.token)), "200");
  fs::remove_all(folder);
}

TEST(ServeOptions, SaysWhatIsWrong) {
  ServeOptions options;
  options.folder = "/no/such/folder";
  EXPECT_THROW(Server{options}, base::Error);
  options.folder = ".";
  options.host = "not an address";
  EXPECT_THROW(Server{options}, base::Error);
}

}  // namespace
}  // namespace lento::serve
