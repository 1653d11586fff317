//===- KillTest.cpp - A run that is killed goes on ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Trainer.h"
#include "test/train/TrainRun.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace dragoman;
using namespace dragoman::test;

/// Trains in this process; its exit code.
static int trainHere(SmallRun &run, int threads) {
  ThreadPool pool(threads);
  LogLinearModel model = smallModel(pool);
  Trainer trainer(run.parts(model));
  if (!trainer.resume({}).isOk())
    return 3;
  return trainer.run().isOk() ? 0 : 4;
}

// Twenty deaths at any moment, another number of threads each time: in the end
// weights and log are those of a run that nobody disturbed.
TEST(Fault39, TwentyDeathsChangeNothing) {
  constexpr int64_t updates = 100;
  SmallRun whole, killed;
  for (SmallRun *run : {&whole, &killed}) {
    run->config.run.stopUpdates = {updates, 'u'};
    run->config.run.saveEvery = {1, 'u'};
    run->config.run.validEvery = {20, 'u'};
  }
  // The undisturbed run need not save as often.
  whole.config.run.saveEvery = {50, 'u'};
  auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(trainHere(whole, 1), 0);
  // Deaths come soon enough for twenty of them on any machine: the killed run
  // saves more often and so takes longer.
  std::chrono::microseconds took =
      std::chrono::duration_cast<std::chrono::microseconds>(
          std::chrono::steady_clock::now() - start);

  unsigned state = 12345;
  int deaths = 0;
  for (int attempt = 0;; ++attempt) {
    ASSERT_LT(attempt, 100);
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      _exit(trainHere(killed, 1 + attempt % 3));
    if (deaths < 20) {
      state = state * 1103515245 + 12345;
      usleep(took.count() / 100 + state / 65536 % (took.count() / 25 + 1));
      kill(child, SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
      ++deaths;
      continue;
    }
    ASSERT_EQ(WEXITSTATUS(status), 0);
    if (deaths >= 20 || listCheckpoints(killed.config.run.out)[0] == updates)
      break;
  }
  EXPECT_EQ(deaths, 20) << "the run was over before it could be killed";
  for (const char *name : {parametersFile, averageFile, optimizerFile})
    EXPECT_EQ(whole.checkpointFile(updates, name),
              killed.checkpointFile(updates, name))
        << name;
  EXPECT_EQ(whole.file("train.jsonl"), killed.file("train.jsonl"));
}
