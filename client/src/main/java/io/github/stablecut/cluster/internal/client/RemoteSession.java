package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Session;
import io.github.stablecut.SessionId;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.key.Update;
import java.util.List;
import java.util.Optional;

/**
 * A session on a server. When its connection breaks off, or the server is away, it makes its
 * request again, which is executed once. Confined to one thread at a time.
 */
final class RemoteSession implements Session {
  private final RemoteStore store;
  private final SessionId id;
  private Optional<CausalToken> token = Optional.empty();

  RemoteSession(RemoteStore store, SessionId id) {
    this.store = store;
    this.id = id;
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
    store.checkCall();
    CausalToken committed =
        RemoteValues.point(
            store.servers().callUntilAnswered(new Call.WriteOnce(id, number, List.of(updates))));
    token =
        Optional.of(
            new CausalToken(
                committed.storeId(),
                committed.opening(),
                token
                    .map(earlier -> earlier.vector().join(committed.vector()))
                    .orElse(committed.vector())));
    return committed;
  }

  @Override
  public CausalToken token() {
    if (token.isEmpty()) {
      CausalToken now = store.snapshot().token();
      token = Optional.of(new CausalToken(now.storeId(), now.opening(), VectorClock.ZERO));
    }
    return token.get();
  }
}
