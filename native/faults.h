// The one table that the system calls of the addon go through, so that tests can make the n-th one fail or slow. Only close, fstat,
// unlink and munmap go past it: nobody could act on their failure.
#pragma once
#include <cerrno>

namespace faults {

enum Call { kOpen, kFallocate, kPwrite, kFsync, kLinkat, kMmap, kMsync, kMadvise, kMincore, kMlock, kFcntl, kSend, kCallCount };

// The errno that this call must fail with, or 0. Sleeps where the table says so.
int Meet(Call call);

// Replaces the table: "msync@7=EIO,fallocate@2=ENOSPC,msync=500ms". An empty text clears it. False when it cannot be read.
bool Set(const char* spec);

// Runs a system call that answers -1 and errno, unless the table has it fail.
template <typename F>
auto Run(Call call, F&& f) -> decltype(f()) {
  if (int error = Meet(call)) {
    errno = error;
    return static_cast<decltype(f())>(-1);
  }
  return f();
}

}  // namespace faults
