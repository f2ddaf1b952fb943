/* Sits between a process and the files below one folder. Counts the calls that change files, makes chosen calls
 * fail, and records them, so that possible contents of the disk after a power cut can be rebuilt. Loaded by
 * LD_PRELOAD; see preload.rs.
 *
 * FAULT_DIR      the folder
 * FAULT_CONTROL  a file with struct control; the test reads and writes it while the process runs
 * FAULT_LOG      the file for records; without it, nothing is recorded
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OP_WRITE = 1, OP_SYNC_BEGIN, OP_SYNC_END, OP_CREATE, OP_TRUNCATE, OP_RENAME, OP_UNLINK, OP_MKDIR };
/* Kinds of calls, for struct control. */
enum { KIND_WRITE = 1, KIND_SYNC = 2, KIND_CREATE = 4, KIND_NAME = 8, KIND_OPEN = 16, ONLY_LANDING = 32, KIND_READ = 64, ONLY_FOLDERS = 128 };

struct control {
    _Atomic int64_t calls;     /* calls of the chosen kinds so far */
    _Atomic int64_t records;   /* records written so far */
    _Atomic int64_t fail_from; /* the number of the first call that fails, from 1; 0: none */
    _Atomic int64_t fail_many; /* how many fail from there on */
    _Atomic int64_t error;     /* their errno */
    _Atomic int64_t kinds;     /* the kinds that are counted and may fail */
    _Atomic int64_t torn;      /* not 0: a failing write has written its first half */
};

/* The head of a record, before both paths and the bytes. Little-endian on every machine that this is built for. */
struct record {
    uint8_t op;
    uint8_t failed;
    uint16_t path_length;
    uint16_t other_length;
    uint16_t unused;
    uint32_t length; /* of the bytes */
    uint32_t ticket; /* connects the beginning and the end of a sync */
    int64_t offset;
};

