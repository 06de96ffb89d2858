// What a sanitizer has to be told of this program, linked into it and into its tests.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int reports = -1;

// Before main: the sandbox lets nobody open a file later.
__attribute__((constructor)) static void open_reports(void) {
  reports = open(REPORTS, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
}

// Called with all that a sanitizer says. The stderr of a program under test is shown only when its test fails.
void __sanitizer_on_print(const char *text) {
  if (write(reports, text, strlen(text)) < 0) return;
}

// Leaks are looked for by a tracer, which the sandbox forbids.
const char *__asan_default_options(void) { return "detect_leaks=0"; }

#ifdef THREAD
#include <dlfcn.h>
#include <stdint.h>

// `Synchronization.Mutex`, whose slow paths are in a library that the sanitizer has not compiled: without this each lock that two
// threads want at once looks like none. These come before the library's own.
void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slowly(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void lock_slowly(uint32_t thread, SELF) {
  ((SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK))(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void unlock_slowly(SELF) __asm__(UNLOCK);
SWIFT void unlock_slowly(SELF) {
  __tsan_release(mutex);
  ((SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK))(mutex);
}
#endif
