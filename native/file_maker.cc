#include "file_maker.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "faults.h"

namespace {

constexpr mode_t kMode = 0644;
constexpr size_t kZeroChunk = 1 << 20;

std::string DirectoryOf(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

bool Fail(MapFailure* failure, const char* syscall) {
  *failure = {errno, syscall};
  return false;
}

bool SyncFile(int fd, MapFailure* failure) {
  return faults::Run(faults::kFsync, [&] { return fsync(fd); }) == 0 || Fail(failure, "fsync");
}

bool SyncDirectoryOf(const std::string& path, MapFailure* failure) {
  int fd = faults::Run(faults::kOpen, [&] {
    return open(DirectoryOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  });
  if (fd < 0) return Fail(failure, "open");
  bool synced = SyncFile(fd, failure);
  close(fd);
  return synced;
}

bool WriteZeros(int fd, size_t size, MapFailure* failure) {
  std::vector<char> zeros(std::min(size, kZeroChunk));
  for (size_t at = 0; at < size;) {
    ssize_t wrote = faults::Run(faults::kPwrite, [&] {
      return pwrite(fd, zeros.data(), std::min(zeros.size(), size - at), static_cast<off_t>(at));
    });
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return Fail(failure, "pwrite");
    at += static_cast<size_t>(wrote);
  }
  return true;
}

// A hole written through a mapping on a full disk is a SIGBUS; allocated blocks are not.
bool Allocate(int fd, size_t size, Origin origin, MapFailure* failure) {
  int result;
  do {
    result = faults::Run(faults::kFallocate, [&] { return fallocate(fd, 0, 0, static_cast<off_t>(size)); });
  } while (result != 0 && errno == EINTR);
  if (result == 0) return true;
  if (errno == EOPNOTSUPP && origin == Origin::kCreateOrFill) return WriteZeros(fd, size, failure);
  return Fail(failure, "fallocate");
}

// Without a name at first. Where the file system knows no such files: under its name, which is taken away again on failure.
int OpenNew(const std::string& path, bool* named, MapFailure* failure) {
  if (int error = faults::Meet(faults::kOpen)) {
    errno = error;
    Fail(failure, "open");
    return -1;
  }
  *named = false;
  int fd = open(DirectoryOf(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kMode);
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    *named = true;
    fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  }
  if (fd < 0) Fail(failure, "open");
  return fd;
}

bool GiveName(int fd, const std::string& path, MapFailure* failure) {
  std::string link = "/proc/self/fd/" + std::to_string(fd);
  int result = faults::Run(faults::kLinkat, [&] {
    return linkat(AT_FDCWD, link.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW);
  });
  return result == 0 || Fail(failure, "linkat");
}

}  // namespace

int OpenFile(const std::string& path, MapFailure* failure) {
  int fd = faults::Run(faults::kOpen, [&] { return open(path.c_str(), O_RDWR | O_CLOEXEC); });
  if (fd < 0) Fail(failure, "open");
  return fd;
}

int MakeFile(const std::string& path, size_t size, Origin origin, MapFailure* failure) {
  bool named;
  int fd = OpenNew(path, &named, failure);
  if (fd < 0) return -1;
  bool made = Allocate(fd, size, origin, failure) && SyncFile(fd, failure);
  if (made && !named) {
    made = GiveName(fd, path, failure);
    named = made;
  }
  if (made) made = SyncDirectoryOf(path, failure);
  if (made) return fd;
  if (named) unlink(path.c_str());
  close(fd);
  return -1;
}
