// Serves many slow clients with few threads: one thread moves the bytes of all connections (poll), and a few
// others call the handler. A connection is in one of four states and has one deadline, so a client can never
// hold more than its own entry:
//
//   Reading --head complete--> Handling --answer--> Writing --kept alive--> Reading
//                                                   Writing --else--> Draining --> closed
//
// Draining discards what still arrives, so that a reset does not destroy the answer.
//
// 1. Only the loop thread touches connections and their sockets. 2. A handler thread returns its answer by
// the number of the connection, which may be closed by then.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/http/http.h"
#include "base/http/reply.h"

namespace lento::base {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kDrainSeconds = 1;
constexpr size_t kMostDrained = size_t{1} << 20;
constexpr int kTick = 250;  // milliseconds between looks at the deadlines
constexpr size_t kReadBlock = 16384;
constexpr size_t kOverload = 32;  // requests that wait
// Bounds on the bytes of one connection that wait in the kernel, and on those it may send before the others
// have their turn. A client that requests much and reads nothing costs no more than this.
constexpr int kSendBuffer = 128 << 10;
constexpr size_t kTurn = size_t{256} << 10;

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1)
      : fd_(fd) {
  }
  ~Descriptor() {
    reset();
  }
  Descriptor(Descriptor&& other) noexcept
      : fd_(other.fd_) {
    other.fd_ = -1;
  }
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const {
    return fd_;
  }
  void reset() {
    if (fd_ >= 0)
      ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

enum class State {
  Reading,
  Handling,
  Writing,
  Draining
};

struct Connection {
  Descriptor socket;
  State state = State::Reading;
  Clock::time_point deadline;
  Clock::time_point moved = Clock::now();  // when bytes last went either way
  std::string in;
  std::string head;                         // of the answer
  std::shared_ptr<const std::string> body;  // of the answer
  size_t sent = 0;                          // of head and body together
  size_t drained = 0;
  bool keep_alive = false;
};

// Returns the handler's reply. Exceptions become replies with status 400 or 500.
HttpReply answer_of(const HttpServer::Handler& handler, const HttpQuestion& question) {
  try {
    return handler(question);
  } catch (const Error& error) {
    return {400, std::string(error.what()) + "\n", "text/plain; charset=utf-8"};
  } catch (const std::exception&) {
    return {500, "this could not be answered\n", "text/plain; charset=utf-8"};
  }
}

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  bool loopback = false;
};

// Returns the address to bind. Throws base::Error for host names other than localhost.
Address address_of(const std::string& host, int port) {
  Address a;
  in6_addr six{};
  in_addr four{};
  const std::string number = host == "localhost" ? "127.0.0.1" : host;
  if (::inet_pton(AF_INET, number.c_str(), &four) == 1) {
    auto& address = reinterpret_cast<sockaddr_in&>(a.storage);
    address.sin_family = AF_INET;
    address.sin_port = htons(uint16_t(port));
    address.sin_addr = four;
    a.size = sizeof address;
    a.loopback = (ntohl(four.s_addr) >> 24) == 127;
  } else if (::inet_pton(AF_INET6, number.c_str(), &six) == 1) {
    auto& address = reinterpret_cast<sockaddr_in6&>(a.storage);
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(uint16_t(port));
    address.sin6_addr = six;
    a.size = sizeof address;
    a.loopback = IN6_IS_ADDR_LOOPBACK(&six);
  } else {
    throw Error({host}, "is not an IP address", "use 127.0.0.1, ::1 or an address of this machine");
  }
  return a;
}

}  // namespace

struct HttpServer::Impl {
  HttpServerLimits limits;
  Handler handler;
  Descriptor listener;
  Descriptor wake_event;
  bool loopback = false;
  int port = 0;
  std::thread loop_thread;
  std::vector<std::thread> workers;

  std::map<uint64_t, Connection> connections;  // by number; of the loop thread only
  uint64_t next_number = 1;

  struct Job {
    uint64_t connection;
    HttpQuestion question;
  };
  struct Done {
    uint64_t connection;
    HttpReply reply;
  };
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Job> jobs;    // under mutex
  std::vector<Done> done;  // under mutex
  std::atomic<bool> stopping{false};

  // Opens the listening socket.
  void listen(const std::string& host, int wanted) {
    const Address address = address_of(host, wanted);
    loopback = address.loopback;
    const auto check = [&](bool fine, const char* what) {
      if (fine)
        return;
      throw Error(
          {host + ":" + std::to_string(wanted)},
          std::string(what) + ": " + std::strerror(errno),
          "another program may hold it; choose another --port");
    };
    listener = Descriptor(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    check(listener.get() >= 0, "cannot open");
    const int one = 1;
    ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    const auto* plain = reinterpret_cast<const sockaddr*>(&address.storage);
    check(::bind(listener.get(), plain, address.size) == 0, "cannot listen");
    check(::listen(listener.get(), SOMAXCONN) == 0, "cannot listen");
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    check(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&bound), &size) == 0, "cannot listen");
    port = ntohs(
        bound.ss_family == AF_INET ? reinterpret_cast<sockaddr_in&>(bound).sin_port
                                   : reinterpret_cast<sockaddr_in6&>(bound).sin6_port);
    wake_event = Descriptor(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    check(wake_event.get() >= 0, "cannot start");
  }

