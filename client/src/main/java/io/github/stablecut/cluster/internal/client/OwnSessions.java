package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.SessionId;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.SessionExpiredException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Update;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * A store's own sessions, which execute its requests exactly once even if an answer is lost. The
 * pool grows to the number of concurrent requests; each session is reused. Thread-safe.
 */
final class OwnSessions {
  /** A session occupies memory on the servers until it expires, so each is reused for this long. */
  private static final long MAX_AGE_NANOS = Duration.ofHours(1).toNanos();

  private final Servers servers;
  private final Deque<IdleSession> idle = new ConcurrentLinkedDeque<>();

  OwnSessions(Servers servers) {
    this.servers = servers;
  }

  /**
   * An idle session.
   *
   * @param number the number of its next request
   */
  private record IdleSession(SessionId id, long number, long openedNanos) {
    IdleSession next() {
      return new IdleSession(id, number + 1, openedNanos);
    }
  }

  /**
   * Executes updates exactly once, if a condition holds.
   *
   * @throws OutcomeUnknownException if no server answered in time, or an answer was lost and the
   *     retry was refused
   */
  Answer write(Optional<Condition> condition, List<Update> updates) {
    while (true) {
      IdleSession session = take();
      Call call = new Call.WriteOnce(session.id, session.number, condition, updates);
      try {
        Answer answer = servers.callUntilAnswered(call);
        idle.push(session.next());
        return answer;
      } catch (OutcomeUnknownException e) {
        throw new OutcomeUnknownException(
            "the outcome of a write is unknown: read what it would have changed ("
                + e.getMessage()
                + ")");
      } catch (SessionExpiredException e) {
        if (session.number == 1) {
          throw e;
        }
      } catch (StablecutException e) {
        idle.push(session.next());
        throw e;
      }
    }
  }

  private IdleSession take() {
    while (true) {
      IdleSession found = idle.poll();
      if (found == null) {
        Answer.OpenedSession opened =
            RemoteValues.as(Answer.OpenedSession.class, servers.call(Call.Plain.OPEN_SESSION));
        return new IdleSession(opened.session(), 1, System.nanoTime());
      } else if (System.nanoTime() - found.openedNanos < MAX_AGE_NANOS) {
        return found;
      }
    }
  }
}
