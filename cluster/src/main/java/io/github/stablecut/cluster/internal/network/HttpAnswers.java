package io.github.stablecut.cluster.internal.network;

/** Answers requests of operators. Thread-safe. */
public interface HttpAnswers {
  /** Whether the answer takes no time, and waits for nothing. */
  boolean isQuick(HttpCall call);

  /** The answer to a request. */
  HttpAnswer answer(HttpCall call);
}
