package io.github.stablecut.cluster.internal.service.handle;

import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.TransactionExpiredException;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The handles of clients: pins, scans and watches at this server, by descriptor. Descriptors are
 * valid on any connection and can't be guessed. A handle that is not renewed expires. Thread-safe.
 */
public final class ClientHandles {
  private static final int RANDOM_BYTES = 16;

  /** Open scans may grow to this multiple of the limit for opening another one. */
  private static final int GROWTH_FACTOR = 2;

  private final TransactionLimits limits;
  private final NanoClock clock;
  private final SecureRandom random = new SecureRandom();
  private final AtomicLong numbers = new AtomicLong();
  private final Map<Bytes, Entry> handles = new ConcurrentHashMap<>();
  private final Map<Kind, HandleQuota> quotas = new EnumMap<>(Kind.class);

  /** The kinds of handles; each has its own quota. */
  public enum Kind {
    PIN,
    SCAN,
    WATCH
  }

  /**
   * The maximum numbers of handles.
   *
   * @param scans of scans, each of which has its own buffers
   * @param watches of watches, as many as the store allows
   */
  public record Limits(int scans, int watches) {}

  /** A pin, a scan or a watch. */
  interface Handle extends AutoCloseable {
    /**
     * Returns the next part of a scan or a watch.
     *
     * @param bytes the approximate maximum size
     * @param waitMillis how long to wait for a change
     * @param answer encodes the objects
     */
    Answer take(int bytes, int waitMillis, AnswerBytes answer) throws InterruptedException;

    /** Closes the handle, even while a call takes from it. */
    @Override
    void close();
  }

  private static final class Entry {
    private final Handle handle;
    private final HandleQuota.Permit permit;

    /** The rank in the order of opening. */
    private final long number;

    /** The calls that take from it now. */
    private final AtomicInteger users = new AtomicInteger();

    /** The connection that used it last. */
    private volatile Client user;

    private volatile long usedNanos;

    Entry(long number, Handle handle, HandleQuota.Permit permit, Client user, long nowNanos) {
      this.number = number;
      this.handle = handle;
      this.permit = permit;
      this.user = user;
      this.usedNanos = nowNanos;
    }

    /** Makes a connection the handle's client, unless that connection is closed. */
    void usedBy(Client client) {
      if (!client.isGone()) {
        user = client;
      }
    }

    /**
     * Returns whether its client's connection was closed at least some time ago, and no connection
     * has used it since.
     */
    boolean isAbandoned(long nowNanos, long nanos) {
      return users.get() == 0 && user.isGone(nowNanos, nanos) && nowNanos - usedNanos >= nanos;
    }

    void close() {
      // The store limits watches, too: close first, so that the next holder of the permit succeeds.
      try {
        handle.close();
      } finally {
        permit.release();
      }
    }
  }

  /** An opened handle and its descriptor. */
  public record OpenedHandle<H extends Handle>(Bytes descriptor, H handle) {}

  /**
   * Creates an empty table.
   *
   * @param limits of transactions; as many pins may be open, and scans may hold as many bytes as
   *     the updates of transactions
   */
  public ClientHandles(TransactionLimits limits, Limits maximums, NanoClock clock) {
    this.limits = limits;
    this.clock = clock;
    quotas.put(Kind.PIN, quotas("pins", "transactions.max-open", limits.all()));
    quotas.put(Kind.SCAN, quotas("scans", "the server's heap (-Xmx)", maximums.scans));
    quotas.put(Kind.WATCH, quotas("watches", "store.max-watches", maximums.watches));
  }

  private HandleQuota quotas(String name, String limit, int all) {
    return new HandleQuota(
        new HandleQuota.Kind(name, limit, "close some", Optional.empty()), all, limits.shares());
  }

  /**
   * Opens a handle for a connection.
   *
   * @param opening opens it; if this throws, the permit is released
   * @throws BusyException if the quota is exhausted
   */
  public <H extends Handle> OpenedHandle<H> open(Client client, Kind kind, Supplier<H> opening) {
    HandleQuota.Permit permit =
        Objects.requireNonNull(quotas.get(kind)).acquire(client, this::tryReclaim);
    try {
      H handle = opening.get();
      try {
        return register(client, permit, handle);
      } catch (RuntimeException | Error e) {
        handle.close();
        throw e;
      }
    } catch (RuntimeException | Error e) {
      permit.release();
      throw e;
    }
  }

  private <H extends Handle> OpenedHandle<H> register(
      Client client, HandleQuota.Permit permit, H handle) {
    if (handle instanceof ScanHandle scan) {
      checkBytes(scan);
    }
    byte[] own = new byte[RANDOM_BYTES];
    random.nextBytes(own);
    Bytes descriptor = Bytes.wrap(own);
    handles.put(
        descriptor, new Entry(numbers.getAndIncrement(), handle, permit, client, clock.nanos()));
    return new OpenedHandle<>(descriptor, handle);
  }

