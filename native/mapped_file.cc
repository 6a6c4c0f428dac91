// Views, syncs and hints on mappings, as JavaScript functions.
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "exports.h"
#include "faults.h"
#include "mapping_registry.h"
#include "napi_util.h"

namespace {

const size_t kPageSize = static_cast<size_t>(sysconf(_SC_PAGESIZE));

Napi::Value Acquire(const Napi::CallbackInfo& info, Origin origin) {
  std::string path = Text(info, 0);
  MapFailure failure;
  int id = AcquireMapping(path, static_cast<size_t>(Int64(info, 1)), origin, &failure);
  if (id < 0) {
    ThrowErrno(info.Env(), failure.error, failure.syscall, path);
    return info.Env().Undefined();
  }
  return Napi::Number::New(info.Env(), id);
}

// The page-aligned part of a mapping that covers [position, position + size).
struct PageRange {
  Mapping* mapping;
  uint8_t* start;
  size_t size;
};

bool Pages(const Napi::CallbackInfo& info, PageRange* range) {
  range->mapping = FindMapping(Int32(info, 0));
  int64_t position = Int64(info, 1);
  int64_t size = Int64(info, 2);
  if (range->mapping == nullptr || position < 0 || size < 0 ||
      static_cast<size_t>(position) + static_cast<size_t>(size) > range->mapping->size) {
    ThrowErrno(info.Env(), EINVAL, "range", range->mapping == nullptr ? "" : range->mapping->path);
    return false;
  }
  size_t aligned = static_cast<size_t>(position) & ~(kPageSize - 1);
  range->start = range->mapping->address + aligned;
  range->size = static_cast<size_t>(position) + static_cast<size_t>(size) - aligned;
  return true;
}

Napi::Value Finish(const Napi::CallbackInfo& info, int result, const char* syscall, const PageRange& range) {
  if (result != 0) ThrowErrno(info.Env(), errno, syscall, range.mapping->path);
  return info.Env().Undefined();
}

}  // namespace

Napi::Value CreateMapping(const Napi::CallbackInfo& info) {
  bool fill = info.Length() > 2 && info[2].ToBoolean().Value();
  return Acquire(info, fill ? Origin::kCreateOrFill : Origin::kCreate);
}

Napi::Value OpenMapping(const Napi::CallbackInfo& info) { return Acquire(info, Origin::kOpen); }

Napi::Value View(const Napi::CallbackInfo& info) {
  Mapping* mapping = FindMapping(Int32(info, 0));
  if (mapping == nullptr) {
    ThrowErrno(info.Env(), EINVAL, "view", "");
    return info.Env().Undefined();
  }
  // The registry owns the memory: collecting the ArrayBuffer frees nothing.
  return Napi::ArrayBuffer::New(info.Env(), mapping->address, mapping->size, [](Napi::Env, void*) {});
}

Napi::Value ReleaseMappingOf(const Napi::CallbackInfo& info) {
  if (info[1].IsArrayBuffer()) info[1].As<Napi::ArrayBuffer>().Detach();
  ReleaseMapping(Int32(info, 0));
  return info.Env().Undefined();
}

Napi::Value Sync(const Napi::CallbackInfo& info) {
  PageRange range;
  if (!Pages(info, &range)) return info.Env().Undefined();
  int result = faults::Run(faults::kMsync, [&] { return msync(range.start, range.size, MS_SYNC); });
  return Finish(info, result, "msync", range);
}

Napi::Value Resident(const Napi::CallbackInfo& info) {
  PageRange range;
  if (!Pages(info, &range)) return info.Env().Undefined();
  std::vector<unsigned char> pages((range.size + kPageSize - 1) / kPageSize);
  int result = faults::Run(faults::kMincore, [&] { return mincore(range.start, range.size, pages.data()); });
  if (result != 0) return Finish(info, -1, "mincore", range);
  for (unsigned char page : pages) {
    if ((page & 1) == 0) return Napi::Boolean::New(info.Env(), false);
  }
  return Napi::Boolean::New(info.Env(), true);
}

Napi::Value Advise(const Napi::CallbackInfo& info) {
  PageRange range;
  if (!Pages(info, &range)) return info.Env().Undefined();
  int advice = Int32(info, 3);
  int result = faults::Run(faults::kMadvise, [&] { return madvise(range.start, range.size, advice); });
  return Finish(info, result, "madvise", range);
}

Napi::Value LockMemory(const Napi::CallbackInfo& info) {
  PageRange range;
  if (!Pages(info, &range)) return info.Env().Undefined();
  int result = faults::Run(faults::kMlock, [&] { return mlock(range.start, range.size); });
  return Finish(info, result, "mlock", range);
}

Napi::Value UnlockMemory(const Napi::CallbackInfo& info) {
  PageRange range;
  if (!Pages(info, &range)) return info.Env().Undefined();
  int result = faults::Run(faults::kMlock, [&] { return munlock(range.start, range.size); });
  return Finish(info, result, "munlock", range);
}
