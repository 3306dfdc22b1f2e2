/* A stand-in for libnvidia-ml.so.1 that answers from a file of `key=value` lines.
 *
 *   count=8   driver=550.127.08   gpu.*.temp.0=44   gpu.5.lost=15   gpu.3.hang_ms=60000   event=120:2:79
 *
 * `gpu.N.x` goes before `gpu.*.x`; `!R` as value returns error R; a missing key is "not supported".
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OK = 0, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, NO_DRIVER = 9, TIMED_OUT = 10 };
enum { MOST_GPUS = 16, MOST_KEYS = 2048 };

static struct { char key[64], value[256]; } entries[MOST_KEYS];
static int entry_count;
static struct device { int index; } devices[MOST_GPUS];
static struct timespec started;

static void load(void) {
  FILE *file = fopen(getenv("NVML_STUB_FILE") ? getenv("NVML_STUB_FILE") : "", "r");
  char line[512];
  entry_count = 0;
  while (file && entry_count < MOST_KEYS && fgets(line, sizeof line, file)) {
    char *equals = strchr(line, '=');
    if (line[0] == '#' || !equals) continue;
    line[strcspn(line, "\r\n")] = 0;
    *equals = 0;
    snprintf(entries[entry_count].key, 64, "%s", line);
    snprintf(entries[entry_count++].value, 256, "%s", equals + 1);
  }
  if (file) fclose(file);
}

static const char *find(const char *key) {
  for (int i = entry_count - 1; i >= 0; i--)
    if (!strcmp(entries[i].key, key)) return entries[i].value;
  return NULL;
}

/* Look up gpu.N.key, then gpu.*.key; a lost or slow GPU answers accordingly. */
static int look(struct device *device, const char *key, const char **value) {
  char name[96];
  const char *special;
  if (device) {
    snprintf(name, sizeof name, "gpu.%d.hang_ms", device->index);
    if ((special = find(name))) usleep(atoi(special) * 1000);
    snprintf(name, sizeof name, "gpu.%d.lost", device->index);
    if ((special = find(name))) return atoi(special);
    snprintf(name, sizeof name, "gpu.%d.%s", device->index, key);
    *value = find(name);
    snprintf(name, sizeof name, "gpu.*.%s", key);
    if (!*value) *value = find(name);
  } else {
    *value = find(key);
  }
  if (!*value) return NOT_SUPPORTED;
  return **value == '!' ? atoi(*value + 1) : OK;
}

static int number(struct device *device, unsigned long long *out, const char *format, ...) {
  char key[64];
  const char *value;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(key, sizeof key, format, arguments);
  va_end(arguments);
  int result = look(device, key, &value);
  if (!result) *out = strtoull(value, NULL, 0);
  return result;
}

static int text(struct device *device, const char *key, char *out, unsigned size) {
  const char *value;
  int result = look(device, key, &value);
  if (result) return result;
  if (strlen(value) >= size) return TOO_SMALL;
  strcpy(out, value);
  return OK;
}

int nvmlInitWithFlags(unsigned flags) {
  unsigned long long code = 0;
  (void)flags;
  load();
  clock_gettime(CLOCK_MONOTONIC, &started);
  if (!getenv("NVML_STUB_FILE")) return NO_DRIVER;
  return number(NULL, &code, "init") ? OK : (int)code;
}
int nvmlInit_v2(void) { return nvmlInitWithFlags(0); }
int nvmlShutdown(void) { return OK; }
const char *nvmlErrorString(int code) {
  return code == 15 ? "GPU is lost" : code == 9 ? "Driver Not Loaded" : code == 18 ? "Driver/library version mismatch" : "Stub error";
}

