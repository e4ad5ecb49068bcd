package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Session;
import io.github.stablecut.SessionId;
import io.github.stablecut.Update;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.record.RequestId;
import java.util.UUID;

/** A session on an embedded store. Confined to one thread at a time. */
final class EmbeddedSession implements Session {
  private final EmbeddedStore store;
  private final SessionId id;
  private CausalToken token;

  EmbeddedSession(EmbeddedStore store, SessionId id) {
    this.store = store;
    this.id = id;
    this.token = store.token(VectorClock.ZERO);
  }

  @Override
  public SessionId id() {
    return id;
  }

  @Override
  public CausalToken update(long number, Update... updates) {
    if (number < 1) {
      throw new IllegalArgumentException("requests are numbered from 1, not " + number);
    }
    RequestId request = new RequestId(new UUID(id.openedMillis(), id.random()), number);
    CausalToken committed = store.update(request, updates);
    token = store.token(token.vector().join(committed.vector()));
    return committed;
  }

  @Override
  public CausalToken token() {
    return token;
  }
}
