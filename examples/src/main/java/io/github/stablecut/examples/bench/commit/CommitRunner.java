package io.github.stablecut.examples.bench.commit;

import java.io.IOException;

/** Runs rounds of commits, in this process or in another one. */
public interface CommitRunner {
  /** Runs a round, in which threads commit one record after the other. */
  CommitRound run(int threads, int bodyBytes, long nanos) throws IOException, InterruptedException;
}
