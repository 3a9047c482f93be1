// SPDX-License-Identifier: Apache-2.0
// A library to preload: makes the n-th call of one function of the system fail, so that tests can see what a program
// does then. tests/python/test_faults.py runs every verb of the command under it.
//
//   DORM_FAULT=CALL:N        the N-th call fails (counted from 1, over all threads, from the start of main)
//   DORM_FAULT=CALL:N:on     it and all that follow
//   DORM_FAULT_COUNTS=FILE   how often each was called, written when the program ends
//
// CALL is one of the names below. "short" writes half of what it was given, which is no failure. Standard error always
// works, so that messages can be seen.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

enum Call { kWrite, kShort, kFsync, kRename, kMmap, kMalloc, kThread, kOpen, kRead, kClose, kCalls };
constexpr const char* kNames[kCalls] = {"write",  "short",          "fsync", "rename", "mmap",
                                        "malloc", "pthread_create", "open",  "read",   "close"};

// Set before main runs, read by all threads.
std::atomic<bool> counting = false;
std::atomic<unsigned long> counts[kCalls] = {};
int chosen = kCalls;
unsigned long at = 0;
bool stays = false;

bool fails(Call call) {
  if (!counting) return false;
  const unsigned long n = ++counts[call];
  return call == chosen && (stays ? n >= at : n == at);
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int refuse(int code) {
  errno = code;
  return -1;
}

void read_orders() {
  const char* order = std::getenv("DORM_FAULT");
  if (order == nullptr) return;
  const char* colon = std::strchr(order, ':');
  for (int call = 0; colon != nullptr && call < kCalls; ++call)
    if (std::strlen(kNames[call]) == static_cast<std::size_t>(colon - order) &&
        std::strncmp(order, kNames[call], std::strlen(kNames[call])) == 0)
      chosen = call;
  if (chosen == kCalls) {
    std::fprintf(stderr, "fault_shim: DORM_FAULT=%s names no call\n", order);
    std::_Exit(99);
  }
  char* end = nullptr;
  at = std::strtoul(colon + 1, &end, 10);
  stays = std::strcmp(end, ":on") == 0;
}

__attribute__((destructor)) void report() {
  counting = false;
  const char* path = std::getenv("DORM_FAULT_COUNTS");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) return;
  for (int call = 0; call < kCalls; ++call) std::fprintf(file, "%s %lu\n", kNames[call], counts[call].load());
  std::fclose(file);
}

int (*real_main)(int, char**, char**) = nullptr;
int main_under_faults(int argc, char** argv, char** environment) {
  read_orders();
  counting = true;
  const int status = real_main(argc, argv, environment);
  counting = false;  // what the runtime does on the way out is not the program's
  return status;
}

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  using Start = int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = main;
  return real<Start>("__libc_start_main")(main_under_faults, argc, argv, init, fini, rtld_fini, stack_end);
}

ssize_t write(int file, const void* data, std::size_t size) {
  static auto* const next = real<ssize_t(int, const void*, std::size_t)>("write");
  if (file != STDERR_FILENO && fails(kWrite)) return refuse(ENOSPC);
  if (fails(kShort) && size > 1) size /= 2;
  return next(file, data, size);
}

ssize_t read(int file, void* data, std::size_t size) {
  static auto* const next = real<ssize_t(int, void*, std::size_t)>("read");
  return fails(kRead) ? refuse(EIO) : next(file, data, size);
}

ssize_t pread(int file, void* data, std::size_t size, off_t offset) {
  static auto* const next = real<ssize_t(int, void*, std::size_t, off_t)>("pread");
  return fails(kRead) ? refuse(EIO) : next(file, data, size, offset);
}

int fsync(int file) {
  static auto* const next = real<int(int)>("fsync");
  return fails(kFsync) ? refuse(EIO) : next(file);
}

// The descriptor is gone although the call has failed, as on Linux.
int close(int file) {
  static auto* const next = real<int(int)>("close");
  const int status = next(file);
  return fails(kClose) ? refuse(EIO) : status;
}

int rename(const char* from, const char* to) noexcept {
  static auto* const next = real<int(const char*, const char*)>("rename");
  return fails(kRename) ? refuse(EACCES) : next(from, to);
}

int open(const char* path, int flags, ...) {
  static auto* const next = real<int(const char*, int, ...)>("open");
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return fails(kOpen) ? refuse(EMFILE) : next(path, flags, mode);
}

void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  static auto* const next = real<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  if (!fails(kMmap)) return next(address, size, protection, flags, file, offset);
  refuse(ENOMEM);
  return MAP_FAILED;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) noexcept {
  static auto* const next = real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return fails(kThread) ? EAGAIN : next(thread, attributes, body, argument);
}

void* malloc(std::size_t size) {
  if (!fails(kMalloc)) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}

void* calloc(std::size_t count, std::size_t size) {
  if (!fails(kMalloc)) return __libc_calloc(count, size);
  errno = ENOMEM;
  return nullptr;
}

void* realloc(void* old, std::size_t size) {
  if (!fails(kMalloc)) return __libc_realloc(old, size);
  errno = ENOMEM;
  return nullptr;
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (!fails(kMalloc)) return __libc_memalign(alignment, size);
  errno = ENOMEM;
  return nullptr;
}

int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  if (fails(kMalloc)) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}

}  // extern "C"
