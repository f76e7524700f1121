// A descriptor for another process, with some bytes beside it, over a socket of the two.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

inline bool send_descriptor(int socket, int descriptor, const void* data, std::size_t bytes) {
  iovec piece{const_cast<void*>(data), bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  return sendmsg(socket, &message, 0) == static_cast<ssize_t>(bytes);
}

// Negative: none came.
inline int receive_descriptor(int socket, void* data, std::size_t bytes) {
  iovec piece{data, bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(socket, &message, MSG_WAITALL) != static_cast<ssize_t>(bytes)) return -1;
  const cmsghdr* const head = CMSG_FIRSTHDR(&message);
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS) return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
  return descriptor;
}

// One byte each way: the other process has come so far.
inline bool tell(int socket) { return write(socket, "", 1) == 1; }
inline bool await(int socket) {
  char byte = 0;
  return read(socket, &byte, 1) == 1;
}
