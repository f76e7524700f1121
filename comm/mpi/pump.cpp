#include "comm/mpi/pump.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace aisp::comm {

Pump::Pump(Mpi& mpi, int other, int tag, Descriptor socket, std::size_t room, End end)
    : mpi_(mpi),
      other_(other),
      tag_(tag),
      may_end_(end == End::seen),
      socket_(std::move(socket)),
      out_(room),
      in_(room) {
  receives_ = mpi_.receive(other_, tag_, in_);
}

pollfd Pump::watched() const {
  short events = 0;
  if (!end_here_ && !full_) events |= POLLIN;
  if (!waiting_.empty()) events |= POLLOUT;
  return {events != 0 ? socket_.get() : -1, events, 0};
}

bool Pump::move(short revents) {
  bool moved = false;
  if (revents != 0 && !end_here_ && !full_) {
    const auto got = recv(socket_.get(), out_.data(), out_.size(), MSG_DONTWAIT);
    if (got > 0) {
      out_bytes_ = static_cast<std::size_t>(got);
      full_ = moved = true;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      end_here_ = moved = true;
    }
  }
  moved |= send_next();
  moved |= take_arrival();
  moved |= hand_over();
  return moved;
}

// A message of no bytes is the end.
bool Pump::send_next() {
  if (lost_) return false;
  std::size_t bytes = 0;
  if (sends_.active()) {
    if (!sends_.test(bytes)) return false;
    full_ = false;
  }
  if (!full_ && end_here_ && last_) {
    out_bytes_ = std::min(last_->size(), out_.size());
    std::memcpy(out_.data(), last_->data(), out_bytes_);
    last_.reset();
    full_ = true;
  }
  if (full_)
    sends_ = mpi_.send(other_, tag_, std::span(out_).first(out_bytes_));
  else if (end_here_ && may_end_ && !sent_end_) {
    sends_ = mpi_.send(other_, tag_, {});
    sent_end_ = true;
  } else {
    return false;
  }
  return true;
}

// One more is asked for only when the process here has taken what has come: whoever sends faster
// than that waits.
bool Pump::take_arrival() {
  std::size_t bytes = 0;
  if (lost_ || got_end_ || !receives_.active() || !receives_.test(bytes)) return false;
  if (bytes == 0) {
    got_end_ = true;
    if (waiting_.empty()) shutdown(socket_.get(), SHUT_WR);
    return true;
  }
  waiting_.emplace_back(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(bytes));
  return true;
}

bool Pump::hand_over() {
  bool moved = false;
  while (!waiting_.empty()) {
    auto& first = waiting_.front();
    const auto sent = deaf_ ? static_cast<ssize_t>(first.size() - handed_)
                            : ::send(socket_.get(), first.data() + handed_, first.size() - handed_,
                                     MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) break;
    moved = true;
    if (sent < 0) {
      deaf_ = true;  // nobody reads here any more: what still comes is dropped
      continue;
    }
    handed_ += static_cast<std::size_t>(sent);
    if (handed_ < first.size()) continue;
    waiting_.pop_front();
    handed_ = 0;
  }
  if (!waiting_.empty()) return moved;
  if (got_end_) {
    if (moved) shutdown(socket_.get(), SHUT_WR);
  } else if (!receives_.active()) {
    receives_ = mpi_.receive(other_, tag_, in_);
  }
  return moved;
}

void Pump::end_with(const std::string& message) {
  may_end_ = true;  // what it has said before is read first
  if (!message.empty()) last_ = message;
}

void Pump::lose_other(const std::string& message) {
  if (lost_) return;
  lost_ = end_here_ = got_end_ = true;
  const auto* bytes = reinterpret_cast<const std::byte*>(message.data());
  if (!message.empty()) waiting_.emplace_back(bytes, bytes + message.size());
  if (waiting_.empty()) shutdown(socket_.get(), SHUT_WR);
  hand_over();
}

}  // namespace aisp::comm
