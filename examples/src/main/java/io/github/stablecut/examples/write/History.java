package io.github.stablecut.examples.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.CausalToken;
import io.github.stablecut.web.WebException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The moments at which the text has changed, as a data centre has seen them: a token for each, at
 * which the store can be read again. Of many only every second one is kept, and so on, so that the
 * memory that they take is bounded. Thread-safe.
 */
final class History {
  private static final int MOST = 4_000;

  /**
   * A change.
   *
   * @param token of the snapshot that first shows it
   * @param seen when it became visible here
   */
  record Moment(CausalToken token, Instant seen) {}

  @GuardedBy("this")
  private final List<Moment> moments = new ArrayList<>();

  /** How many changes are left out between two that are kept, and one more. */
  @GuardedBy("this")
  private int step = 1;

  @GuardedBy("this")
  private int since;

  /** Adds a change. */
  synchronized void add(CausalToken token, Instant seen) {
    since++;
    if (since < step) {
      return;
    }
    since = 0;
    moments.add(new Moment(token, seen));
    if (moments.size() == MOST) {
      for (int i = MOST / 2 - 1; i >= 0; i--) {
        var unused = moments.remove(2 * i);
      }
      step *= 2;
    }
  }

  /** How many moments there are. */
  synchronized int size() {
    return moments.size();
  }

  /** A moment by its number, from 0 for the oldest. */
  synchronized Moment get(int number) {
    if (number >= moments.size()) {
      throw WebException.badRequest(
          "there are %,d moments, and none with number %,d: they were thinned out, ask again"
              .formatted(moments.size(), number));
    }
    return moments.get(number);
  }
}
