package io.github.stablecut.examples.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.CausalToken;
import io.github.stablecut.web.WebException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The times at which the text changed, as a data centre has seen them: a token for each, at which
 * the store is readable. Old ones are thinned out repeatedly by a factor of two, which bounds the
 * memory. Thread-safe.
 */
final class History {
  private static final int MOST = 4_000;

  /**
   * A change.
   *
   * @param token of the first snapshot that shows it
   * @param seen when it became visible here
   */
  record Moment(CausalToken token, Instant seen) {}

  @GuardedBy("this")
  private final List<Moment> moments = new ArrayList<>();

  /** Every {@code step}-th change is retained. */
  @GuardedBy("this")
  private int step = 1;

  @GuardedBy("this")
  private int since;

  /** Records a change. */
  synchronized void add(CausalToken token, Instant seen) {
    since++;
    if (since < step) {
      return;
    }
    since = 0;
    moments.add(new Moment(token, seen));
    if (moments.size() == MOST) {
      for (int i = MOST / 2 - 1; i >= 0; i--) {
        moments.remove(2 * i);
      }
      step *= 2;
    }
  }

  /** The number of retained changes. */
  synchronized int size() {
    return moments.size();
  }

  /** A change by its number, from 0 for the oldest. */
  synchronized Moment get(int number) {
    if (number >= moments.size()) {
      throw WebException.badRequest(
          "moment %2$,d does not exist among %1$,d, because old ones were thinned out: ask again"
              .formatted(moments.size(), number));
    }
    return moments.get(number);
  }
}
