package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.RequestMismatchException;
import io.github.stablecut.error.SessionExpiredException;
import io.github.stablecut.error.StaleRequestException;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionName;
import io.github.stablecut.internal.record.SessionsRecord;
import io.github.stablecut.internal.thread.HeapShare;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The last request of each session that a partition has committed, so that a repeated request is
 * not executed twice. A session's id has its opening time, and the session expires some time later,
 * so a request missing here was never executed here. Sessions that have committed nothing are not
 * stored. Used under the commit lock.
 */
public final class SessionTable {
  /**
   * Maximum bytes of an entry with 32-bit references: 72 for the name and the request, 32 for the
   * digest, 24 for the entry, 43 for its map entry; 75 for the count of its client, of which it may
   * be the only session.
   */
  private static final int ENTRY_BYTES = 250;

  private static final int MIN_SESSIONS = 1_000;

  /** All partitions together may take this many thirty-seconds of the heap. */
  private static final int SHARES = 4;

  /** A client's default share of the sessions: one in this many. */
  private static final int CLIENT_PART = 4;

  private static final long DROP_MILLIS = 1_000;

  /**
   * The maximum numbers of sessions that a partition remembers.
   *
   * @param all the maximum
   * @param perClient the maximum of sessions that a server has issued to one client
   */
  public record Limits(int all, int perClient) {
    /**
     * The limits of a partition.
     *
     * @param partitions how many share the heap, and the numbers that are set
     * @param setAll a number for all partitions; 0 for as many as the heap has room for
     * @param setPerClient a number for all partitions; 0 for a quarter of all
     */
    public static Limits of(int partitions, int setAll, int setPerClient) {
      long bytes = SHARES * HeapShare.of(Integer.MAX_VALUE / SHARES, partitions);
      int room = (int) Math.max(MIN_SESSIONS, bytes / ENTRY_BYTES);
      int all = setAll == 0 ? room : Math.min(room, Math.max(1, setAll / partitions));
      int share = setPerClient == 0 ? all / CLIENT_PART : setPerClient / partitions;
      return new Limits(all, Math.min(all, Math.max(1, share)));
    }
  }

  private final Duration lifetime;
  private final Limits limits;

  /** The time at which expired sessions were last dropped. */
  private long droppedMillis;

  private final Map<SessionName, SessionsRecord.Entry> last = new HashMap<>();

  /** The number of sessions of each client of servers. */
  private final Map<Integer, Integer> ofClients = new HashMap<>();

  /**
   * @param limits apply to new requests, not to those that journals report
   */
  public SessionTable(Duration lifetime, Limits limits) {
    this.lifetime = lifetime;
    this.limits = limits;
  }

  /**
   * Checks that a request that was not executed here may be.
   *
   * @throws LimitExceededException if too many other sessions, or sessions of the same client, have
   *     requests here
   */
  void ensureRoom(RequestId request, long nowMillis) {
    SessionName session = request.session();
    if (last.containsKey(session) || hasRoom(session)) {
      return;
    }
    // This examines all sessions, so it does not run for every request.
    if (nowMillis - droppedMillis >= DROP_MILLIS) {
      dropExpired(nowMillis);
    }
    if (!hasRoom(session)) {
      throw full(session);
    }
  }

  private boolean hasRoom(SessionName session) {
    return last.size() < limits.all && ofClient(session.client()) < limits.perClient;
  }

  private int ofClient(int client) {
    return client == 0 ? 0 : ofClients.getOrDefault(client, 0);
  }

  private LimitExceededException full(SessionName session) {
    return new LimitExceededException(
        last.size() >= limits.all
            ? "%,d sessions that were opened less than %s ago have requests on a partition, as many as it remembers: use each session for many requests, let sessions live for less time (store.timeouts.session, Timeouts.withSession), or allow more (store.max-sessions, Limits.withSessions, and -Xmx: the heap has to have room)"
                .formatted(last.size(), DurationWords.of(lifetime))
            : "%,d sessions that servers issued to this client's address less than %s ago have requests on a partition, its share: use each session for many requests, let sessions live for less time (store.timeouts.session), or allow each address more (store.max-sessions-per-client)"
                .formatted(ofClient(session.client()), DurationWords.of(lifetime)));
  }

  /**
   * The commit time of a request that was executed before.
   *
   * @param nowMillis the partition's time, which never decreases
   * @throws SessionExpiredException if the session was opened too long ago
   * @throws StaleRequestException if the session has executed a later request here
   * @throws RequestMismatchException if the session has executed other updates under this number
   */
  Optional<Long> find(RequestId request, long nowMillis) {
    checkAge(request, nowMillis);
    SessionsRecord.Entry known = last.get(request.session());
    if (known == null || known.request().number() < request.number()) {
      return Optional.empty();
    }
    if (known.request().number() > request.number()) {
      throw new StaleRequestException(
          "%s comes after request %d, which is committed: number requests in ascending order, and repeat the last one only"
              .formatted(request, known.request().number()));
    }
    if (!known.request().updates().equals(request.updates())) {
      throw new RequestMismatchException(
          "%s is committed with other updates, and these were not executed: give each request its own number, and repeat it with the same updates, whose values are encoded to the same bytes"
              .formatted(request));
    }
    return Optional.of(known.time());
  }

  private void checkAge(RequestId request, long nowMillis) {
    long opened = request.session().openedMillis();
    if (isExpired(request.session(), nowMillis)) {
      throw new SessionExpiredException(
          "session %s was opened at %s and could be used for %s: open another, and find out by reading whether %s was executed"
              .formatted(
                  request.session(),
                  Instant.ofEpochMilli(opened),
                  DurationWords.of(lifetime),
                  request));
    }
    if (opened - nowMillis > lifetime.toMillis()) {
      throw new SessionExpiredException(
          "session %s claims to have been opened at %s, which is further in the future than a session lives: open one with openSession"
              .formatted(request.session(), Instant.ofEpochMilli(opened)));
    }
  }

  private boolean isExpired(SessionName session, long nowMillis) {
    return nowMillis > session.openedMillis() + lifetime.toMillis();
  }

  /** Adds a committed request. */
  void put(RequestId request, long time) {
    SessionName session = request.session();
    SessionsRecord.Entry known = last.get(session);
    if (known == null) {
      last.put(session, new SessionsRecord.Entry(request, time));
      count(session.client());
    } else if (known.request().number() <= request.number()) {
      // Reuses the key's name object, so that each session's name is in memory once.
      RequestId kept =
          new RequestId(known.request().session(), request.number(), request.updates());
      last.put(session, new SessionsRecord.Entry(kept, time));
    }
  }

  private void count(int client) {
    if (client != 0) {
      ofClients.merge(client, 1, Integer::sum);
    }
  }

  /** The live sessions; drops the expired ones. */
  List<SessionsRecord.Entry> live(long nowMillis) {
    dropExpired(nowMillis);
    return new ArrayList<>(last.values());
  }

  /** Drops the sessions that are expired. */
  public void dropExpired(long nowMillis) {
    droppedMillis = nowMillis;
    for (Iterator<SessionName> all = last.keySet().iterator(); all.hasNext(); ) {
      SessionName session = all.next();
      if (isExpired(session, nowMillis)) {
        all.remove();
        ofClients.computeIfPresent(
            session.client(), (client, count) -> count == 1 ? null : count - 1);
      }
    }
  }

  /** The number of sessions. */
  public int size() {
    return last.size();
  }
}
