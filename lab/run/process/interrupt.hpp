// Ctrl-C (and a polite kill) as something a poll can wait for: the run keeps what it has, writes
// its end record and leaves with exit code 130.
#pragma once

namespace aisp::lab {

class Interrupt {
 public:
  Interrupt();  // takes over SIGINT, SIGTERM and SIGHUP until it goes out of scope
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  int readable() const;  // a descriptor that becomes readable when a signal has come
  bool pending() const;
};

}  // namespace aisp::lab
