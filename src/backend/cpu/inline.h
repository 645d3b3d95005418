/* How functions that are parts of loops are compiled. */
#ifndef BACKEND_CPU_INLINE_H
#define BACKEND_CPU_INLINE_H

/* Under a sanitizer plain accesses become many checks, over which compilers take minutes. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Functions that are parts of loops; where speed does not count, they are left to themselves: many copies
 * take compilers minutes, too. */
#if SANITIZED || !defined(__OPTIMIZE__)
#define ONE_COPY 1
#define ALWAYS static inline
#else
#define ONE_COPY 0
#define ALWAYS static inline __attribute__((always_inline))
#endif

#endif
