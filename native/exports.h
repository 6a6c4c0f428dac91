// The functions that JavaScript sees; native/README.md says what each does.
#pragma once
#include <napi.h>

Napi::Value CreateMapping(const Napi::CallbackInfo& info);
Napi::Value OpenMapping(const Napi::CallbackInfo& info);
Napi::Value View(const Napi::CallbackInfo& info);
Napi::Value ReleaseMappingOf(const Napi::CallbackInfo& info);
Napi::Value Sync(const Napi::CallbackInfo& info);
Napi::Value Resident(const Napi::CallbackInfo& info);
Napi::Value Advise(const Napi::CallbackInfo& info);
Napi::Value LockMemory(const Napi::CallbackInfo& info);
Napi::Value UnlockMemory(const Napi::CallbackInfo& info);
Napi::Value Crc32(const Napi::CallbackInfo& info);
// Raw, since it runs once a message.
napi_value CopyTwo(napi_env env, napi_callback_info info);
napi_value CopyBytes(napi_env env, napi_callback_info info);
Napi::Value Send(const Napi::CallbackInfo& info);
Napi::Value LockFile(const Napi::CallbackInfo& info);
Napi::Value UnlockFile(const Napi::CallbackInfo& info);
Napi::Value SyncDirectory(const Napi::CallbackInfo& info);
Napi::Value DropCache(const Napi::CallbackInfo& info);
Napi::Value SetFaults(const Napi::CallbackInfo& info);
