// The export table, and the readers that all functions share.
#include "exports.h"

#include <cstring>

#include "mapping_registry.h"
#include "napi_util.h"

void ThrowErrno(Napi::Env env, int error, const char* syscall, const std::string& path) {
  std::string code = error == kErrorSize ? "ESIZE" : strerrorname_np(error) != nullptr ? strerrorname_np(error) : "EUNKNOWN";
  std::string reason = error == kErrorSize ? "the file has another length" : strerror(error);
  Napi::Error thrown = Napi::Error::New(env, code + ": " + reason + ", " + syscall + " '" + path + "'");
  thrown.Set("code", Napi::String::New(env, code));
  thrown.Set("errno", Napi::Number::New(env, error));
  thrown.Set("syscall", Napi::String::New(env, syscall));
  thrown.Set("path", Napi::String::New(env, path));
  thrown.ThrowAsJavaScriptException();
}

uint8_t* Range(const Napi::CallbackInfo& info, size_t array, int64_t start, int64_t size) {
  napi_typedarray_type type;
  size_t length = 0;
  void* data = nullptr;
  napi_value owner;
  size_t offset = 0;
  if (napi_get_typedarray_info(info.Env(), info[array], &type, &length, &data, &owner, &offset) != napi_ok) return nullptr;
  if (start < 0 || size < 0 || static_cast<size_t>(start) + static_cast<size_t>(size) > length) return nullptr;
  static uint8_t empty;
  return data == nullptr ? &empty : static_cast<uint8_t*>(data) + start;
}

namespace {

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  const struct {
    const char* name;
    Napi::Value (*function)(const Napi::CallbackInfo&);
  } table[] = {
      {"createMapping", CreateMapping}, {"openMapping", OpenMapping},   {"view", View},
      {"releaseMapping", ReleaseMappingOf}, {"sync", Sync},             {"resident", Resident},
      {"advise", Advise},               {"lockMemory", LockMemory},     {"unlockMemory", UnlockMemory},
      {"crc32", Crc32},                 {"send", Send},                 {"lockFile", LockFile},
      {"unlockFile", UnlockFile},       {"syncDirectory", SyncDirectory}, {"dropCache", DropCache},
      {"setFaults", SetFaults},
  };
  for (const auto& entry : table) exports.Set(entry.name, Napi::Function::New(env, entry.function, entry.name));
  // The hottest two go without the wrapper, which costs as much as a small copy.
  const struct {
    const char* name;
    napi_callback function;
  } bare[] = {{"copyTwo", CopyTwo}, {"copyBytes", CopyBytes}};
  for (const auto& entry : bare) {
    napi_value function;
    napi_create_function(env, entry.name, NAPI_AUTO_LENGTH, entry.function, nullptr, &function);
    exports.Set(entry.name, Napi::Value(env, function));
  }
  return exports;
}

}  // namespace

NODE_API_MODULE(cometmq, Init)
