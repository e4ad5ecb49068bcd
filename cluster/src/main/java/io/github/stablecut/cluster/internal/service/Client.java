package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.crdt.Bytes;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A connection, as far as what it holds is concerned. Thread-safe. */
final class Client {
  private final AtomicInteger open = new AtomicInteger();

  /** Where its large answer has a turn; null if it has none. One call is executed at a time. */
  private final AtomicReference<@Nullable LargeAnswers> large = new AtomicReference<>();

  /** Counts one more transaction unless there are as many as allowed. */
  boolean tryBegin(int max) {
    return open.getAndUpdate(count -> count < max ? count + 1 : count) < max;
  }

  void ended() {
    int unused = open.decrementAndGet();
  }

  /** The turn of its call to have a large answer made, which ends by {@link #answered}. */
  AnswerBytes.Turn turn(LargeAnswers answers) {
    return new AnswerBytes.Turn() {
      @Override
      public boolean isExpected(Bytes id) {
        return answers.isExpected(id);
      }

      @Override
      public void expect(Bytes id) {
        answers.expect(id);
      }

      @Override
      public void begin() {
        if (large.get() == null) {
          answers.begin();
          large.set(answers);
        }
      }
    };
  }

  /** Its call is answered, or will not be. */
  void answered() {
    LargeAnswers begun = large.getAndSet(null);
    if (begun != null) {
      begun.end();
    }
  }
}
