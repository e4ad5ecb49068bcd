package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Session;
import io.github.stablecut.SessionId;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.internal.record.Digest;
import io.github.stablecut.internal.transaction.NumberedUpdates;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Update;
import java.util.List;
import java.util.Optional;

/**
 * A session on a server. If its connection breaks or the server is unreachable, the session retries
 * the request; servers execute it once. Confined to one thread at a time.
 */
final class RemoteSession implements Session {
  private final RemoteStore store;
  private final SessionId id;
  private final NumberedUpdates sent = new NumberedUpdates();
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
    CausalToken committed = RemoteValues.point(request(number, Optional.empty(), updates));
    saw(committed);
    return committed;
  }

  @Override
  public Optional<CausalToken> updateIf(long number, Condition condition, Update... updates) {
    if (updates.length == 0) {
      throw new IllegalArgumentException("a conditional request without updates: use readLatest");
    }
    Optional<CausalToken> committed =
        RemoteValues.written(request(number, Optional.of(condition), updates));
    committed.ifPresent(this::saw);
    return committed;
  }

  private Answer request(long number, Optional<Condition> condition, Update... updates) {
    store.checkCall();
    Digest digest = sent.check(number, updates);
    Answer answer =
        store
            .servers()
            .callUntilAnswered(new Call.WriteOnce(id, number, condition, List.of(updates)));
    if (!(answer instanceof Answer.ConditionalResult tried) || tried.isWritten()) {
      sent.executed(number, digest);
    }
    return answer;
  }

  private void saw(CausalToken committed) {
    token =
        Optional.of(
            new CausalToken(
                committed.storeId(),
                committed.opening(),
                token
                    .map(earlier -> earlier.vector().join(committed.vector()))
                    .orElse(committed.vector())));
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
