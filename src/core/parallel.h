#pragma once

#include <functional>
#include <memory>

namespace attention {

/// Threads made once and kept. The calling thread is worker 0 and takes part in all work, so a pool
/// of one worker has no thread of its own.
///
/// In a browser a thread may start late, or never. The work is finished all the same: the caller
/// goes on taking tasks until none is left, and waits only for workers that are inside one.
class ThreadPool {
 public:
  /// `workers` counts the caller; values below 1 mean 1. A build without threads always has 1.
  explicit ThreadPool(int workers);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int workers() const { return workers_; }

  /// Calls run(task, worker) once for every task in [0, count), worker in [0, workers()), and
  /// returns when all are done. Workers claim tasks one by one in rising order, so that unequal
  /// tasks spread evenly; two calls with the same worker never overlap. Which worker gets a task
  /// varies: results must not depend on it. One caller at a time, and not from inside a task.
  /// The caller does `first` before it takes tasks, which the others may already be at.
  template <typename Run>
  void parallel_for(int count, const Run& run, const std::function<void()>& first = {}) {
    for_each_task(
        count,
        [](const void* run, int task, int worker) {
          (*static_cast<const Run*>(run))(task, worker);
        },
        &run, first);
  }

 private:
  using Call = void (*)(const void* run, int task, int worker);
  struct Shared;

  void for_each_task(int count, Call call, const void* run, const std::function<void()>& first);

  int workers_;
  std::shared_ptr<Shared> shared_;  // outlives the pool until the last thread has noticed its end
};

}  // namespace attention
