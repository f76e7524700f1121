// Lets the ranks of a job in, and nobody else: the name of a meeting is no secret, and any process
// of the machine can come to it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/process/channel.hpp"

namespace aisp::comm {

// 128 random bits in hexadecimal digits.
std::string new_secret();
bool is_secret(const std::string& text);

struct Admission {
  int ranks = 1;         // of the job; 1 to ranks - 1 are to come
  std::string secret{};  // of the job
  // Who has started all ranks: its children are let in without the secret, which they get then. 0:
  // nobody is.
  pid_t launcher = 0;
  // Gets a line for each that was refused; by default the first few go to standard error.
  std::function<void(const std::string& line)> refused{};
};

struct Admitted {
  int rank;
  Channel channel;
};

// What a rank says first. Without a secret: that it has none.
std::string hello_of(int rank, const std::string& secret);

struct Hello {
  int rank;
  std::string secret;
};
// Nothing for a line that hello_of() does not write for a job of so many ranks.
std::optional<Hello> read_hello(const Message& message, int ranks);

// All ranks of the job but rank 0, one channel each. Refuses (Exit::environment) when they have not
// come within the time, whatever else comes meanwhile: nobody is waited for longer than a second or
// two.
std::vector<Admitted> admit(const Meeting& meeting, const Admission& job,
                            std::chrono::milliseconds time);

// What a rank answers to each line that it is told: whether it has done it.
struct Answer {
  bool done = false;
  std::string error{};
};
// Nothing for a message that is no answer.
std::optional<Answer> read_answer(const Message& message);

}  // namespace aisp::comm
