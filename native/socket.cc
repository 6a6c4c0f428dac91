// One send(2) that never waits and never raises a signal: the bytes that the kernel took, or a negative errno.
#include <sys/socket.h>

#include "exports.h"
#include "faults.h"
#include "napi_util.h"

Napi::Value Send(const Napi::CallbackInfo& info) {
  int64_t start = Int64(info, 2);
  int64_t size = Int64(info, 3);
  const uint8_t* bytes = Range(info, 1, start, size);
  if (bytes == nullptr) return Napi::Number::New(info.Env(), -EINVAL);
  int fd = Int32(info, 0);
  ssize_t sent = faults::Run(faults::kSend, [&] {
    return send(fd, bytes, static_cast<size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL);
  });
  return Napi::Number::New(info.Env(), sent >= 0 ? static_cast<double>(sent) : -static_cast<double>(errno));
}
