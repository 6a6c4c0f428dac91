#include "mapping_registry.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "faults.h"
#include "file_maker.h"

namespace {

std::mutex mutex;
std::vector<std::unique_ptr<Mapping>> mappings;
std::vector<int> free_ids;
std::unordered_map<std::string, int> by_key;

std::string FileKey(const struct stat& status) {
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

int Insert(std::unique_ptr<Mapping> mapping) {
  int id;
  if (free_ids.empty()) {
    id = static_cast<int>(mappings.size());
    mappings.emplace_back();
  } else {
    id = free_ids.back();
    free_ids.pop_back();
  }
  by_key[mapping->key] = id;
  mappings[static_cast<size_t>(id)] = std::move(mapping);
  return id;
}

Mapping* Find(int id) {
  return id < 0 || static_cast<size_t>(id) >= mappings.size() ? nullptr : mappings[static_cast<size_t>(id)].get();
}

}  // namespace

int AcquireMapping(const std::string& path, size_t size, Origin origin, MapFailure* failure) {
  int fd = origin == Origin::kOpen ? OpenFile(path, failure) : MakeFile(path, size, origin, failure);
  if (fd < 0) return -1;
  struct stat status;
  if (fstat(fd, &status) != 0 || static_cast<size_t>(status.st_size) != size) {
    *failure = {kErrorSize, "fstat"};
    close(fd);
    return -1;
  }
  std::lock_guard<std::mutex> lock(mutex);
  std::string key = FileKey(status);
  auto found = by_key.find(key);
  if (found != by_key.end()) {
    close(fd);
    Find(found->second)->references++;
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
  mapping->key = std::move(key);
  mapping->address = static_cast<uint8_t*>(address);
  mapping->size = size;
  mapping->references = 1;
  return Insert(std::move(mapping));
}

void ReleaseMapping(int id) {
  std::unique_ptr<Mapping> last;
  {
    std::lock_guard<std::mutex> lock(mutex);
    Mapping* mapping = Find(id);
    if (mapping == nullptr || --mapping->references > 0) return;
    by_key.erase(mapping->key);
    last = std::move(mappings[static_cast<size_t>(id)]);
    free_ids.push_back(id);
  }
  // Taking down a gigabyte of pages takes milliseconds; nobody else waits for them.
  munmap(last->address, last->size);
}

Mapping* FindMapping(int id) {
  std::lock_guard<std::mutex> lock(mutex);
  return Find(id);
}
