#include "faults.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

namespace faults {
namespace {

struct Rule {
  Call call;
  long nth;  // 0: every call
  int error;
  long sleep_ms;
};

// In the order of Call.
const char* const kNames[] = {"open", "fallocate", "pwrite",  "fsync", "linkat", "mmap",
                              "msync", "madvise",  "mincore", "mlock", "fcntl",  "send"};
static_assert(sizeof kNames / sizeof kNames[0] == kCallCount, "each call has a name");

std::atomic<bool> active{false};
std::mutex mutex;
std::vector<Rule> rules;
long counts[kCallCount];

int ErrorOf(const std::string& name) {
  if (name == "EIO") return EIO;
  if (name == "ENOSPC") return ENOSPC;
  if (name == "EDQUOT") return EDQUOT;
  if (name == "EFBIG") return EFBIG;
  if (name == "EINTR") return EINTR;
  if (name == "ENOMEM") return ENOMEM;
  if (name == "EMFILE") return EMFILE;
  if (name == "EOPNOTSUPP") return EOPNOTSUPP;
  if (name == "EAGAIN") return EAGAIN;
  if (name == "EACCES") return EACCES;
  if (name == "EROFS") return EROFS;
  return 0;
}

bool ParseRule(const std::string& text, Rule* rule) {
  size_t equals = text.find('=');
  if (equals == std::string::npos) return false;
  std::string name = text.substr(0, equals);
  std::string effect = text.substr(equals + 1);
  rule->nth = 0;
  size_t at = name.find('@');
  if (at != std::string::npos) {
    rule->nth = atol(name.c_str() + at + 1);
    if (rule->nth <= 0) return false;
    name.resize(at);
  }
  int call = 0;
  while (call < kCallCount && name != kNames[call]) call++;
  if (call == kCallCount) return false;
  rule->call = static_cast<Call>(call);
  size_t ms = effect.rfind("ms");
  rule->sleep_ms = ms != std::string::npos && ms + 2 == effect.size() ? atol(effect.c_str()) : 0;
  rule->error = rule->sleep_ms > 0 ? 0 : ErrorOf(effect);
  return rule->sleep_ms > 0 || rule->error != 0;
}

struct FromEnvironment {
  FromEnvironment() {
    const char* spec = getenv("COMETMQ_FAULT");
    if (spec != nullptr) Set(spec);
  }
} from_environment;

}  // namespace

bool Set(const char* spec) {
  std::vector<Rule> parsed;
  std::string text(spec);
  size_t start = 0;
  while (start < text.size()) {
    size_t comma = text.find(',', start);
    if (comma == std::string::npos) comma = text.size();
    Rule rule;
    if (!ParseRule(text.substr(start, comma - start), &rule)) return false;
    parsed.push_back(rule);
    start = comma + 1;
  }
  std::lock_guard<std::mutex> lock(mutex);
  rules = parsed;
  memset(counts, 0, sizeof counts);
  active.store(!rules.empty(), std::memory_order_release);
  return true;
}

int Meet(Call call) {
  if (!active.load(std::memory_order_acquire)) return 0;
  long sleep_ms = 0;
  int error = 0;
  {
    std::lock_guard<std::mutex> lock(mutex);
    long n = ++counts[call];
    for (const Rule& rule : rules) {
      if (rule.call != call || (rule.nth != 0 && rule.nth != n)) continue;
      sleep_ms += rule.sleep_ms;
      if (rule.error != 0) error = rule.error;
    }
  }
  if (sleep_ms > 0) usleep(static_cast<useconds_t>(sleep_ms) * 1000);
  return error;
}

}  // namespace faults
