// The process lock of a store, directory syncs, and forgetting cached pages.
#include <fcntl.h>
#include <unistd.h>

#include "exports.h"
#include "faults.h"
#include "napi_util.h"

namespace {

int OpenOrThrow(const Napi::CallbackInfo& info, const std::string& path, int flags) {
  int fd = faults::Run(faults::kOpen, [&] { return open(path.c_str(), flags | O_CLOEXEC, 0644); });
  if (fd < 0) ThrowErrno(info.Env(), errno, "open", path);
  return fd;
}

}  // namespace

// The lock that Java's FileLock takes: exclusive, on the first byte. It belongs to the open file and not to the process, so that it
// also bars a second store of this process, and nobody loses it by closing another descriptor of the file.
Napi::Value LockFile(const Napi::CallbackInfo& info) {
  std::string path = Text(info, 0);
  int fd = OpenOrThrow(info, path, O_RDWR | O_CREAT);
  if (fd < 0) return info.Env().Undefined();
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = 0;
  lock.l_len = 1;
  if (faults::Run(faults::kFcntl, [&] { return fcntl(fd, F_OFD_SETLK, &lock); }) != 0) {
    ThrowErrno(info.Env(), errno, "fcntl", path);
    close(fd);
    return info.Env().Undefined();
  }
  if (faults::Run(faults::kPwrite, [&] { return pwrite(fd, "lock", 4, 0); }) != 4) {
    ThrowErrno(info.Env(), errno, "pwrite", path);
    close(fd);
    return info.Env().Undefined();
  }
  return Napi::Number::New(info.Env(), fd);
}

Napi::Value UnlockFile(const Napi::CallbackInfo& info) {
  close(Int32(info, 0));
  return info.Env().Undefined();
}

Napi::Value SyncDirectory(const Napi::CallbackInfo& info) {
  std::string path = Text(info, 0);
  int fd = OpenOrThrow(info, path, O_RDONLY | O_DIRECTORY);
  if (fd < 0) return info.Env().Undefined();
  if (faults::Run(faults::kFsync, [&] { return fsync(fd); }) != 0) ThrowErrno(info.Env(), errno, "fsync", path);
  close(fd);
  return info.Env().Undefined();
}

Napi::Value DropCache(const Napi::CallbackInfo& info) {
  std::string path = Text(info, 0);
  int fd = OpenOrThrow(info, path, O_RDONLY);
  if (fd < 0) return info.Env().Undefined();
  int error = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  if (error != 0) ThrowErrno(info.Env(), error, "posix_fadvise", path);
  close(fd);
  return info.Env().Undefined();
}

Napi::Value SetFaults(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), faults::Set(Text(info, 0).c_str()));
}
