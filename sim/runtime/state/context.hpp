// Contexts of the driver. Every device has its primary one, which is the runtime's; a program of
// the driver may make more. All contexts of a device share its memory and its default stream here.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "sim/machine/device_part.hpp"
#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {

struct Context {
  int device = 0;
  bool primary = false;
  std::uint64_t id = 0;
  std::atomic<bool> alive{false};
  std::atomic<unsigned> flags{0};
  int retained = 0;  // of a primary one, by the driver's calls; guarded by Runtime::mutex
  std::shared_ptr<const DevicePart> part;  // of a green one: its SMs
};

// Contexts are never freed: a handle of a destroyed one is known for what it is. Null where the
// handle is none at all.
Context* find_context(const void* handle);
Context& primary_context(int device);
Context& create_context(int device, unsigned flags,
                        std::shared_ptr<const DevicePart> part = nullptr);
bool others_live_on(int device, const Context& but);

// Of the calling thread: the top of its stack, null where there is none. Its device is the thread's
// current one.
Context* current_context();
// What the program makes now belongs to it: a green context's is the primary one's.
Context* owning_context();
void set_current_context(Context* context);  // null: takes the top away
void push_context(Context& context);
Context* pop_context();

// The driver is ready: by cuInit, or because the runtime was called.
bool driver_is_initialised();
void initialise_driver();
// The runtime was called in this thread: it works in the current context, or in the primary one of
// its device, which becomes current. Not while a call of the driver is under way.
void enter_runtime();
void note_runtime_call();  // one that needs no context
bool runtime_used(int device);

class InsideDriver {
 public:
  InsideDriver();
  InsideDriver(const InsideDriver&) = delete;
  InsideDriver& operator=(const InsideDriver&) = delete;
  ~InsideDriver();

 private:
  bool before_;
};

}  // namespace aisp::sim