int nvmlSystemGetDriverVersion(char *out, unsigned size) { return text(NULL, "driver", out, size); }
int nvmlSystemGetNVMLVersion(char *out, unsigned size) { return text(NULL, "nvml", out, size); }
int nvmlSystemGetCudaDriverVersion_v2(int *out) {
  unsigned long long value;
  int result = number(NULL, &value, "cuda");
  if (!result) *out = (int)value;
  return result;
}
int nvmlSystemGetCudaDriverVersion(int *out) { return nvmlSystemGetCudaDriverVersion_v2(out); }
int nvmlSystemGetProcessName(unsigned pid, char *out, unsigned size) {
  char key[32];
  snprintf(key, sizeof key, "process.%u", pid);
  return text(NULL, key, out, size) ? NOT_FOUND : OK;
}
int nvmlDeviceGetCount_v2(unsigned *out) {
  unsigned long long value;
  int result = number(NULL, &value, "count");
  if (!result) *out = (unsigned)value;
  return result;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct device **out) {
  const char *unused;
  if (index >= MOST_GPUS) return INVALID;
  devices[index].index = (int)index;
  *out = &devices[index];
  int result = look(*out, "present", &unused);
  return result == NOT_SUPPORTED ? OK : result;
}

#define TEXT(function, key) \
  int function(struct device *device, char *out, unsigned size) { return text(device, key, out, size); }
#define NUMBER(function, key) \
  int function(struct device *device, unsigned *out) { \
    unsigned long long value; \
    int result = number(device, &value, key); \
    if (!result) *out = (unsigned)value; \
    return result; \
  }
#define INDEXED(function, format) \
  int function(struct device *device, unsigned which, unsigned *out) { \
    unsigned long long value; \
    int result = number(device, &value, format, which); \
    if (!result) *out = (unsigned)value; \
    return result; \
  }
#define PAIR(function, key) \
  int function(struct device *device, unsigned *current, unsigned *pending) { \
    unsigned long long value; \
    int result = number(device, &value, key); \
    if (!result) *current = *pending = (unsigned)value; \
    return result; \
  }
TEXT(nvmlDeviceGetName, "name")
TEXT(nvmlDeviceGetUUID, "uuid")
TEXT(nvmlDeviceGetSerial, "serial")
TEXT(nvmlDeviceGetVbiosVersion, "vbios")
TEXT(nvmlDeviceGetInforomImageVersion, "inforom")
NUMBER(nvmlDeviceGetMinorNumber, "minor")
NUMBER(nvmlDeviceGetPersistenceMode, "persistence")
NUMBER(nvmlDeviceGetPowerUsage, "power_mw")
NUMBER(nvmlDeviceGetEnforcedPowerLimit, "power_limit_mw")
NUMBER(nvmlDeviceGetPerformanceState, "pstate")
NUMBER(nvmlDeviceGetRetiredPagesPendingStatus, "retired_pending")
NUMBER(nvmlDeviceGetPcieReplayCounter, "pcie_replay")
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, "pcie_gen")
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, "pcie_gen_max")
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, "pcie_width")
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, "pcie_width_max")
NUMBER(nvmlDeviceGetMaxMigDeviceCount, "mig_count")
INDEXED(nvmlDeviceGetTemperature, "temp.%u")
INDEXED(nvmlDeviceGetTemperatureThreshold, "temp_threshold.%u")
INDEXED(nvmlDeviceGetClockInfo, "clock.%u")
INDEXED(nvmlDeviceGetMaxClockInfo, "clock_max.%u")
INDEXED(nvmlDeviceGetPcieThroughput, "pcie_kib.%u")
INDEXED(nvmlDeviceGetNvLinkState, "nvlink.%u")
PAIR(nvmlDeviceGetEccMode, "ecc_mode")
PAIR(nvmlDeviceGetMigMode, "mig_mode")

