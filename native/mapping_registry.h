// Process-wide table of mappings: a file is mapped once, whoever drops the last reference unmaps it. Thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

struct Mapping {
  std::string path;
  // Device and inode: the path may be unlinked and made anew while this mapping lives on.
  std::string key;
  uint8_t* address;
  size_t size;
  int references;
};

// What failed, for ThrowErrno; error 0 means that nothing did. kErrorSize: the file has another length than was asked for.
struct MapFailure {
  int error = 0;
  const char* syscall = "";
};
constexpr int kErrorSize = -1;

// How a file comes to be. kFill: where the file system cannot allocate, the zeros are written instead.
enum class Origin { kOpen, kCreate, kCreateOrFill };

// A reference to the mapping of the path; -1 and the failure when there is none to be had.
int AcquireMapping(const std::string& path, size_t size, Origin origin, MapFailure* failure);
void ReleaseMapping(int id);
// Null when the id is not in use. Valid while the caller holds a reference.
Mapping* FindMapping(int id);