  /** Closes the handle of the client that has been disconnected for longest. */
  private boolean tryReclaim(Predicate<HandleQuota.Permit> isUseful) {
    long nowNanos = clock.nanos();
    Predicate<Entry> isReclaimable =
        entry ->
            isUseful.test(entry.permit)
                && entry.isAbandoned(nowNanos, HandleShares.RECLAIMABLE_AFTER.toNanos());
    Optional<Entry> longestGone =
        Client.longestGone(
            handles.values().stream().filter(isReclaimable), entry -> entry.user, nowNanos);
    longestGone.ifPresent(found -> closeIf(entry -> entry == found && isReclaimable.test(entry)));
    return longestGone.isPresent();
  }

  private void checkBytes(ScanHandle scan) {
    long bytes = bytesOfScans();
    if (bytes > 0 && bytes + scan.heldBytes() > limits.bytes()) {
      throw new BusyException(
          "%,d open scans hold %,d bytes of objects that their clients have not taken, the most that the server's heap allows: close some, or increase the heap (-Xmx)"
              .formatted(countOfScans() - 1, bytes));
    }
  }

  private int countOfScans() {
    return Objects.requireNonNull(quotas.get(Kind.SCAN)).count();
  }

  /**
   * Takes the next part of a scan or a watch.
   *
   * @param client the connection that takes it
   * @throws TransactionExpiredException if the handle does not exist
   */
  public Answer take(Client client, Bytes descriptor, int bytes, int waitMillis, AnswerBytes answer)
      throws InterruptedException {
    Entry entry = handles.get(descriptor);
    if (entry == null) {
      throw new TransactionExpiredException(
          "no pin, scan or watch is open with this descriptor: it was closed, it was not renewed for %s, its client was disconnected for %s, or the server was restarted; open another"
              .formatted(
                  DurationWords.of(limits.idle()),
                  DurationWords.of(limits.shares().disconnected())));
    }
    entry.users.incrementAndGet();
    try {
      entry.usedBy(client);
      if (entry.handle instanceof ScanHandle scan) {
        checkRoom(entry, scan);
      }
      return entry.handle.take(bytes, waitMillis, answer);
    } finally {
      // Updates the time only: another connection may have become its client.
      entry.usedNanos = clock.nanos();
      entry.users.decrementAndGet();
    }
  }

  /**
   * Refuses to read on if other scans hold too much: scans opened within the limit may have met
   * large objects since. The oldest scan always proceeds, so that scans can't block each other
   * forever.
   */
  private void checkRoom(Entry entry, ScanHandle scan) {
    long others = bytesOfScans() - scan.heldBytes();
    if (others > GROWTH_FACTOR * limits.bytes() && !isOldest(entry)) {
      throw new BusyException(
          "other scans hold %,d bytes of objects that their clients have not taken, the most that the server's heap allows: try again later, close some, or increase the heap (-Xmx)"
              .formatted(others));
    }
  }

  private boolean isOldest(Entry scan) {
    return handles.values().stream()
        .filter(entry -> entry.handle instanceof ScanHandle other && other.heldBytes() > 0)
        .noneMatch(entry -> entry.number < scan.number);
  }

  private long bytesOfScans() {
    long bytes = 0;
    for (Entry entry : handles.values()) {
      bytes += entry.handle instanceof ScanHandle scan ? scan.heldBytes() : 0;
    }
    return bytes;
  }

  /** Renews a handle for a connection; returns whether the handle exists. */
  public boolean renew(Client client, Bytes descriptor) {
    return handles.computeIfPresent(
            descriptor,
            (id, entry) -> {
              entry.usedBy(client);
              entry.usedNanos = clock.nanos();
              return entry;
            })
        != null;
  }

  /** Closes a handle, if it exists. */
  public void close(Bytes descriptor) {
    Optional.ofNullable(handles.remove(descriptor)).ifPresent(Entry::close);
  }

  /** Closes the handles that were idle, or whose client was disconnected, for too long. */
  public void endIdle() {
    long nowNanos = clock.nanos();
    long idleNanos = limits.idle().toNanos();
    long disconnectedNanos = limits.shares().disconnected().toNanos();
    closeIf(
        entry ->
            (entry.users.get() == 0 && nowNanos - entry.usedNanos > idleNanos)
                || entry.isAbandoned(nowNanos, disconnectedNanos));
  }

  private void closeIf(Predicate<Entry> which) {
    for (Bytes descriptor : handles.keySet()) {
      // Atomic with respect to renew, which must not confirm a handle that is being removed.
      AtomicReference<@Nullable Entry> found = new AtomicReference<>();
      handles.computeIfPresent(
          descriptor,
          (id, entry) -> {
            if (!which.test(entry)) {
              return entry;
            }
            found.set(entry);
            return null;
          });
      Entry ended = found.get();
      if (ended != null) {
        ended.close();
      }
    }
  }

  /** Closes all handles; a failure of one does not keep the others open. */
  public void closeAll() {
    for (Bytes descriptor : handles.keySet()) {
      try {
        close(descriptor);
      } catch (RuntimeException e) {
        Failures.log(e);
      }
    }
  }

  /** Returns the number of open handles by the name of their kind, such as {@code pin}. */
  public Map<String, Integer> countByKind() {
    Map<String, Integer> counts = new TreeMap<>();
    quotas.forEach((kind, of) -> counts.put(kind.name().toLowerCase(Locale.ROOT), of.count()));
    return counts;
  }

  /** Returns the number of open handles. */
  public int count() {
    return handles.size();
  }
}
