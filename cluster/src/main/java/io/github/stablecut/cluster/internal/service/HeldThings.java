package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.TransactionExpiredException;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What clients hold at the server beside transactions: pins, scans and watches, by descriptors that
 * are good on any connection and can't be guessed. What nobody is heard about for too long is let
 * go of. Thread-safe.
 */
public final class HeldThings {
  private static final int RANDOM_BYTES = 16;

  /** Open scans may hold so many times as much as there may be when another is opened. */
  private static final int MULTIPLE = 2;

  private final TransactionLimits limits;
  private final int mostScans;
  private final AtomicInteger scans = new AtomicInteger();
  private final NanoClock clock;
  private final SecureRandom random = new SecureRandom();
  private final Map<Bytes, Entry> held = new ConcurrentHashMap<>();

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
    private final AtomicInteger users = new AtomicInteger();
    private volatile long usedNanos;

    Entry(Held what, long nowNanos) {
      this.what = what;
      this.usedNanos = nowNanos;
    }
  }

  /**
   * None yet.
   *
   * @param limits of transactions; scans may hold as many bytes as their updates
   * @param mostScans how many scans there may be, each of which has buffers of its own
   */
  public HeldThings(TransactionLimits limits, int mostScans, NanoClock clock) {
    this.limits = limits;
    this.mostScans = mostScans;
    this.clock = clock;
  }

  /**
   * Keeps something.
   *
   * @return its descriptor
   * @throws BusyException if there is as much as allowed; it is closed then
   */
  Bytes hold(Held what) {
    if (held.size() >= limits.all()) {
      what.close();
      throw new BusyException(
          "%,d pins, scans and watches are open, as many as the server allows: close some, or raise transactions.max-open"
              .formatted(limits.all()));
    }
    if (what instanceof HeldScan scan) {
      int others = scans.getAndIncrement();
      long bytes = bytesOfScans();
      if (others >= mostScans || (others > 0 && bytes + scan.heldBytes() > limits.bytes())) {
        close(what);
        throw new BusyException(
            "%,d scans are open, which hold %,d bytes of objects that nobody has taken, and the server's heap has no room for more: close some, or give it more (-Xmx)"
                .formatted(others, bytes));
      }
    }
    byte[] own = new byte[RANDOM_BYTES];
    random.nextBytes(own);
    Bytes descriptor = Bytes.wrap(own);
    held.put(descriptor, new Entry(what, clock.nanos()));
    return descriptor;
  }

  /**
   * What comes next of something.
   *
   * @throws TransactionExpiredException if it is not there any more
   */
  Answer take(Bytes descriptor, int bytes, int waitMillis, AnswerBytes answer)
      throws InterruptedException {
    Entry entry = held.get(descriptor);
    if (entry == null) {
      throw new TransactionExpiredException(
          "there is no pin, scan or watch of this name: it was closed, nobody asked about it for %s, or the server was started again since; begin another"
              .formatted(DurationWords.of(limits.idle())));
    }
    int unused = entry.users.incrementAndGet();
    try {
      if (entry.what instanceof HeldScan scan) {
        checkRoom(scan);
      }
      return entry.what.take(bytes, waitMillis, answer);
    } finally {
      entry.usedNanos = clock.nanos();
      unused = entry.users.decrementAndGet();
    }
  }

  /** Scans that were opened when there was room may have come to large objects since. */
  private void checkRoom(HeldScan scan) {
    long others = bytesOfScans() - scan.heldBytes();
    if (others > MULTIPLE * limits.bytes()) {
      throw new BusyException(
          "other scans hold %,d bytes of objects that nobody has taken, and the server's heap has no room for more: try again later, close some, or give it more (-Xmx)"
              .formatted(others));
    }
  }

  private long bytesOfScans() {
    long bytes = 0;
    for (Entry entry : held.values()) {
      bytes += entry.what instanceof HeldScan scan ? scan.heldBytes() : 0;
    }
    return bytes;
  }

  /** Something is still needed; returns whether it is there. */
  boolean renew(Bytes descriptor) {
    return held.computeIfPresent(
            descriptor,
            (id, entry) -> {
              entry.usedNanos = clock.nanos();
              return entry;
            })
        != null;
  }

  /** Lets go of something, if it is there. */
  void letGo(Bytes descriptor) {
    Optional.ofNullable(held.remove(descriptor)).ifPresent(entry -> close(entry.what));
  }

  private void close(Held what) {
    if (what instanceof HeldScan) {
      int unused = scans.decrementAndGet();
    }
    what.close();
  }

  /** Lets go of what nobody was heard about for too long. */
  public void endIdle() {
    long now = clock.nanos();
    for (Bytes descriptor : held.keySet()) {
      // In one step with renew, which must not say that it is there when it goes.
      AtomicReference<@Nullable Entry> idle = new AtomicReference<>();
      var unused =
          held.computeIfPresent(
              descriptor,
              (id, entry) -> {
                if (entry.users.get() > 0 || now - entry.usedNanos <= limits.idle().toNanos()) {
                  return entry;
                }
                idle.set(entry);
                return null;
              });
      Entry ended = idle.get();
      if (ended != null) {
        close(ended.what);
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

  /** How many there are. */
  public int count() {
    return held.size();
  }
}
