// Copies that JavaScript makes slowly: V8 copies to and from shared memory word by word, and makes an object for every range.
//
// The bulk of a record in one call: its body, whose sum is taken on the way, and its properties. A call costs more than the copy of a
// small body, and Buffer.copy makes an object each time.
#include <cstring>

#include "crc32.h"
#include "exports.h"

namespace {

struct Bytes {
  uint8_t* data;
  size_t size;
};

bool ReadBytes(napi_env env, napi_value value, Bytes* bytes) {
  void* data = nullptr;
  if (napi_get_typedarray_info(env, value, nullptr, &bytes->size, &data, nullptr, nullptr) != napi_ok) return false;
  bytes->data = static_cast<uint8_t*>(data);
  return true;
}

bool ReadSize(napi_env env, napi_value value, size_t* size) {
  int64_t number;
  if (napi_get_value_int64(env, value, &number) != napi_ok || number < 0) return false;
  *size = static_cast<size_t>(number);
  return true;
}

bool Holds(const Bytes& bytes, size_t start, size_t size) { return start <= bytes.size && size <= bytes.size - start; }

void Copy(const Bytes& target, size_t at, const Bytes& source, size_t start, size_t size) {
  if (size > 0) memcpy(target.data + at, source.data + start, size);
}

}  // namespace

// target, bodyAt, body, bodyStart, bodySize, propertiesAt, properties, propertiesStart, propertiesSize
napi_value CopyTwo(napi_env env, napi_callback_info info) {
  napi_value args[9];
  size_t count = 9;
  napi_value result;
  Bytes target, body, properties;
  size_t body_at, body_start, body_size, properties_at, properties_start, properties_size;
  bool valid = napi_get_cb_info(env, info, &count, args, nullptr, nullptr) == napi_ok && count == 9 &&
               ReadBytes(env, args[0], &target) && ReadSize(env, args[1], &body_at) && ReadBytes(env, args[2], &body) &&
               ReadSize(env, args[3], &body_start) && ReadSize(env, args[4], &body_size) &&
               ReadSize(env, args[5], &properties_at) && ReadBytes(env, args[6], &properties) &&
               ReadSize(env, args[7], &properties_start) && ReadSize(env, args[8], &properties_size) &&
               Holds(target, body_at, body_size) && Holds(target, properties_at, properties_size) &&
               Holds(body, body_start, body_size) && Holds(properties, properties_start, properties_size);
  if (!valid) {
    napi_create_int32(env, -1, &result);
    return result;
  }
  Copy(target, properties_at, properties, properties_start, properties_size);
  Copy(target, body_at, body, body_start, body_size);
  // From where it came: that is in the cache. The sign bit is not stored, so a small integer carries it.
  uint32_t crc = Crc32Of(body.data == nullptr ? nullptr : body.data + body_start, body_size, 0);
  napi_create_int32(env, static_cast<int32_t>(crc & 0x7fffffff), &result);
  return result;
}

// target, at, source, start, size: the size, or -1 for a range outside its array.
napi_value CopyBytes(napi_env env, napi_callback_info info) {
  napi_value args[5];
  size_t count = 5;
  napi_value result;
  Bytes target, source;
  size_t at, start, size;
  bool valid = napi_get_cb_info(env, info, &count, args, nullptr, nullptr) == napi_ok && count == 5 &&
               ReadBytes(env, args[0], &target) && ReadSize(env, args[1], &at) && ReadBytes(env, args[2], &source) &&
               ReadSize(env, args[3], &start) && ReadSize(env, args[4], &size) && Holds(target, at, size) &&
               Holds(source, start, size);
  if (valid) Copy(target, at, source, start, size);
  napi_create_int32(env, valid ? static_cast<int32_t>(size) : -1, &result);
  return result;
}
