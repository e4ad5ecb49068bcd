package io.github.stablecut.internal.partition;

import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.SessionExpiredException;
import io.github.stablecut.error.StaleRequestException;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionsRecord;
import io.github.stablecut.internal.thread.HeapShare;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The last request that each session has committed on a partition, so that a repeated request is
 * not executed twice. A session's id holds its opening time, and the session expires some time
 * later, so a request that is not here was never executed here. Used under the commit lock.
 */
final class SessionTable {
  /** About what an entry takes. */
  private static final int ENTRY_BYTES = 150;

  private static final int LEAST = 1_000;

  /** All partitions together may take so many thirty-seconds of the heap. */
  private static final int SHARES = 4;

  private static final long DROP_MILLIS = 1_000;

  private final Duration lifetime;
  private final int most;

  /** When those that are expired were dropped last. */
  private long droppedMillis;

  private final Map<UUID, SessionsRecord.Entry> last = new HashMap<>();

  /**
   * @param most so many sessions have requests here at most, but for those that journals tell of
   */
  SessionTable(Duration lifetime, int most) {
    this.lifetime = lifetime;
    this.most = most;
  }

  /**
   * How many sessions a partition has room for.
   *
   * @param partitions how many share the heap
   */
  static int mostOf(int partitions) {
    long bytes = SHARES * HeapShare.of(Integer.MAX_VALUE / SHARES, partitions);
    return (int) Math.max(LEAST, bytes / ENTRY_BYTES);
  }

  /**
   * Checks that a request that was not executed here may be.
   *
   * @throws LimitExceededException if too many other sessions have requests here
   */
  void ensureRoom(RequestId request, long nowMillis) {
    if (last.size() < most || last.containsKey(request.session())) {
      return;
    }
    // Looks at all of them, and so not at each request.
    if (nowMillis - droppedMillis >= DROP_MILLIS) {
      dropExpired(nowMillis);
    }
    if (last.size() >= most) {
      throw new LimitExceededException(
          "%,d sessions that were opened less than %s ago have requests on a partition, as many as the heap has room for: use each session for many requests, let sessions live for less time, or give the JVM more memory (-Xmx)"
              .formatted(last.size(), DurationWords.of(lifetime)));
    }
  }

  /**
   * The commit time of a request that was executed before.
   *
   * @param nowMillis the partition's time, which never decreases
   * @throws SessionExpiredException if the session was opened too long ago
   * @throws StaleRequestException if the session has executed a later request here
   */
  Optional<Long> find(RequestId request, long nowMillis) {
    long opened = openedMillis(request.session());
    if (nowMillis > opened + lifetime.toMillis()) {
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
          "session %s says that it was opened at %s, which is further ahead than a session lives: open one with openSession"
              .formatted(request.session(), Instant.ofEpochMilli(opened)));
    }
    SessionsRecord.Entry known = last.get(request.session());
    if (known == null || known.request().number() < request.number()) {
      return Optional.empty();
    }
    if (known.request().number() > request.number()) {
      throw new StaleRequestException(
          "%s comes after request %d, which is committed: number requests in ascending order, and repeat the last one only"
              .formatted(request, known.request().number()));
    }
    return Optional.of(known.time());
  }

  private static long openedMillis(UUID session) {
    return session.getMostSignificantBits();
  }

  /** Adds a committed request. */
  void put(RequestId request, long time) {
    SessionsRecord.Entry known = last.get(request.session());
    if (known == null || known.request().number() <= request.number()) {
      var unused = last.put(request.session(), new SessionsRecord.Entry(request, time));
    }
  }

  /** The live sessions; drops the expired ones. */
  List<SessionsRecord.Entry> live(long nowMillis) {
    dropExpired(nowMillis);
    return new ArrayList<>(last.values());
  }

  /** Drops the sessions that are expired. */
  void dropExpired(long nowMillis) {
    droppedMillis = nowMillis;
    var unused =
        last.keySet().removeIf(session -> nowMillis > openedMillis(session) + lifetime.toMillis());
  }

  /** The number of sessions. */
  int size() {
    return last.size();
  }
}
