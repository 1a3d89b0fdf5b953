// A small local web application over a folder of diagnoses. It lists them, opens them as reports, compares
// two and follows files that change, such as the one that a running `lento fleet watch` rewrites. It starts
// no process and writes no file.
//
// Limits against hostile clients: only GET and HEAD, request heads up to 8 KiB in 10 s, no bodies, answers up
// to 256 MiB in 60 s. At most 1,024 connections are open, each with one request at a time, and a further one
// closes the connection that has been silent longest. Slow connections cost memory, never a thread. Names are
// file names of the folder, never paths, and links that leave it are refused. On a loopback address the Host
// header must be a loopback name. On any other address every request needs the token.
#pragma once

#include <memory>
#include <string>

#include "base/progress.h"

namespace lento::serve {

struct ServeOptions {
  std::string folder;
  std::string host = "127.0.0.1";
  int port = 8099;    // 0: any free one
  std::string token;  // that every request must carry, when not empty; required when host is not loopback
};

class Server {
 public:
  // Throws base::Error when the folder does not exist or the address cannot be bound.
  explicit Server(const ServeOptions& options);
  ~Server();

  int port() const;
  std::string address() const;  // to open in a browser, without the token

  void run(const base::Progress& progress);  // until progress.stopped() or stop()
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lento::serve
