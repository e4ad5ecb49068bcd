package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Sends large messages to other nodes in fragments, with backpressure, which Akka lacks between
 * nodes. A node has at most {@link #WINDOW_BYTES} unacknowledged; the rest waits here, in memory
 * that its sender has reserved. Messages to one node take turns, fragment by fragment. Thread-safe.
 */
public final class OutboundFragments {
  /** The most unacknowledged bytes in transit to a node; at least one fragment. */
  static final int WINDOW_BYTES = 1 << 20;

  /** A node that acknowledges nothing for this time loses the messages that wait for it. */
  static final Duration STALL = Duration.ofSeconds(10);

  /**
   * Unacknowledged bytes are presumed lost if nothing was acknowledged for this time. Presuming
   * loss too early costs the node another window.
   */
  static final Duration QUIET = Duration.ofSeconds(1);

  /**
   * If something stays unacknowledged for this time without a break, sending stops until everything
   * is acknowledged or {@link #QUIET} has passed. Acknowledgements say how much arrived, not what,
   * so a loss shows only then.
   */
  static final Duration DRAIN = Duration.ofSeconds(10);

  /**
   * Once this many bytes were presumed lost, nothing is sent until some are acknowledged or {@link
   * #LONG_QUIET} has passed. If the node is merely slow, those bytes are late rather than lost.
   */
  static final int MAX_LOST_BYTES = 7 * WINDOW_BYTES;

  /** Bytes presumed lost are not merely late if nothing was acknowledged for this time. */
  static final Duration LONG_QUIET = Duration.ofSeconds(5);

  /** Sends the fragments of one message, in order. */
  @FunctionalInterface
  interface Sender {
    /** Passes a fragment to Akka. Does not block. */
    void send(Fragment part, boolean isLast);
  }

  private static final class Message {
    private final long number;
    private final Bytes bytes;
    private final Sender sender;
    private final Consumer<Boolean> done;
    private int sent;

    Message(long number, Bytes bytes, Sender sender, Consumer<Boolean> done) {
      this.number = number;
      this.bytes = bytes;
      this.sender = sender;
      this.done = done;
    }

    private void end(boolean isSent) {
      done.accept(isSent);
    }
  }

  /** A message whose sending has ended. */
  private record Over(Message message, boolean isSent) {}

  /** The messages to one node. */
  private static final class Destination {
    @GuardedBy("this")
    private final Deque<Message> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private long unacknowledged;

    /** The time at which bytes were last acknowledged, or the wait for an acknowledgement began. */
    @GuardedBy("this")
    private long progressNanos;

    /**
     * The time at which the current unbroken period of unacknowledged bytes began, if there are
     * any.
     */
    @GuardedBy("this")
    private long sinceNanos;

    /** Whether sending has stopped until everything is acknowledged or presumed lost. */
    @GuardedBy("this")
    private boolean isDraining;

    /** Whether bytes were presumed lost; no more may be before an acknowledgement. */
    @GuardedBy("this")
    private boolean isAfterLoss;

    /** The bytes that were presumed lost, and may only be late. */
    @GuardedBy("this")
    private long lost;

    /** Whether the node was reachable at the last {@link #tick}. */
    @GuardedBy("this")
    private boolean wasThere;

    @GuardedBy("this")
    private void acknowledged(long bytes, long nowNanos) {
      long late = Math.max(0, bytes - unacknowledged);
      unacknowledged = Math.max(0, unacknowledged - bytes);
      lost = Math.max(0, lost - late);
      progressNanos = nowNanos;
      isAfterLoss = false;
      if (hasLostMost()) {
        isDraining = true;
      } else if (unacknowledged == 0) {
        isDraining = false;
      } else if (nowNanos - sinceNanos >= DRAIN.toNanos()) {
        isDraining = true;
      }
    }

    /** Returns whether more may be in transit to the node. */
    @GuardedBy("this")
    private boolean hasRoom() {
      return !isDraining && unacknowledged < WINDOW_BYTES;
    }

    @GuardedBy("this")
    private boolean hasLostMost() {
      return lost >= MAX_LOST_BYTES;
    }

    /** Presumes unacknowledged bytes lost if it is time; returns whether more may be sent. */
    @GuardedBy("this")
    private boolean takeForLost(long nowNanos) {
      long quietNanos = nowNanos - progressNanos;
      if (quietNanos >= LONG_QUIET.toNanos()
          && lost > 0
          && (unacknowledged == 0 || hasLostMost())) {
        // Late acknowledgements have arrived by now.
        lost = 0;
        isDraining &= unacknowledged > 0;
        return !isDraining;
      }
      if (unacknowledged == 0 || isAfterLoss || quietNanos < QUIET.toNanos()) {
        return false;
      }
      lost += unacknowledged;
      unacknowledged = 0;
      isDraining = hasLostMost();
      isAfterLoss = !waiting.isEmpty();
      return true;
    }
  }

  private final LongSupplier nanoTime;
  private final Map<String, Destination> destinations = new ConcurrentHashMap<>();

  public OutboundFragments(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Returns whether a message is sent in acknowledged fragments. */
  static boolean isLarge(Bytes whole) {
    return whole.length() > TrafficBudget.SMALL_BYTES;
  }

  /**
   * Returns whether the last fragment of a message has to be acknowledged, as the earlier ones
   * were.
   */
  static boolean isOfLarge(Fragment last) {
    return last.offset() > 0 || isLarge(last.bytes());
  }

  /**
   * Sends a large message.
   *
   * @param address the address of the node
   * @param number the number of the message
   * @param done called once, with whether the last fragment was passed on; false if the message was
   *     dropped
   */
  void send(String address, long number, Bytes bytes, Sender sender, Consumer<Boolean> done) {
    Destination destination = destinations.computeIfAbsent(address, key -> new Destination());
    synchronized (destination) {
      destination.waiting.add(new Message(number, bytes, sender, done));
    }
    pump(destination);
  }

  /** A node has received bytes of large messages. */
  public void acknowledged(String address, long bytes) {
    Destination destination = destinations.get(address);
    if (destination != null) {
      synchronized (destination) {
        destination.acknowledged(bytes, nanoTime.getAsLong());
      }
      pump(destination);
    }
  }

  /** Drops the rest of a message. */
  void forget(long number) {
    for (Destination destination : destinations.values()) {
      drop(destination, number);
    }
  }

  private static void drop(Destination destination, long number) {
    Deque<Message> dropped = new ArrayDeque<>();
    synchronized (destination) {
      for (Iterator<Message> each = destination.waiting.iterator(); each.hasNext(); ) {
        Message message = each.next();
        if (message.number == number) {
          each.remove();
          dropped.add(message);
        }
      }
    }
    dropped.forEach(message -> message.end(false));
  }

  /**
   * Drops messages to nodes that acknowledge nothing or are unreachable, and resumes where
   * fragments or acknowledgements were lost. Lost fragments are not resent.
   *
   * @param reachable the addresses of the reachable nodes
   */
  public void tick(Collection<String> reachable) {
    destinations.forEach(
        (address, destination) -> {
          giveUpIfLost(destination, reachable.contains(address));
          goOnAfterLoss(destination);
        });
  }

  private void goOnAfterLoss(Destination destination) {
    boolean isLost;
    synchronized (destination) {
      isLost = destination.takeForLost(nanoTime.getAsLong());
    }
    if (isLost) {
      pump(destination);
    }
  }

  private void giveUpIfLost(Destination destination, boolean isThere) {
    Deque<Message> dropped;
    synchronized (destination) {
      // A node that is not known yet may have requested something.
      boolean hasLeft = destination.wasThere && !isThere;
      destination.wasThere = isThere;
      boolean isStalled =
          destination.unacknowledged > 0
              && nanoTime.getAsLong() - destination.progressNanos >= STALL.toNanos();
      if (!hasLeft && !isStalled) {
        return;
      }
      dropped = new ArrayDeque<>(destination.waiting);
      destination.waiting.clear();
      destination.unacknowledged = 0;
      destination.isDraining = false;
      destination.isAfterLoss = false;
      destination.lost = 0;
    }
    dropped.forEach(message -> message.end(false));
  }

  /** Sends fragments of each message in turn, as far as the window allows. */
  private void pump(Destination destination) {
    Deque<Over> over = new ArrayDeque<>();
    try {
      synchronized (destination) {
        while (!destination.waiting.isEmpty() && destination.hasRoom()) {
          Message next = destination.waiting.remove();
          boolean isLost = true;
          try {
            // Under the lock, so that fragments keep their order.
            if (sendPart(destination, next)) {
              over.add(new Over(next, true));
            } else {
              destination.waiting.add(next);
            }
            isLost = false;
          } finally {
            if (isLost) {
              over.add(new Over(next, false));
            }
          }
        }
      }
    } finally {
      over.forEach(ended -> ended.message.end(ended.isSent));
    }
  }

  /** Sends the next fragment; returns whether it was the last. */
  @GuardedBy("destination")
  private boolean sendPart(Destination destination, Message next) {
    Fragment part = Fragment.of(next.bytes, next.sent);
    if (destination.unacknowledged == 0) {
      destination.sinceNanos = nanoTime.getAsLong();
      if (!destination.isAfterLoss) {
        destination.progressNanos = destination.sinceNanos;
      }
    }
    destination.unacknowledged += part.bytes().length();
    next.sent += part.bytes().length();
    boolean isLast = next.sent == next.bytes.length();
    next.sender.send(part, isLast);
    return isLast;
  }
}
