package io.github.stablecut.cluster.internal.service;

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
 * What clients hold at the server beside transactions: pins, scans and watches, by descriptors that
 * are good on any connection and can't be guessed. What nobody is heard about for too long is let
 * go of. Thread-safe.
 */
public final class ClientHandles {
  private static final int RANDOM_BYTES = 16;

  /** Open scans may hold so many times as much as there may be when another is opened. */
  private static final int MULTIPLE = 2;

  private final TransactionLimits limits;
  private final NanoClock clock;
  private final SecureRandom random = new SecureRandom();
  private final AtomicLong numbers = new AtomicLong();
  private final Map<Bytes, Entry> held = new ConcurrentHashMap<>();
  private final Map<Kind, HandleQuota> places = new EnumMap<>(Kind.class);

  /** The kinds, each of which has places of its own. */
  enum Kind {
    PIN,
    SCAN,
    WATCH
  }

  /**
   * How many there may be.
   *
   * @param scans each of which has buffers of its own
   * @param watches as many as the store allows
   */
  public record Most(int scans, int watches) {}

  /** Something that is held. */
  interface Held extends AutoCloseable {
    /**
     * What comes next.
     *
     * @param bytes how much it may be, about
     * @param waitMillis how long to wait for it
     * @param answer makes the bytes
     */
    Answer take(int bytes, int waitMillis, AnswerBytes answer) throws InterruptedException;

    /** Lets go of it, also while somebody takes. */
    @Override
    void close();
  }

  private static final class Entry {
    private final Held what;
    private final HandleQuota.Place place;

    /** The order in which they were begun. */
    private final long number;

    private final AtomicInteger users = new AtomicInteger();
    private volatile Client user;
    private volatile long usedNanos;

    Entry(long number, Held what, HandleQuota.Place place, Client user, long nowNanos) {
      this.number = number;
      this.what = what;
      this.place = place;
      this.user = user;
      this.usedNanos = nowNanos;
    }

    /** A connection uses it, which is from now on its client unless it is closed. */
    void usedBy(Client client) {
      if (!client.isGone()) {
        user = client;
      }
    }

    /** Whether nobody takes from it, its last user's connection is closed, and nobody came back. */
    boolean isAbandoned(long nowNanos, long nanos) {
      return users.get() == 0 && user.isGone(nowNanos, nanos) && nowNanos - usedNanos >= nanos;
    }

    void close() {
      // The store counts open watches, too: a client that takes the place must find room there.
      try {
        what.close();
      } finally {
        place.free();
      }
    }
  }

  /** Something that was begun, and its descriptor. */
  record Begun<H extends Held>(Bytes descriptor, H what) {}

  /**
   * None yet.
   *
   * @param limits of transactions; scans may hold as many bytes as their updates, and there may be
   *     as many pins
   */
  public ClientHandles(TransactionLimits limits, Most most, NanoClock clock) {
    this.limits = limits;
    this.clock = clock;
    places.put(Kind.PIN, places("pins", "transactions.max-open", limits.all()));
    places.put(Kind.SCAN, places("scans", "the server's heap (-Xmx)", most.scans));
    places.put(Kind.WATCH, places("watches", "store.max-watches", most.watches));
  }

  private HandleQuota places(String name, String limit, int all) {
    return new HandleQuota(
        new HandleQuota.Kind(name, limit, "close some", Optional.empty()), all, limits.shares());
  }

  /**
   * Begins something for a connection, and keeps it.
   *
   * @param begin what may throw, and then takes no place
   * @throws BusyException if there is as much as allowed
   */
  <H extends Held> Begun<H> hold(Client client, Kind kind, Supplier<H> begin) {
    HandleQuota.Place place =
        Objects.requireNonNull(places.get(kind)).take(client, this::tryReclaim);
    try {
      H what = begin.get();
      try {
        return keep(client, place, what);
      } catch (RuntimeException | Error e) {
        what.close();
        throw e;
      }
    } catch (RuntimeException | Error e) {
      place.free();
      throw e;
    }
  }

  private <H extends Held> Begun<H> keep(Client client, HandleQuota.Place place, H what) {
    if (what instanceof ScanHandle scan) {
      checkBytes(scan);
    }
    byte[] own = new byte[RANDOM_BYTES];
    random.nextBytes(own);
    Bytes descriptor = Bytes.wrap(own);
    held.put(descriptor, new Entry(numbers.getAndIncrement(), what, place, client, clock.nanos()));
    return new Begun<>(descriptor, what);
  }

