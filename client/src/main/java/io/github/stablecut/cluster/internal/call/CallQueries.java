package io.github.stablecut.cluster.internal.call;

import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import java.util.Optional;

/** How queries are asked of a server. */
public final class CallQueries {
  private CallQueries() {}

  /** The question that is asked for a query; empty if the object's state is asked for. */
  public static Optional<ObjectQuery<?, ?>> question(Query<?> query) {
    if (query instanceof ObjectQuery<?, ?> question) {
      return Optional.of(question);
    }
    return ((Key<?>) query).valueInMap().map(question -> question);
  }
}
