#include "mapping_registry.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "faults.h"

namespace {

std::mutex mutex;
std::vector<std::unique_ptr<Mapping>> mappings;
// The key names the file as well as the path, so that a path that was unlinked and made anew is another mapping.
std::map<std::string, int> by_file;

std::string FileKey(const struct stat& status) {
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

bool SyncDirectoryOf(const std::string& path, MapFailure* failure) {
  size_t slash = path.rfind('/');
  std::string directory = slash == std::string::npos ? "." : path.substr(0, slash);
  int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || faults::Run(faults::kFsync, [&] { return fsync(fd); }) != 0) {
    *failure = {errno, "fsync"};
    if (fd >= 0) close(fd);
    return false;
  }
  close(fd);
  return true;
}

// Full length before anything is mapped, and both the file and its name on disk before anything in it is acknowledged.
bool MakeFile(int fd, const std::string& path, size_t size, MapFailure* failure) {
  if (faults::Run(faults::kFallocate, [&] { return fallocate(fd, 0, 0, static_cast<off_t>(size)); }) != 0) {
    *failure = {errno, "fallocate"};
    return false;
  }
  if (faults::Run(faults::kFsync, [&] { return fsync(fd); }) != 0) {
    *failure = {errno, "fsync"};
    return false;
  }
  return SyncDirectoryOf(path, failure);
}

int OpenFile(const std::string& path, size_t size, bool create, MapFailure* failure) {
  int flags = O_RDWR | O_CLOEXEC | (create ? O_CREAT | O_EXCL : 0);
  int fd = faults::Run(faults::kOpen, [&] { return open(path.c_str(), flags, 0644); });
  if (fd < 0) {
    *failure = {errno, "open"};
    return -1;
  }
  if (create && !MakeFile(fd, path, size, failure)) {
    close(fd);
    unlink(path.c_str());
    return -1;
  }
  return fd;
}

int Insert(std::unique_ptr<Mapping> mapping, const std::string& key) {
  size_t id = 0;
  while (id < mappings.size() && mappings[id]) id++;
  if (id == mappings.size()) mappings.emplace_back();
  mappings[id] = std::move(mapping);
  by_file[key] = static_cast<int>(id);
  return static_cast<int>(id);
}

}  // namespace

int AcquireMapping(const std::string& path, size_t size, bool create, MapFailure* failure) {
  int fd = OpenFile(path, size, create, failure);
  if (fd < 0) return -1;
  struct stat status;
  if (fstat(fd, &status) != 0 || static_cast<size_t>(status.st_size) != size) {
    *failure = {kErrorSize, "fstat"};
    close(fd);
    return -1;
  }
  std::lock_guard<std::mutex> lock(mutex);
  std::string key = FileKey(status);
  auto found = by_file.find(key);
  if (found != by_file.end()) {
    close(fd);
    mappings[found->second]->references++;
    return found->second;
  }
  void* address = MAP_FAILED;
  int error = faults::Meet(faults::kMmap);
  if (error == 0) {
    address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    error = errno;
  }
  close(fd);
  if (address == MAP_FAILED) {
    *failure = {error, "mmap"};
    return -1;
  }
  auto mapping = std::make_unique<Mapping>();
  mapping->path = path;
  mapping->address = static_cast<uint8_t*>(address);
  mapping->size = size;
  mapping->references = 1;
  return Insert(std::move(mapping), key);
}

void ReleaseMapping(int id) {
  std::lock_guard<std::mutex> lock(mutex);
  if (id < 0 || static_cast<size_t>(id) >= mappings.size() || !mappings[id]) return;
  if (--mappings[id]->references > 0) return;
  munmap(mappings[id]->address, mappings[id]->size);
  for (auto entry = by_file.begin(); entry != by_file.end(); ++entry) {
    if (entry->second == id) {
      by_file.erase(entry);
      break;
    }
  }
  mappings[id].reset();
}

Mapping* FindMapping(int id) {
  std::lock_guard<std::mutex> lock(mutex);
  if (id < 0 || static_cast<size_t>(id) >= mappings.size()) return nullptr;
  return mappings[id].get();
}
