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
 * A sequence of numbered requests, each executed exactly once, even if its reply is lost and the
 * client repeats it. The client may repeat it to this process or to a later one on the same
 * directory. The client numbers its requests in ascending order, keeps number and updates until it
 * has the reply, and repeats only the last request. Each request sees the effects of the session's
 * earlier ones. Confined to one thread at a time.
 *
 * <pre>{@code
 * Session session = store.openSession();       // or store.session(id), to resume after a restart
 * session.update(1, stock.decrement(3), orders.add(order));
 * session.update(1, stock.decrement(3), orders.add(order));  // the same token, no second execution
 * }</pre>
 *
 * <p>Until the session expires ({@link Timeouts#session}), the store retains the outcome of its
 * last request and a digest of the updates. The partition that decides the request, the lowest of
 * those that it writes, keeps both in its journal and across checkpoints.
 */
public interface Session {
  /** The id with which the session can be resumed. */
  SessionId id();

  /**
   * Executes updates as one transaction, unless the session has already executed the request.
   *
   * @param number the number of the request, at least 1
   * @param updates the updates, executed in order; the same whenever the request is repeated,
   *     encoded to the same bytes
   * @return the token of the request's first execution
   * @throws StaleRequestException if the session has executed a later request
   * @throws RequestMismatchException if the session has executed other updates under this number,
   *     as far as this object or the partition that decides these updates knows
   * @throws SessionExpiredException if the session has expired, or if this is the store of a server
   *     that did not issue its id
   * @throws io.github.stablecut.error.LimitExceededException if too many sessions have requests on
   *     the partition that decides this one
   * @throws OutcomeUnknownException if the outcome did not become known in time; repeat the request
   * @throws ConflictException as {@link Store#update}
   * @throws io.github.stablecut.error.UsageException if the updates are refused, and were not
   *     executed before
   */
  @CanIgnoreReturnValue
  CausalToken update(long number, Update... updates);

  /**
   * Executes updates as one transaction if a condition holds, unless the session has already
   * executed the request. A negative outcome is not retained: a repeated request evaluates the
   * condition again. If the request may be repeated elsewhere, use a condition that stays false
   * once it is false. Examples are conditions on the tail of a stream or on a number that only
   * grows.
   *
   * @param number the number of the request, at least 1
   * @param condition linearizable, as in {@link Store#compareAndUpdate(Condition, Update...)}
   * @param updates at least one; the same whenever the request is repeated
   * @return the token of the request's first execution; empty if the condition does not hold and
   *     the request was not executed before
   * @throws StaleRequestException as {@link #update}, like the other exceptions
   */
  @CanIgnoreReturnValue
  Optional<CausalToken> updateIf(long number, Condition condition, Update... updates);

  /** A point whose snapshot contains everything that this object has executed. */
  CausalToken token();
}
