// A store on the loopback that answers every question with any bytes: queries, streamed remote read, targets,
// labels, names of machines and the clock. The first byte names the question.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/error.h"
#include "fleet/read/prometheus.h"

namespace {

using namespace lento;

// Answers one connection after another, in a thread of its own.
class Store {
 public:
  Store() {
    setenv("no_proxy", "127.0.0.1", 1);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 16) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      std::abort();
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    std::thread([this] {
      for (;;)
        answer(accept(listener_, nullptr, nullptr));
    }).detach();
  }
  const std::string& url() const {
    return url_;
  }
  std::string body;  // of every answer, set between questions

 private:
  void answer(int to) {
    char bytes[4096];
    if (read(to, bytes, sizeof bytes) > 0) {
      const std::string text =
          "HTTP/1.1 200 OK\r\nContent-Type: application/x-streamed-protobuf\r\nConnection: close\r\n"
          "Content-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + body;
      for (size_t sent = 0; sent < text.size();) {
        const ssize_t some = send(to, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (some <= 0)
          break;
        sent += size_t(some);
      }
    }
    close(to);
  }

  int listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string url_;
};

void put(uint8_t question, const fleet::PrometheusOptions& options, int64_t now_ms) {
  fleet::MachineNames names;
  base::ReadReport report;
  switch (question % 6) {
    case 0:
      fleet::up_targets(options);
      break;
    case 1:
      fleet::learn_names(options, names);
      break;
    case 2:
      fleet::store_now_ms(options);
      break;
    case 3:
      fleet::label_values(options, "job", 0, now_ms);
      break;
    case 4:
      fleet::post_alerts(options.url, {}, {{{{"machine", "n1"}}, {{"summary", "slow"}}, now_ms, now_ms}});
      break;
    default:
      fleet::read_prometheus(options, now_ms - 600'000, now_ms, report);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Store& store = *new Store;
  if (size == 0)
    return 0;
  store.body.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  fleet::PrometheusOptions options;
  options.url = store.url();
  options.chunks = data[0] < 128;
  options.match = {fleet::parse_matcher("job=training")};
  for (const char* metric :
       {"up", "r=sum(rate(node_cpu_seconds_total{mode!~\"idle\"}))", "m=mean(load)", "q=up > 1"})
    options.metrics.push_back(fleet::parse_metric(metric));
  options.grid.max_values = 1 << 20;
  try {
    put(data[0] % 128, options, 1'700'000'000'000);
  } catch (const base::Error&) {
  }
  return 0;
}
