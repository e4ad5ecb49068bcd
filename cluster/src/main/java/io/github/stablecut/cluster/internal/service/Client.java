package io.github.stablecut.cluster.internal.service;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A connection, as far as what it holds is concerned. Thread-safe. */
final class Client {
  private final AtomicInteger open = new AtomicInteger();

  /** The turn of its call to have a large answer made; null as long as none needed one. */
  private final AtomicReference<LargeAnswers.@Nullable Turn> turn = new AtomicReference<>();

  /** Counts one more transaction unless there are as many as allowed. */
  boolean tryBegin(int max) {
    return open.getAndUpdate(count -> count < max ? count + 1 : count) < max;
  }

  void ended() {
    int unused = open.decrementAndGet();
  }

  /** The turn of its call to have a large answer made, which ends by {@link #answered}. */
  LargeAnswers.Turn turn(LargeAnswers answers) {
    LargeAnswers.Turn known = turn.get();
    if (known == null) {
      known = answers.turn();
      turn.set(known);
    }
    return known;
  }

  /** Its call is answered, or will not be. */
  void answered() {
    LargeAnswers.Turn known = turn.get();
    if (known != null) {
      known.end();
    }
  }
}