static struct control *control;
static char folder[PATH_MAX];
static size_t folder_length;
static int log_fd = -1;
static uint32_t tickets;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name, type) static type (*real_##name)
REAL(pwrite64, ssize_t)(int, const void *, size_t, off64_t);
REAL(write, ssize_t)(int, const void *, size_t);
REAL(ftruncate64, int)(int, off64_t);
REAL(fdatasync, int)(int);
REAL(fsync, int)(int);
REAL(rename, int)(const char *, const char *);
REAL(unlink, int)(const char *);
REAL(unlinkat, int)(int, const char *, int);
REAL(rmdir, int)(const char *);
REAL(mkdir, int)(const char *, mode_t);
REAL(open64, int)(const char *, int, ...);
REAL(read, ssize_t)(int, void *, size_t);
REAL(pread64, ssize_t)(int, void *, size_t, off64_t);

__attribute__((constructor)) static void start(void) {
    real_pwrite64 = dlsym(RTLD_NEXT, "pwrite64");
    real_write = dlsym(RTLD_NEXT, "write");
    real_ftruncate64 = dlsym(RTLD_NEXT, "ftruncate64");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_rename = dlsym(RTLD_NEXT, "rename");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
    real_unlinkat = dlsym(RTLD_NEXT, "unlinkat");
    real_rmdir = dlsym(RTLD_NEXT, "rmdir");
    real_mkdir = dlsym(RTLD_NEXT, "mkdir");
    real_open64 = dlsym(RTLD_NEXT, "open64");
    real_read = dlsym(RTLD_NEXT, "read");
    real_pread64 = dlsym(RTLD_NEXT, "pread64");
    const char *dir = getenv("FAULT_DIR"), *path = getenv("FAULT_CONTROL"), *log = getenv("FAULT_LOG");
    if (!dir || !path) return;
    int fd = real_open64(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void *memory = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory == MAP_FAILED) return;
    snprintf(folder, sizeof folder, "%s", dir);
    folder_length = strlen(folder);
    if (log) log_fd = real_open64(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    control = memory;
}

static int is_inside(const char *path) {
    return control && strncmp(path, folder, folder_length) == 0
        && (path[folder_length] == '/' || path[folder_length] == 0);
}

/* The path of an open file below the folder; 0 for any other. */
static int path_of(int fd, char path[PATH_MAX]) {
    char link[64];
    if (!control) return 0;
    int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    errno = before;
    if (length < 0) return 0;
    path[length] = 0;
    return is_inside(path);
}

/* The index is not persistent, and is rebuilt after a failure. */
static int is_index(const char *path) {
    return strncmp(path + folder_length, "/index", 6) == 0;
}

/* Whether commits land there: in the log or among the blocks. */
static int is_landing(const char *path) {
    const char *name = path + folder_length;
    return strncmp(name, "/log", 4) == 0 || strncmp(name, "/blocks", 7) == 0;
}

/* Counts a call. Returns not 0, with errno set, if it must fail. */
static int fails(int kind, const char *path) {
    if (!(control->kinds & kind) || is_index(path)) return 0;
    if ((control->kinds & ONLY_LANDING) && !is_landing(path)) return 0;
    int64_t call = atomic_fetch_add(&control->calls, 1) + 1, from = control->fail_from;
    if (from == 0 || call < from || call - from >= control->fail_many) return 0;
    errno = (int)control->error;
    return 1;
}

/* Appends a record. The caller holds `order`. */
static void record(int op, int failed, const char *path, const char *other, int64_t offset, const void *bytes,
                   size_t length, uint32_t ticket) {
    int before = errno;
    if (is_index(path)) return;
    if (log_fd >= 0) {
        struct record head = {.op = op, .failed = failed, .path_length = strlen(path),
            .other_length = other ? strlen(other) : 0, .length = length, .ticket = ticket, .offset = offset};
        size_t size = sizeof head + head.path_length + head.other_length + length, done = 0;
        char *whole = malloc(size);
        memcpy(whole, &head, sizeof head);
        memcpy(whole + sizeof head, path, head.path_length);
        if (other) memcpy(whole + sizeof head + head.path_length, other, head.other_length);
        if (length) memcpy(whole + size - length, bytes, length);
        while (done < size) {
            ssize_t written = real_write(log_fd, whole + done, size - done);
            if (written <= 0) abort();
            done += written;
        }
        free(whole);
    }
    atomic_fetch_add(&control->records, 1);
    errno = before;
}

static ssize_t write_at(int fd, const void *bytes, size_t length, off64_t offset, const char *path, int is_write) {
    pthread_mutex_lock(&order);
    int failed = fails(KIND_WRITE, path), error = errno;
    ssize_t written = -1;
    if (!failed || (control->torn && length > 1)) {
        size_t part = failed ? length / 2 : length;
        written = is_write ? real_write(fd, bytes, part) : real_pwrite64(fd, bytes, part, offset);
        if (written > 0) record(OP_WRITE, 0, path, NULL, offset, bytes, written, 0);
    }
    if (failed) {
        written = -1;
        errno = error;
    }
    pthread_mutex_unlock(&order);
    return written;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
    char path[PATH_MAX];
    if (!path_of(fd, path)) return real_pwrite64(fd, bytes, length, offset);
    return write_at(fd, bytes, length, offset, path, 0);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t write(int fd, const void *bytes, size_t length) {
    char path[PATH_MAX];
    if (!path_of(fd, path)) return real_write(fd, bytes, length);
    return write_at(fd, bytes, length, lseek64(fd, 0, SEEK_CUR), path, 1);
}

/* Only of the store's own files, not of the lock and the socket. */
static int read_fails(int fd) {
    char path[PATH_MAX];
    if (!control || !(control->kinds & KIND_READ) || !path_of(fd, path)) return 0;
    if (strncmp(path + folder_length, "/lock", 5) == 0) return 0;
    pthread_mutex_lock(&order);
    int failed = fails(KIND_READ, path), error = errno;
    pthread_mutex_unlock(&order);
    if (failed) errno = error;
    return failed;
}

ssize_t read(int fd, void *bytes, size_t length) { return read_fails(fd) ? -1 : real_read(fd, bytes, length); }

ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset) {
    return read_fails(fd) ? -1 : real_pread64(fd, bytes, length, offset);
}

ssize_t pread(int fd, void *bytes, size_t length, off_t offset) { return pread64(fd, bytes, length, offset); }

int ftruncate64(int fd, off64_t length) {
    char path[PATH_MAX];
    if (!path_of(fd, path)) return real_ftruncate64(fd, length);
    pthread_mutex_lock(&order);
    int result = fails(KIND_WRITE, path) ? -1 : real_ftruncate64(fd, length);
    if (result == 0) record(OP_TRUNCATE, 0, path, NULL, length, NULL, 0, 0);
    pthread_mutex_unlock(&order);
    return result;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

/* If it succeeds, the writes before its beginning are stored at its end. */
static int sync_with(int fd, int (*sync)(int)) {
    char path[PATH_MAX];
    if (!path_of(fd, path)) return sync(fd);
    struct stat status;
    int is_folder = fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
    pthread_mutex_lock(&order);
    int failed = (is_folder || !(control->kinds & ONLY_FOLDERS)) && fails(KIND_SYNC, path);
    uint32_t ticket = ++tickets;
    record(OP_SYNC_BEGIN, 0, path, NULL, 0, NULL, 0, ticket);
    pthread_mutex_unlock(&order);
    int result = failed ? -1 : sync(fd);
    pthread_mutex_lock(&order);
    record(OP_SYNC_END, result != 0, path, NULL, 0, NULL, 0, ticket);
    pthread_mutex_unlock(&order);
    return result;
}

int fdatasync(int fd) { return sync_with(fd, real_fdatasync); }
int fsync(int fd) { return sync_with(fd, real_fsync); }

int rename(const char *from, const char *to) {
    if (!is_inside(from)) return real_rename(from, to);
    pthread_mutex_lock(&order);
    int result = fails(KIND_NAME, from) ? -1 : real_rename(from, to);
    if (result == 0) record(OP_RENAME, 0, from, to, 0, NULL, 0, 0);
    pthread_mutex_unlock(&order);
    return result;
}

int unlink(const char *path) {
    if (!is_inside(path)) return real_unlink(path);
    pthread_mutex_lock(&order);
    int result = fails(KIND_NAME, path) ? -1 : real_unlink(path);
    if (result == 0) record(OP_UNLINK, 0, path, NULL, 0, NULL, 0, 0);
    pthread_mutex_unlock(&order);
    return result;
}

/* Also for an empty folder: its name is removed like that of a file. */
int rmdir(const char *path) {
    if (!is_inside(path)) return real_rmdir(path);
    pthread_mutex_lock(&order);
    int result = fails(KIND_NAME, path) ? -1 : real_rmdir(path);
    if (result == 0) record(OP_UNLINK, 0, path, NULL, 0, NULL, 0, 0);
    pthread_mutex_unlock(&order);
    return result;
}

/* Removing a folder with its content uses descriptors of folders. */
int unlinkat(int fd, const char *name, int flags) {
    char folder_path[PATH_MAX], path[2 * PATH_MAX];
    if (name[0] == '/') snprintf(path, sizeof path, "%s", name);
    else if (path_of(fd, folder_path)) snprintf(path, sizeof path, "%s/%s", folder_path, name);
    else return real_unlinkat(fd, name, flags);
    if (!is_inside(path)) return real_unlinkat(fd, name, flags);
    pthread_mutex_lock(&order);
    int result = fails(KIND_NAME, path) ? -1 : real_unlinkat(fd, name, flags);
    if (result == 0) record(OP_UNLINK, 0, path, NULL, 0, NULL, 0, 0);
    pthread_mutex_unlock(&order);
    return result;
}

int mkdir(const char *path, mode_t mode) {
    if (!is_inside(path)) return real_mkdir(path, mode);
    pthread_mutex_lock(&order);
    int result = fails(KIND_NAME, path) ? -1 : real_mkdir(path, mode);
    if (result == 0) record(OP_MKDIR, 0, path, NULL, 0, NULL, 0, 0);
    pthread_mutex_unlock(&order);
    return result;
}

static int open_with(const char *path, int flags, mode_t mode) {
    if (!is_inside(path)) return real_open64(path, flags, mode);
    pthread_mutex_lock(&order);
    int before = errno;
    struct stat status;
    int is_new = (flags & O_CREAT) && stat(path, &status) != 0;
    errno = before;
    int fd = fails(is_new ? KIND_CREATE | KIND_OPEN : KIND_OPEN, path) ? -1 : real_open64(path, flags, mode);
    if (fd >= 0 && is_new) record(OP_CREATE, 0, path, NULL, 0, NULL, 0, 0);
    if (fd >= 0 && !is_new && (flags & O_TRUNC)) record(OP_TRUNCATE, 0, path, NULL, 0, NULL, 0, 0);
    pthread_mutex_unlock(&order);
    return fd;
}

#define MODE_OF(flags)                          \
    mode_t mode = 0;                            \
    if ((flags) & O_CREAT) {                 \
        va_list rest;                           \
        va_start(rest, flags);                  \
        mode = va_arg(rest, mode_t);            \
        va_end(rest);                           \
    }

int open64(const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_with(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_with(path, flags | O_LARGEFILE, mode);
}
