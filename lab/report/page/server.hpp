// The page over HTTP, for a browser that does not open files: on this machine's loopback address
// alone, on a free port. It serves the page and nothing else: there is no folder behind it.
#pragma once

#include <string>
#include <string_view>

#include "lab/record/file.hpp"

namespace aisp::lab {

class PageServer {
 public:
  explicit PageServer(std::string page);

  // "http://127.0.0.1:40123/"
  std::string address() const;
  // Answers until `interrupt` is readable.
  void run(int interrupt);

  // What is sent for a request, whole: the page for GET /, else an error. A host of another name is
  // refused: a name that somebody points at this machine must not read the page.
  std::string answer(std::string_view request) const;

 private:
  std::string page_;
  FileDescriptor socket_;
  int port_ = 0;
};

}  // namespace aisp::lab
