#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace attention {
namespace {

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
constexpr bool has_threads = false;
#else
constexpr bool has_threads = true;
#endif

}  // namespace

struct ThreadPool::Shared {
  std::mutex mutex;
  std::condition_variable wake;  // there is work, or the pool ends
  std::condition_variable idle;  // a worker has left its work, or has ended

  // Guarded by mutex.
  bool ending = false;
  int alive = 0;      // threads that run wait_for_work
  int busy = 0;       // workers inside take_tasks, the caller not counted
  unsigned work = 0;  // counts the calls, so that a worker joins each at most once
  bool open = false;  // whether workers may still join
  int count = 0;
  Call call = nullptr;
  const void* run = nullptr;

  std::atomic<int> next = 0;  // the next task that nobody has claimed

  void take_tasks(int worker) {
    for (int task; (task = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      call(run, task, worker);
    }
  }

  void wait_for_work(int worker) {
    std::unique_lock lock(mutex);
    ++alive;
    for (unsigned seen = 0;;) {
      wake.wait(lock, [&] { return ending || (open && work != seen); });
      if (ending) break;
      seen = work;
      ++busy;
      lock.unlock();
      take_tasks(worker);
      lock.lock();
      --busy;
      idle.notify_one();
    }
    --alive;
    idle.notify_one();
  }
};

ThreadPool::ThreadPool(int workers)
    : workers_(has_threads ? std::max(workers, 1) : 1), shared_(std::make_shared<Shared>()) {
  // Detached: joining a thread that its browser never started would wait for ever.
  for (int worker = 1; worker < workers_; ++worker) {
    std::thread([shared = shared_, worker] { shared->wait_for_work(worker); }).detach();
  }
}

ThreadPool::~ThreadPool() {
  std::unique_lock lock(shared_->mutex);
  shared_->ending = true;
  shared_->wake.notify_all();
  shared_->idle.wait(lock, [&] { return shared_->alive == 0; });
}

void ThreadPool::for_each_task(int count, Call call, const void* run,
                               const std::function<void()>& first) {
  if (workers_ == 1 || count <= 1) {
    if (first) first();
    for (int task = 0; task < count; ++task) call(run, task, 0);
    return;
  }
  Shared& shared = *shared_;
  std::unique_lock lock(shared.mutex);
  shared.count = count;
  shared.call = call;
  shared.run = run;
  shared.next.store(0, std::memory_order_relaxed);
  ++shared.work;
  shared.open = true;
  lock.unlock();
  shared.wake.notify_all();

  if (first) first();
  shared.take_tasks(0);

  lock.lock();
  shared.open = false;
  shared.idle.wait(lock, [&] { return shared.busy == 0; });
}

}  // namespace attention
