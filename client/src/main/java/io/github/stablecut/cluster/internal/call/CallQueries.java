package io.github.stablecut.cluster.internal.call;

import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import java.util.Optional;

/** Maps queries to what a client asks a server for. */
public final class CallQueries {
  private CallQueries() {}

  /** The question that a query sends; empty if it requests the object's state. */
  public static Optional<ObjectQuery<?, ?>> question(Query<?> query) {
    if (query instanceof ObjectQuery<?, ?> question) {
      return Optional.of(question);
    }
    return ((Key<?>) query).valueInMap().map(question -> question);
  }
}
