package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Session;
import io.github.stablecut.SessionId;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.HookTimeoutException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionName;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Update;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** A session on an embedded store. Confined to one thread at a time. */
final class EmbeddedSession implements Session {
  private final EmbeddedStore store;
  private final SessionId id;
  private final SessionName name;
  private final NumberedUpdates requests = new NumberedUpdates();
  private CausalToken token;

  EmbeddedSession(EmbeddedStore store, SessionId id) {
    this.store = store;
    this.id = id;
    this.name = new SessionName(id.openedMillis(), id.high(), id.low(), id.client());
    this.token = store.token(VectorClock.ZERO);
  }

  @Override
  public SessionId id() {
    return id;
  }

  @Override
  public CausalToken update(long number, Update... updates) {
    RequestId request = request(number, updates);
    CausalToken committed = executeOnce(request, updates);
    recordExecution(request, committed);
    return committed;
  }

  @Override
  public Optional<CausalToken> updateIf(long number, Condition condition, Update... updates) {
    if (updates.length == 0) {
      throw new IllegalArgumentException("a conditional request without updates: use readLatest");
    }
    RequestId request = request(number, updates);
    Optional<CausalToken> committed = writeIf(request, condition, updates);
    committed.ifPresent(token -> recordExecution(request, token));
    return committed;
  }

  private Optional<CausalToken> writeIf(RequestId request, Condition condition, Update... updates) {
    try {
      Optional<CausalToken> written = new SessionWrite(store, request, condition).execute(updates);
      return written.isPresent() ? written : executed(request, updates);
    } catch (UsageException | HookTimeoutException refused) {
      return Optional.of(executed(request, updates).orElseThrow(() -> refused));
    }
  }

  private RequestId request(long number, Update... updates) {
    return new RequestId(name, number, requests.check(number, updates));
  }

  private void recordExecution(RequestId executed, CausalToken committed) {
    requests.executed(executed.number(), executed.updates());
    token = store.token(token.vector().join(committed.vector()));
  }

  private CausalToken executeOnce(RequestId request, Update... updates) {
    return once(() -> store.update(request, updates), () -> executed(request, updates));
  }

  /**
   * Executes a request unless it was executed before.
   *
   * @param execution executes the request; it may also refuse a request that was executed before,
   *     because of the effects of the first execution
   * @param earlier finds the result of an earlier execution; empty if there was none
   */
  static <T> T once(Supplier<T> execution, Supplier<Optional<T>> earlier) {
    try {
      return execution.get();
    } catch (UsageException | HookTimeoutException refused) {
      return earlier.get().orElseThrow(() -> refused);
    }
  }

  private Optional<CausalToken> executed(RequestId request, Update... updates) {
    List<Bytes> written = Arrays.stream(updates).map(update -> update.key().id()).toList();
    return written.isEmpty()
        ? Optional.empty()
        : store.partitions().commits().executed(request, written).map(store::token);
  }

  @Override
  public CausalToken token() {
    return token;
  }
}
