#include "core/parallel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

namespace attention {
namespace {

TEST_CASE("parallel_for runs every task exactly once, whatever the numbers") {
  for (int workers : {-1, 0, 1, 2, 4}) {
    ThreadPool pool(workers);
    REQUIRE(pool.workers() >= 1);
    REQUIRE(pool.workers() <= std::max(workers, 1));
    for (int count : {0, 1, 2, 3, 7, 64, 1000}) {
      CAPTURE(workers);
      CAPTURE(count);
      std::vector<std::atomic<int>> calls(count);
      std::atomic<int> strangers = 0;
      pool.parallel_for(count, [&](int task, int worker) {
        ++calls[task];
        if (worker < 0 || worker >= pool.workers()) ++strangers;
      });
      int wrong = 0;
      for (const auto& n : calls) wrong += n != 1;
      CHECK(wrong == 0);
      CHECK(strangers == 0);
    }
  }
}

TEST_CASE("parallel_for never runs two tasks on one worker at once") {
  ThreadPool pool(3);
  std::vector<std::atomic<int>> inside(pool.workers());
  std::atomic<int> overlaps = 0;
  pool.parallel_for(2000, [&](int, int worker) {
    if (++inside[worker] != 1) ++overlaps;
    --inside[worker];
  });
  CHECK(overlaps == 0);
}

TEST_CASE("parallel_for orders memory: plain writes of the tasks are there when it returns") {
  ThreadPool pool(3);
  std::vector<int> values(257, 0);
  for (int round = 1; round <= 200; ++round) {
    pool.parallel_for(static_cast<int>(values.size()),
                      [&](int task, int) { values[task] += task; });
    long long sum = 0;
    for (int value : values) sum += value;
    REQUIRE(sum == 256LL * 257 / 2 * round);
  }
}

TEST_CASE("pools come and go without waiting for threads that had nothing to do") {
  for (int i = 0; i < 5; ++i) ThreadPool pool(3);
  ThreadPool pool(3);
  std::atomic<int> sum = 0;
  pool.parallel_for(10, [&](int task, int) { sum += task; });
  CHECK(sum == 45);
}

TEST_CASE("the caller does what comes first before its own tasks, also where there are none") {
  for (int workers : {1, 2}) {
    ThreadPool pool(workers);
    for (int count : {0, 1, 2, 50}) {
      bool done = false, early = false;
      pool.parallel_for(
          count,
          [&](int, int worker) {
            if (worker == 0 && !done) early = true;  // both are the caller's own
          },
          [&] { done = true; });
      CHECK(done);
      CHECK(!early);
    }
  }
}

// Each of the two tasks ends only when the other has begun, so one worker alone cannot finish them.
TEST_CASE("two workers take part") {
  ThreadPool pool(2);
  REQUIRE(pool.workers() == (HAS_THREADS ? 2 : 1));
  if (pool.workers() == 1) {  // a build without threads: the caller does both
    int calls = 0;
    pool.parallel_for(2, [&](int, int worker) { calls += worker == 0; });
    CHECK(calls == 2);
    return;
  }
  using clock = std::chrono::steady_clock;
  const auto deadline = clock::now() + std::chrono::seconds(30);
  std::atomic<int> begun = 0;
  std::atomic<int> met = 0;
  int worker_of[2] = {-1, -1};
  pool.parallel_for(2, [&](int task, int worker) {
    worker_of[task] = worker;
    ++begun;
    while (begun < 2 && clock::now() < deadline) {
    }
    met += begun == 2;
  });
  CHECK(met == 2);
  CHECK(worker_of[0] != worker_of[1]);
}

}  // namespace
}  // namespace attention
