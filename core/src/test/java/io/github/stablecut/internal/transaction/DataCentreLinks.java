package io.github.stablecut.internal.transaction;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.replication.MessageCodec;
import io.github.stablecut.internal.replication.ReplicationMessage;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The messages between data centres: lost, repeated, delayed and reordered at random until {@link
 * #becomeReliable}, and never passed where a link is cut. Confined to one thread.
 */
final class DataCentreLinks {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  /** Receives messages. */
  interface Receiver {
    /**
     * A message has arrived.
     *
     * @param to the number of the receiving data centre
     */
    void receive(int to, ReplicationMessage message);
  }

  private record InTransit(long at, int to, Bytes bytes) {}

  private final Random random;
  private final PriorityQueue<InTransit> messages =
      new PriorityQueue<>(Comparator.comparingLong(InTransit::at));
  private final boolean[][] isCut;
  private boolean isFaulty = true;

  DataCentreLinks(Random random, int dataCentres) {
    this.random = random;
    this.isCut = new boolean[dataCentres][dataCentres];
  }

  /** From now on each message arrives once, and soon. */
  void becomeReliable() {
    isFaulty = false;
  }

  /** Cuts the link between two data centres, or restores it. */
  void cut(int one, int other, boolean isNow) {
    isCut[one][other] = isNow;
    isCut[other][one] = isNow;
  }

  void send(int from, int to, ReplicationMessage message, long now) {
    if (isCut[from][to] || (isFaulty && random.nextInt(10) == 0)) {
      return;
    }
    Bytes bytes = MessageCodec.encode(message);
    int copies = isFaulty && random.nextInt(10) == 0 ? 2 : 1;
    for (int i = 0; i < copies; i++) {
      long delay = random.nextInt(isFaulty && random.nextInt(10) == 0 ? 500 : 10) * MILLI;
      messages.add(new InTransit(now + delay, to, bytes));
    }
  }

  /** Delivers messages that arrive until a time, including those sent meanwhile. */
  void deliver(long now, Receiver receiver) {
    while (!messages.isEmpty() && messages.element().at <= now) {
      InTransit next = messages.remove();
      receiver.receive(next.to, MessageCodec.decode(next.bytes));
    }
  }
}
