package io.github.stablecut.examples.bench;

import java.io.IOException;

/** What runs rounds of commits: here, or in another process. */
interface CommitRunner {
  /** Runs a round: threads that commit one record after the other for a while. */
  CommitRound run(int threads, int bodyBytes, long nanos) throws IOException, InterruptedException;
}
