package io.github.stablecut.internal.transaction;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.replication.MessageCodec;
import io.github.stablecut.internal.replication.ReplicationMessage;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * What data centres send each other: messages are lost, repeated, delayed and overtaken at random
 * until it is told to be reliable, and none passes where it is cut. Confined to one thread.
 */
final class DataCentreLinks {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  /** Takes what has arrived. */
  interface Receiver {
    /**
     * A message has arrived.
     *
     * @param to the number of the data centre that it is for
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

  /** From now on what is sent arrives once, and soon. */
  void becomeReliable() {
    isFaulty = false;
  }

  /** Cuts the link between two data centres, or mends it. */
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

  /** Hands over what arrives until a time, and what is sent meanwhile and arrives by then. */
  void deliver(long now, Receiver receiver) {
    while (!messages.isEmpty() && messages.element().at <= now) {
      InTransit next = messages.remove();
      receiver.receive(next.to, MessageCodec.decode(next.bytes));
    }
  }
}
