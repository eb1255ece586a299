// What JavaScript sees of a Session, through Embind. Numbers cross as numbers and tensors as bytes
// in memory; objects cross only where time does not matter. src/js/session.ts is the other side.

#include <emscripten/bind.h>
#include <emscripten/em_js.h>
#include <emscripten/emscripten.h>
#include <emscripten/heap.h>
#include <emscripten/val.h>
#include <malloc.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "wasm/session.h"
#include "wasm/to_val.h"

using emscripten::val;

// clang-format off
// The caller's functions are in a list beside the module. Called through a handle they would cost
// many times more, and a mask's function is asked for every cell. Below 0: it failed.
EM_JS(int, call_function, (int index, double b, double h, double i, double j), {
  return Module["functions"][index](b, h, i, j);
});
EM_JS(bool, call_progress, (double share), {
  return Module["progress"](share);
});
EM_JS(double, call_more_heads, (), {
  return Module["moreHeads"]();
});
EM_JS(void, call_rows_done, (double rows), {
  Module["rowsDone"](rows);
});
EM_JS(void, throw_out_of_memory, (), {
  throw Module["outOfMemory"];
});
// clang-format on

namespace attention {
namespace {

// ---- The machine -------------------------------------------------------------------------------

double maximum() { return static_cast<double>(emscripten_get_heap_max()); }

constexpr double page = 65536;
double memory_size() { return static_cast<double>(__builtin_wasm_memory_size(0)) * page; }

double never_used() { return maximum() - address(sbrk(0)); }

double available() {
  const auto free = static_cast<unsigned>(mallinfo().fordblks);
  return never_used() + free;
}

Predicate predicate(std::size_t index) {
  return [index](Index b, Index h, Index i, Index j) -> std::optional<bool> {
    const int answer =
        call_function(static_cast<int>(index), static_cast<double>(b), static_cast<double>(h),
                      static_cast<double>(i), static_cast<double>(j));
    if (answer < 0) return std::nullopt;
    return answer != 0;
  };
}

Session* session = nullptr;

void open(int threads) {
  // Instead of aborting, which would leave the whole module unusable.
  std::set_new_handler(throw_out_of_memory);
  session = new Session({predicate, memory_size, never_used, available},
                        std::make_unique<ThreadPool>(threads));
}

/// After throw_out_of_memory(): what the core left half done is abandoned where it lies, for there
/// is no unwinding in this build.
void recover() {
  session = new Session({predicate, memory_size, never_used, available}, session->take_pool());
}

void close() {
  delete session;
  session = nullptr;
}

// ---- Calls -------------------------------------------------------------------------------------

double message(double words) {
  return address(session->message(static_cast<std::size_t>(words)).data());
}

/// Of prepare_call() and prepareCached(), when options' tensors have been filled.
int check_call() { return static_cast<int>(session->check()); }

void release() { session->release(); }
double reply() { return address(&session->reply()); }

val error() {
  val result = val::object();
  result.set("code", session->error().code);
  result.set("argument", session->error().argument);
  result.set("message", session->error().message);
  return result;
}

// ---- Explanations ------------------------------------------------------------------------------

val explain_call() {
  const Explanation& explanation = session->explain();
  const Sizes& sizes = session->plan().sizes;
  val result = to_val(explanation, sizes);
  if (explanation.unwidened) result.set("unwidened", to_val(*explanation.unwidened, sizes));
  return result;
}

/// attend() with every tile of every row as an object, in tiles of so many keys.
val trace_call(double tile_keys) {
  val tiles = val::array();
  Watch watch;
  watch.tile_keys = static_cast<Index>(tile_keys);
  watch.tile = [&](const TileRecord& tile) { tiles.call<void>("push", to_val(tile)); };
  session->attend(watch);
  return tiles;
}

// ---- Masks -------------------------------------------------------------------------------------

int prepare_mask(double batch, double heads, double queries, double keys, double words) {
  return static_cast<int>(
      session->prepare_mask({batch, heads, queries, keys}, static_cast<std::size_t>(words)));
}

int compile_mask() { return static_cast<int>(session->compile_mask()); }

/// { id, allowedCells, emptyRows } of the mask compiled last.
val compiled_mask() {
  const Mask& mask = session->mask(session->mask_id());
  val result = val::object();
  result.set("id", session->mask_id());
  result.set("allowedCells", static_cast<double>(mask.allowed_cells()));
  result.set("emptyRows", static_cast<double>(mask.empty_rows()));
  return result;
}

/// Writes begin and end of each range of a row into the message and returns how many there are.
double mask_row(int id, double b, double h, double i) {
  KeyRanges ranges;
  session->mask(id).row(static_cast<Index>(b), static_cast<Index>(h), static_cast<Index>(i),
                        ranges);
  const std::span<double> words = session->message(2 * ranges.size());
  for (std::size_t at = 0; at < ranges.size(); ++at) {
    words[2 * at] = static_cast<double>(ranges[at].begin);
    words[2 * at + 1] = static_cast<double>(ranges[at].end);
  }
  return static_cast<double>(ranges.size());
}

val mask_cause(int id, double b, double h, double i, double j) {
  return to_array(session->mask(id).cause(static_cast<Index>(b), static_cast<Index>(h),
                                          static_cast<Index>(i), static_cast<Index>(j)));
}

void free_mask(int id) {
  if (session) session->free_mask(id);
}

// ---- Caches ------------------------------------------------------------------------------------

/// Sizes must be whole numbers; the dtype is its place in the table.
int create_cache(double batch, double kv_heads, double head_dim, double value_dim, double capacity,
                 int dtype) {
  const auto whole = [](double size) { return static_cast<std::int64_t>(size); };
  return session->create_cache({whole(batch), whole(kv_heads), whole(head_dim), whole(value_dim),
                                whole(capacity), static_cast<DType>(dtype)});
}

int prepare_append(double words) {
  return static_cast<int>(session->prepare_append(static_cast<std::size_t>(words)));
}

int append(int id) { return static_cast<int>(session->append(id)); }

int prepare_cached(int id, double words) {
  return static_cast<int>(session->prepare_cached(id, static_cast<std::size_t>(words)));
}

int truncate(int id, double length) { return static_cast<int>(session->truncate(id, length)); }
double cache_length(int id) { return static_cast<double>(session->cache(id).length()); }

void free_cache(int id) {
  if (session) session->free_cache(id);
}

// ---- About the module --------------------------------------------------------------------------

val build() {
  val result = val::object();
  result.set("version", std::string(ATTENTION_VERSION));
  result.set("simd", std::string(ATTENTION_SIMD));
  return result;
}

val memory() {
  val result = val::object();
  result.set("maximum", maximum());
  result.set("available", available());
  return result;
}

/// How many threads of the pool run side by side: each takes a task and waits there until all have
/// one, but not longer than `milliseconds`.
double count_threads(double milliseconds) {
  const int expected = session->pool().workers();
  const double end = emscripten_get_now() + milliseconds;
  std::mutex mutex;
  std::set<std::thread::id> inside;
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    inside.insert(std::this_thread::get_id());
    return static_cast<int>(inside.size());
  };
  session->pool().parallel_for(expected, [&](int, int) {
    while (count() < expected && emscripten_get_now() < end) std::this_thread::yield();
  });
  return count();
}

EMSCRIPTEN_BINDINGS(attention) {
  using emscripten::function;
  function("open", &open);
  function("recover", &recover);
  function("close", &close);
  function("message", &message);
  function("check", &check_call);
  function("trace", &trace_call);
  function("explain", &explain_call);
  function("release", &release);
  function("reply", &reply);
  function("error", &error);
  function("prepareMask", &prepare_mask);
  function("compileMask", &compile_mask);
  function("compiledMask", &compiled_mask);
  function("maskRow", &mask_row);
  function("maskCause", &mask_cause);
  function("freeMask", &free_mask);
  function("createCache", &create_cache);
  function("prepareAppend", &prepare_append);
  function("append", &append);
  function("prepareCached", &prepare_cached);
  function("truncate", &truncate);
  function("cacheLength", &cache_length);
  function("freeCache", &free_cache);
  function("describe", &describe);
  function("build", &build);
  function("memory", &memory);
  function("countThreads", &count_threads);
}

}  // namespace

// The two steps of every call are plain exports: through Embind a small call took a tenth longer.
extern "C" {

EMSCRIPTEN_KEEPALIVE int prepare_call(bool explaining, double words) {
  const Purpose purpose = explaining ? Purpose::explain : Purpose::attend;
  return static_cast<int>(session->prepare(purpose, static_cast<std::size_t>(words)));
}

EMSCRIPTEN_KEEPALIVE void attend_call(bool with_progress, double first_row, double end_row) {
  Watch watch;
  if (with_progress) {
    watch.progress = call_progress;
  } else if (session->reply().heads_at_once > 0) {
    watch.more_heads = [] { return static_cast<Index>(call_more_heads()); };
    if (session->pool().workers() > 1) {
      watch.rows_done = [](Index rows) { call_rows_done(static_cast<double>(rows)); };
    }
  }
  session->attend(watch, first_row, end_row);
}

}  // extern "C"

}  // namespace attention
