package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.internal.wire.Fragment;
import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Large messages on their way to other nodes. Akka has no back-pressure between nodes, so a node is
 * sent at most {@link #WINDOW_BYTES} that it has not acknowledged; the rest waits here, in memory
 * that its sender has claimed. Messages to one node share the way, piece by piece. Thread-safe.
 */
public final class OutboundFragments {
  /** So much is sent to a node before it acknowledges any of it; one piece at least. */
  static final int WINDOW_BYTES = 1 << 20;

  /** A node that acknowledges nothing for so long gets nothing of what waits for it. */
  static final Duration STALL = Duration.ofSeconds(10);

  /** Sends the parts of one message, in order. */
  @FunctionalInterface
  interface Sender {
    /** Hands a part to Akka. Does not block. */
    void send(Fragment part, boolean isLast);
  }

  private static final class Message {
    private final long number;
    private final Bytes bytes;
    private final Sender sender;
    private final Runnable done;
    private int sent;

    Message(long number, Bytes bytes, Sender sender, Runnable done) {
      this.number = number;
      this.bytes = bytes;
      this.sender = sender;
      this.done = done;
    }
  }

  /** What goes to one node. */
  private static final class Way {
    @GuardedBy("this")
    private final Deque<Message> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private long unacknowledged;

    /** When something was acknowledged, or is waited for. */
    @GuardedBy("this")
    private long since;
  }

  private final LongSupplier nanoTime;
  private final Map<String, Way> ways = new ConcurrentHashMap<>();

  public OutboundFragments(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Whether a message goes through an outbox, and its parts have to be acknowledged. */
  static boolean isLarge(Bytes whole) {
    return whole.length() > TrafficBudget.SMALL_BYTES;
  }

  /** Whether a last part has to be acknowledged, as the parts before it were. */
  static boolean isOfLarge(Fragment last) {
    return last.offset() > 0 || isLarge(last.bytes());
  }

  /**
   * Sends a large message, part by part.
   *
   * @param address of the node
   * @param number of the message
   * @param done called once when the last part was handed over, or none will be any more
   */
  void send(String address, long number, Bytes bytes, Sender sender, Runnable done) {
    Way way = ways.computeIfAbsent(address, key -> new Way());
    synchronized (way) {
      way.waiting.add(new Message(number, bytes, sender, done));
    }
    go(way);
  }

  /** A node has got bytes of large messages, whatever it does with them. */
  public void acknowledged(String address, long bytes) {
    Way way = ways.get(address);
    if (way != null) {
      synchronized (way) {
        way.unacknowledged = Math.max(0, way.unacknowledged - bytes);
        way.since = nanoTime.getAsLong();
      }
      go(way);
    }
  }

  /** Sends nothing more of a message. */
  void forget(long number) {
    for (Way way : ways.values()) {
      drop(way, number);
    }
  }

  private static void drop(Way way, long number) {
    Deque<Message> dropped = new ArrayDeque<>();
    synchronized (way) {
      for (Iterator<Message> each = way.waiting.iterator(); each.hasNext(); ) {
        Message message = each.next();
        if (message.number == number) {
          each.remove();
          dropped.add(message);
        }
      }
    }
    dropped.forEach(message -> message.done.run());
  }

  /** Gives up what waits for nodes that acknowledge nothing: a lost part is lost for good. */
  public void tick() {
    ways.values().forEach(this::giveUpIfStalled);
  }

  private void giveUpIfStalled(Way way) {
    Deque<Message> dropped;
    synchronized (way) {
      if (way.unacknowledged == 0 || nanoTime.getAsLong() - way.since < STALL.toNanos()) {
        return;
      }
      dropped = new ArrayDeque<>(way.waiting);
      way.waiting.clear();
      way.unacknowledged = 0;
    }
    dropped.forEach(message -> message.done.run());
  }

  /** Sends what the window lets, a part of each message in turn. */
  private void go(Way way) {
    Deque<Message> over = new ArrayDeque<>();
    try {
      synchronized (way) {
        while (!way.waiting.isEmpty() && way.unacknowledged < WINDOW_BYTES) {
          Message next = way.waiting.remove();
          boolean isOver = true;
          try {
            // Under the lock, so that parts keep their order.
            isOver = sendPart(way, next);
          } finally {
            (isOver ? over : way.waiting).add(next);
          }
        }
      }
    } finally {
      over.forEach(message -> message.done.run());
    }
  }

  /** Whether that was the last. */
  @GuardedBy("way")
  private boolean sendPart(Way way, Message next) {
    Fragment part = Fragment.of(next.bytes, next.sent);
    if (way.unacknowledged == 0) {
      way.since = nanoTime.getAsLong();
    }
    way.unacknowledged += part.bytes().length();
    next.sent += part.bytes().length();
    boolean isLast = next.sent == next.bytes.length();
    next.sender.send(part, isLast);
    return isLast;
  }
}