  /** Closes the handle of the client that has been disconnected for longest. */
  private boolean tryReclaim(Predicate<HandleQuota.Place> isUseful) {
    long now = clock.nanos();
    Predicate<Entry> isReclaimable =
        entry ->
            isUseful.test(entry.place)
                && entry.isAbandoned(now, HandleShares.RECLAIMABLE_AFTER.toNanos());
    Optional<Entry> longestGone =
        Client.longestGone(held.values().stream().filter(isReclaimable), entry -> entry.user, now);
    longestGone.ifPresent(found -> endAll(entry -> entry == found && isReclaimable.test(entry)));
    return longestGone.isPresent();
  }

  private void checkBytes(ScanHandle scan) {
    long bytes = bytesOfScans();
    if (bytes > 0 && bytes + scan.heldBytes() > limits.bytes()) {
      throw new BusyException(
          "%,d scans are open, which hold %,d bytes of objects that nobody has taken, and the server's heap has no room for more: close some, or give it more (-Xmx)"
              .formatted(countOfScans() - 1, bytes));
    }
  }

  private int countOfScans() {
    return Objects.requireNonNull(places.get(Kind.SCAN)).count();
  }

  /**
   * What comes next of something.
   *
   * @param client the connection that takes it
   * @throws TransactionExpiredException if it is not there any more
   */
  Answer take(Client client, Bytes descriptor, int bytes, int waitMillis, AnswerBytes answer)
      throws InterruptedException {
    Entry entry = held.get(descriptor);
    if (entry == null) {
      throw new TransactionExpiredException(
          "there is no pin, scan or watch of this name: it was closed, nobody asked about it for %s, its client was disconnected for %s, or the server was started again since; begin another"
              .formatted(
                  DurationWords.of(limits.idle()),
                  DurationWords.of(limits.shares().disconnected())));
    }
    int unused = entry.users.incrementAndGet();
    try {
      entry.usedBy(client);
      if (entry.what instanceof ScanHandle scan) {
        checkRoom(entry, scan);
      }
      return entry.what.take(bytes, waitMillis, answer);
    } finally {
      // Only the time: meanwhile another connection may have renewed it.
      entry.usedNanos = clock.nanos();
      unused = entry.users.decrementAndGet();
    }
  }

  /**
   * Scans that were opened when there was room may have come to large objects since. The oldest of
   * them goes on in any case, so that they do not refuse each other for ever.
   */
  private void checkRoom(Entry entry, ScanHandle scan) {
    long others = bytesOfScans() - scan.heldBytes();
    if (others > MULTIPLE * limits.bytes() && !isOldest(entry)) {
      throw new BusyException(
          "other scans hold %,d bytes of objects that nobody has taken, and the server's heap has no room for more: try again later, close some, or give it more (-Xmx)"
              .formatted(others));
    }
  }

  private boolean isOldest(Entry scan) {
    return held.values().stream()
        .filter(entry -> entry.what instanceof ScanHandle other && other.heldBytes() > 0)
        .noneMatch(entry -> entry.number < scan.number);
  }

  private long bytesOfScans() {
    long bytes = 0;
    for (Entry entry : held.values()) {
      bytes += entry.what instanceof ScanHandle scan ? scan.heldBytes() : 0;
    }
    return bytes;
  }

  /** Something is still needed by a connection; returns whether it is there. */
  boolean renew(Client client, Bytes descriptor) {
    return held.computeIfPresent(
            descriptor,
            (id, entry) -> {
              entry.usedBy(client);
              entry.usedNanos = clock.nanos();
              return entry;
            })
        != null;
  }

  /** Lets go of something, if it is there. */
  void letGo(Bytes descriptor) {
    Optional.ofNullable(held.remove(descriptor)).ifPresent(Entry::close);
  }

  /** Lets go of what nobody was heard about for too long, or whose client does not come back. */
  public void endIdle() {
    long now = clock.nanos();
    long idle = limits.idle().toNanos();
    long disconnected = limits.shares().disconnected().toNanos();
    endAll(
        entry ->
            (entry.users.get() == 0 && now - entry.usedNanos > idle)
                || entry.isAbandoned(now, disconnected));
  }

  private void endAll(Predicate<Entry> which) {
    for (Bytes descriptor : held.keySet()) {
      // In one step with renew, which must not say that it is there when it goes.
      AtomicReference<@Nullable Entry> found = new AtomicReference<>();
      var unused =
          held.computeIfPresent(
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

  /** Lets go of everything; what fails at that keeps nothing else. */
  public void endAll() {
    for (Bytes descriptor : held.keySet()) {
      try {
        letGo(descriptor);
      } catch (RuntimeException e) {
        long unused = Failures.log(e);
      }
    }
  }

  /** The number of open handles by the name of their kind, such as {@code pin}. */
  public Map<String, Integer> countByKind() {
    Map<String, Integer> counts = new TreeMap<>();
    places.forEach((kind, of) -> counts.put(kind.name().toLowerCase(Locale.ROOT), of.count()));
    return counts;
  }

  /** How many there are. */
  public int count() {
    return held.size();
  }
}