int nvmlDeviceGetCurrentClocksEventReasons(struct device *device, unsigned long long *out) { return number(device, out, "clock_reasons"); }
int nvmlDeviceGetTotalEccErrors(struct device *device, unsigned kind, unsigned counter, unsigned long long *out) {
  return number(device, out, "ecc.%u.%u", kind, counter);
}
int nvmlDeviceGetNvLinkErrorCounter(struct device *device, unsigned link, unsigned counter, unsigned long long *out) {
  return number(device, out, "nvlink.%u.errors.%u", link, counter);
}
int nvmlDeviceGetRemappedRows(struct device *device, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failed) {
  const char *value;
  int result = look(device, "remapped", &value);
  if (result) return result;
  return sscanf(value, "%u,%u,%u,%u", corrected, uncorrected, pending, failed) == 4 ? OK : INVALID;
}
int nvmlDeviceGetRowRemapperHistogram(struct device *device, unsigned *banks) {
  const char *value;
  int result = look(device, "banks", &value);
  if (result) return result;
  return sscanf(value, "%u,%u,%u,%u,%u", banks, banks + 1, banks + 2, banks + 3, banks + 4) == 5 ? OK : INVALID;
}
/* Version, eleven counters of eight bytes each, and the flag behind them. */
int nvmlDeviceGetSramEccErrorStatus(struct device *device, struct { unsigned version; unsigned long long counts[11]; unsigned exceeded; } *out) {
  unsigned long long exceeded;
  int result = number(device, &exceeded, "sram_exceeded");
  if (result) return result;
  if (out->version != 0x1000068) return INVALID;
  out->exceeded = (unsigned)exceeded;
  return OK;
}
int nvmlDeviceGetUtilizationRates(struct device *device, struct { unsigned gpu, memory; } *out) {
  unsigned long long gpu, memory;
  int result = number(device, &gpu, "util_gpu");
  if (result || (result = number(device, &memory, "util_memory"))) return result;
  out->gpu = (unsigned)gpu;
  out->memory = (unsigned)memory;
  return OK;
}
int nvmlDeviceGetMemoryInfo(struct device *device, struct { unsigned long long total, free, used; } *out) {
  int result = number(device, &out->total, "memory_total");
  if (result || (result = number(device, &out->used, "memory_used"))) return result;
  out->free = out->total - out->used;
  return OK;
}
int nvmlDeviceGetPciInfo_v3(struct device *device, struct { char legacy[16]; unsigned domain, bus, slot, id, sub; char bus_id[32]; } *out) {
  memset(out, 0, sizeof *out);
  return text(device, "pci", out->bus_id, sizeof out->bus_id);
}
struct process { unsigned pid; unsigned long long memory; unsigned instance, compute; };
int nvmlDeviceGetComputeRunningProcesses_v3(struct device *device, unsigned *count, struct process *out) {
  unsigned long long pid;
  int result = number(device, &pid, "process");
  unsigned room = *count;
  *count = result == OK;
  if (result == NOT_SUPPORTED) return OK;
  if (result) return result;
  if (room < 1 || !out) return TOO_SMALL;
  out[0] = (struct process){(unsigned)pid, 1ull << 30, ~0u, ~0u};
  return OK;
}
struct field { unsigned id, scope; long long at, latency; unsigned type; int result; unsigned long long value; };
int nvmlDeviceGetFieldValues(struct device *device, int count, struct field *fields) {
  for (int i = 0; i < count; i++) {
    fields[i].result = number(device, &fields[i].value, "field.%u", fields[i].id);
    if (fields[i].result == 15) return 15;
  }
  return OK;
}

struct watch { int next; };
int nvmlEventSetCreate(struct watch **out) { return (*out = calloc(1, sizeof **out)) ? OK : INVALID; }
int nvmlEventSetFree(struct watch *watch) { free(watch); return OK; }
int nvmlDeviceRegisterEvents(struct device *device, unsigned long long types, struct watch *watch) {
  const char *unused;
  (void)types, (void)watch;
  int result = look(device, "present", &unused);
  return result == NOT_SUPPORTED ? OK : result;
}
int nvmlEventSetWait_v2(struct watch *watch, struct { struct device *device; unsigned long long type, data; unsigned instance, compute; } *out, unsigned timeout_ms) {
  for (unsigned waited = 0; waited <= timeout_ms; waited += 5, usleep(5000)) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long age = (now.tv_sec - started.tv_sec) * 1000 + (now.tv_nsec - started.tv_nsec) / 1000000;
    for (int i = 0, seen = 0; i < entry_count; i++) {
      long at;
      int gpu;
      unsigned long long xid;
      if (strcmp(entries[i].key, "event") || seen++ < watch->next) continue;
      if (sscanf(entries[i].value, "%ld:%d:%llu", &at, &gpu, &xid) != 3 || at > age) break;
      watch->next = seen;
      devices[gpu].index = gpu;
      out->device = &devices[gpu];
      out->type = 8;
      out->data = xid;
      return OK;
    }
  }
  return TIMED_OUT;
}
