// Adapts a sanitizer to this program. It is linked into the program and into its tests.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int reports = -1;

// Runs before main, because the sandbox does not allow the file to be opened later.
__attribute__((constructor)) static void open_reports(void) {
  reports = open(REPORTS, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
}

// Called with everything that a sanitizer prints. The stderr of a program under test is shown only if its test fails.
void __sanitizer_on_print(const char *text) {
  if (write(reports, text, strlen(text)) < 0) return;
}

// Leak detection is off, because it uses a tracer, which the sandbox forbids.
const char *__asan_default_options(void) { return "detect_leaks=0"; }

#ifdef THREAD
#include <dlfcn.h>
#include <stdint.h>

// The slow paths of `Synchronization.Mutex` are in a library that was not compiled with the sanitizer. Without these replacements, a
// contended lock would not count as a lock. They take precedence over the functions of the library.
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