  void wake_loop() const {
    const uint64_t one = 1;
    if (::write(wake_event.get(), &one, sizeof one) < 0)
      errno = 0;  // it rings already
  }

  // Answers questions until the server stops. Runs in each worker thread.
  void serve_jobs() {
    for (;;) {
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] {
        return stopping || !jobs.empty();
      });
      if (stopping)
        return;
      // When more than kOverload requests wait, the newest is served first. The oldest clients have probably
      // left, and serving all in order would make every answer late.
      const bool overloaded = jobs.size() > kOverload;
      const Job job = std::move(overloaded ? jobs.back() : jobs.front());
      overloaded ? jobs.pop_back() : jobs.pop_front();
      lock.unlock();
      HttpReply reply = answer_of(handler, job.question);
      lock.lock();
      done.push_back({job.connection, std::move(reply)});
      lock.unlock();
      wake_loop();
    }
  }

  // Prepares a reply for writing.
  void answer(Connection& c, HttpReply reply, const HttpQuestion& question) {
    c.body = reply.shared_body ? std::move(reply.shared_body)
                               : std::make_shared<const std::string>(std::move(reply.body));
    c.keep_alive = question.keep_alive;
    c.head = http_reply_head(reply, c.body->size(), c.keep_alive);
    if (question.head_only || reply.status == 304)
      c.body = std::make_shared<const std::string>();
    c.sent = 0;
    c.state = State::Writing;
    c.deadline = after(limits.answer_s);
  }

  void refuse(Connection& c, int status) {
    HttpQuestion last;
    last.keep_alive = false;
    answer(c, http_refusal(status), last);
  }

  // Passes a complete head to the handlers. Does nothing while more bytes are needed.
  void dispatch_head(uint64_t number, Connection& c) {
    HttpHead head = parse_http_head(c.in, limits.head_bytes);
    if (head.status == 0)
      return;
    if (head.status != 200)
      return refuse(c, head.status);
    c.in.erase(0, head.size);
    if (loopback && !is_loopback_host(head.question.host))
      return refuse(c, 421);
    const std::lock_guard lock(mutex);
    c.state = State::Handling;
    c.keep_alive = head.question.keep_alive;
    questions[number] = {head.question.head_only, {}, {}, {}, {}, {}, head.question.keep_alive};
    jobs.push_back({number, std::move(head.question)});
    wake.notify_one();
  }
  std::map<uint64_t, HttpQuestion> questions;  // what the answer's form depends on, while handled

  // Returns false when the connection is to be closed.
  bool read(uint64_t number, Connection& c) {
    std::array<char, kReadBlock> block;
    const ssize_t n = ::recv(c.socket.get(), block.data(), block.size(), 0);
    if (n < 0)
      return errno == EAGAIN || errno == EINTR;
    if (c.state == State::Draining) {
      c.drained += size_t(n);
      return n > 0 && c.drained < kMostDrained;
    }
    if (n == 0)
      return false;
    c.moved = Clock::now();
    c.in.append(block.data(), size_t(n));
    if (c.state == State::Reading)
      dispatch_head(number, c);
    return true;
  }

  // Writes the next part of the reply. Returns false when the connection is to be closed.
  bool write(uint64_t number, Connection& c) {
    const size_t total = c.head.size() + c.body->size();
    for (const size_t begin = c.sent; c.sent < total;) {
      if (c.sent - begin >= kTurn)
        return true;
      const bool in_head = c.sent < c.head.size();
      const std::string_view piece = in_head ? std::string_view(c.head).substr(c.sent)
                                             : std::string_view(*c.body).substr(c.sent - c.head.size());
      const ssize_t n =
          ::send(c.socket.get(), piece.data(), piece.size(), MSG_NOSIGNAL | (in_head ? MSG_MORE : 0));
      if (n < 0)
        return errno == EAGAIN || errno == EINTR;
      c.sent += size_t(n);
      c.moved = Clock::now();
    }
    // TCP_NODELAY flushes what MSG_MORE held back, for an answer without a body.
    const int one = 1;
    ::setsockopt(c.socket.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    c.head.clear();
    c.body.reset();
    if (c.keep_alive) {
      c.state = State::Reading;
      c.deadline = after(limits.head_s);
      if (!c.in.empty())
        dispatch_head(number, c);
      return true;
    }
    ::shutdown(c.socket.get(), SHUT_WR);
    c.state = State::Draining;
    c.deadline = after(kDrainSeconds);
    return true;
  }

  // Takes finished replies from the worker threads.
  void take_answers() {
    uint64_t rings = 0;
    if (::read(wake_event.get(), &rings, sizeof rings) < 0)
      errno = 0;
    std::vector<Done> finished;
    {
      const std::lock_guard lock(mutex);
      finished.swap(done);
    }
    for (Done& d : finished) {
      const auto question = questions.extract(d.connection);
      const auto at = connections.find(d.connection);
      if (at != connections.end() && question)
        answer(at->second, std::move(d.reply), question.mapped());
    }
  }

  // Closes the connection that has been silent longest, unless a handler works on its answer.
  void make_room() {
    auto oldest = connections.end();
    for (auto it = connections.begin(); it != connections.end(); ++it) {
      if (it->second.state == State::Handling)
        continue;
      if (oldest == connections.end() || it->second.moved < oldest->second.moved)
        oldest = it;
    }
    if (oldest != connections.end())
      connections.erase(oldest);
  }

  // Accepts all waiting connections.
  void accept_all() {
    for (;;) {
      Descriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.get() < 0) {
        // When descriptors run out, one connection is closed. Otherwise the waiting one would wake the loop
        // without end.
        if (errno == EMFILE || errno == ENFILE)
          make_room();
        return;
      }
      if (connections.size() >= size_t(limits.connections))
        make_room();
      if (connections.size() >= size_t(limits.connections))
        continue;
      ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
      Connection c;
      c.socket = std::move(socket);
      c.deadline = after(limits.head_s);
      connections.emplace(next_number++, std::move(c));
    }
  }

  // Reads and writes a connection. Returns false when it is to be closed.
  bool handle_events(uint64_t number, Connection& c, short events) {
    if (events & (POLLERR | POLLNVAL))
      return false;
    if (events & (POLLIN | POLLHUP)) {
      if (c.state != State::Handling && c.state != State::Writing && !read(number, c))
        return false;
      if ((events & POLLHUP) && c.state != State::Reading && !(events & POLLIN))
        return false;
    }
    return c.state != State::Writing || write(number, c);
  }

  // Waits for events of all connections until the server stops.
  void loop() {
    std::vector<pollfd> polled;
    std::vector<uint64_t> numbers;
    while (!stopping) {
      polled.assign({{listener.get(), POLLIN, 0}, {wake_event.get(), POLLIN, 0}});
      numbers.clear();
      for (const auto& [number, c] : connections) {
        // No events are requested while an answer is made or sent, so further requests stay in the kernel.
        const short wanted = c.state == State::Writing ? POLLOUT : c.state == State::Handling ? 0 : POLLIN;
        polled.push_back({c.socket.get(), wanted, 0});
        numbers.push_back(number);
      }
      if (::poll(polled.data(), polled.size(), kTick) < 0 && errno != EINTR)
        return;
      if (stopping)
        return;
      const Clock::time_point now = Clock::now();
      for (size_t i = 0; i < numbers.size(); ++i) {
        const auto at = connections.find(numbers[i]);
        const short events = polled[i + 2].revents;
        Connection& c = at->second;
        const bool late = c.state != State::Handling && now > c.deadline;
        if (late || (events && !handle_events(numbers[i], c, events)))
          connections.erase(at);
      }
      if (polled[1].revents)
        take_answers();
      if (polled[0].revents)
        accept_all();
    }
  }

  // Stops the server and its threads.
  void stop() {
    {
      const std::lock_guard lock(mutex);
      if (stopping.exchange(true))
        return;
    }
    wake.notify_all();
    wake_loop();
    if (loop_thread.joinable())
      loop_thread.join();
    for (std::thread& worker : workers)
      worker.join();
    connections.clear();
    listener.reset();
  }
};

HttpServer::HttpServer(const std::string& host, int port, Handler handler, const HttpServerLimits& limits)
    : impl_(std::make_unique<Impl>()) {
  impl_->limits = limits;
  impl_->handler = std::move(handler);
  impl_->listen(host, port);
  // Signals stay with the main thread, which may be waiting for bytes of a file.
  sigset_t all;
  sigset_t former;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &former);
  impl_->loop_thread = std::thread([impl = impl_.get()] {
    impl->loop();
  });
  for (unsigned i = 0; i < limits.threads; ++i)
    impl_->workers.emplace_back([impl = impl_.get()] {
      impl->serve_jobs();
    });
  ::pthread_sigmask(SIG_SETMASK, &former, nullptr);
}

HttpServer::~HttpServer() {
  stop();
}

int HttpServer::port() const {
  return impl_->port;
}
bool HttpServer::on_loopback() const {
  return impl_->loopback;
}
void HttpServer::stop() {
  impl_->stop();
}

}  // namespace lento::base
