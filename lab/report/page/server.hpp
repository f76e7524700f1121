// The page over HTTP, for a browser that does not open files: on this machine's loopback address
// alone, on a free port. It serves the page and nothing else: there is no folder behind it.
#pragma once

#include <chrono>
#include <list>
#include <string>
#include <string_view>

#include "lab/record/file.hpp"

namespace aisp::lab {

class PageConnection;

class PageServer {
 public:
  // A connection ends when its answer is sent, or after `patience` in all, however little the
  // client sends or reads at a time.
  explicit PageServer(std::string page,
                      std::chrono::milliseconds patience = std::chrono::seconds(30));

  // "http://127.0.0.1:40123/"
  std::string address() const;
  // Answers until `interrupt` is readable, whatever connections are open then.
  void run(int interrupt);

  // What is sent for a request: the page for GET /, else an error. A host of another name is
  // refused: a name that somebody points at this machine must not read the page.
  struct Answer {
    std::string head;
    std::string_view body;  // the page, which all connections share, or a constant
  };
  Answer answer(std::string_view request) const;

 private:
  void admit(std::list<PageConnection>& connections) const;

  std::string page_;
  std::chrono::milliseconds patience_;
  FileDescriptor socket_;
  int port_ = 0;
};

}  // namespace aisp::lab
