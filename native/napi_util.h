// Argument readers, and the one shape of error that JavaScript sees: code, errno, syscall, path.
#pragma once
#include <napi.h>

#include <string>

// Throws an Error with code (as "ENOSPC"), errno, syscall and path. The caller returns at once.
void ThrowErrno(Napi::Env env, int error, const char* syscall, const std::string& path);

inline int64_t Int64(const Napi::CallbackInfo& info, size_t i) { return info[i].As<Napi::Number>().Int64Value(); }
inline int32_t Int32(const Napi::CallbackInfo& info, size_t i) { return info[i].As<Napi::Number>().Int32Value(); }
inline std::string Text(const Napi::CallbackInfo& info, size_t i) { return info[i].As<Napi::String>().Utf8Value(); }

// The address of a typed array's byte at start; null when start + size leaves it.
uint8_t* Range(const Napi::CallbackInfo& info, size_t array, int64_t start, int64_t size);
