package io.github.stablecut;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.RequestMismatchException;
import io.github.stablecut.error.SessionExpiredException;
import io.github.stablecut.error.StaleRequestException;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Timeouts;
import java.util.Optional;

/**
 * Requests that are executed exactly once, even if the answer is lost and the client repeats them,
 * to this process or to a later one on the same directory. The client numbers its requests in
 * ascending order, keeps number and updates until it has the answer, and repeats only the last one.
 * Each request sees the effects of the session's earlier ones. Confined to one thread at a time.
 *
 * <pre>{@code
 * Session session = store.openSession();       // or store.session(id), to go on after a restart
 * session.update(1, stock.decrement(3), orders.add(order));
 * session.update(1, stock.decrement(3), orders.add(order));  // the same answer, nothing is done
 * }</pre>
 *
 * <p>The outcome of a session's last request, and a digest of its updates, is retained until the
 * session expires ({@link Timeouts#session}), in the journal and across checkpoints, by the
 * partition that decides the request: the lowest of those that it writes.
 */
public interface Session {
  /** The name to go on with later. */
  SessionId id();

  /**
   * Executes updates as one transaction, unless the session has executed the request before.
   *
   * @param number of the request, at least 1
   * @param updates the same each time that the request is repeated, encoded to the same bytes;
   *     executed in order
   * @return the token that the request had the first time
   * @throws StaleRequestException if the session has executed a later request
   * @throws RequestMismatchException if the session has executed other updates under this number,
   *     as far as the partition that decides these knows, or this object
   * @throws SessionExpiredException if the session was opened too long ago, or this is the store of
   *     a server that has not issued its name
   * @throws io.github.stablecut.error.LimitExceededException if too many sessions have requests on
   *     the partition that decides this one
   * @throws OutcomeUnknownException if it is not known in time whether it was executed: repeat it
   * @throws ConflictException as {@link Store#update}
   * @throws io.github.stablecut.error.UsageException if the updates are refused, and were not
   *     executed before
   */
  @CanIgnoreReturnValue
  CausalToken update(long number, Update... updates);

  /**
   * Executes updates as one transaction if a condition holds, unless the session has executed the
   * request before. That the condition did not hold is not remembered: a repeated request evaluates
   * it again. So a request that may be repeated elsewhere needs a condition that, once false, stays
   * false, such as one on the tail of a stream or on a number that only grows.
   *
   * @param number of the request, at least 1
   * @param condition linearisable, as in {@link Store#compareAndUpdate(Condition, Update...)}
   * @param updates at least one; the same each time that the request is repeated
   * @return the token that the request had the first time; empty if the condition does not hold and
   *     the request was not executed before
   * @throws StaleRequestException as {@link #update}, and so the others
   */
  @CanIgnoreReturnValue
  Optional<CausalToken> updateIf(long number, Condition condition, Update... updates);

  /** A point at which all that this object has executed is seen. */
  CausalToken token();
}
