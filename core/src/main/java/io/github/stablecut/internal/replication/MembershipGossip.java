package io.github.stablecut.internal.replication;

import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.replication.ReplicationMessage.Members;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.SupervisedThread;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Distributes the group's membership: sends it to the other data centres until they know it, and
 * merges what they send. It has its own thread because changes are made durable. Thread-safe.
 */
final class MembershipGossip implements AutoCloseable {
  private static final long TICK_MILLIS = 200;

  /** The interval of messages to a data centre that knows another membership or is silent. */
  private static final long RESEND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_INBOX = 1_000;

  private final GroupState group;
  private final PartitionReplicator.Outbox outbox;
  private final BlockingQueue<Members> inbox = new ArrayBlockingQueue<>(MAX_INBOX);
  private final Map<Integer, Peer> peers = new ConcurrentHashMap<>();
  private final Map<Integer, String> refused = new ConcurrentHashMap<>();
  private final Map<Integer, Long> sentAtNanos = new TreeMap<>();
  private final Runnable everySecond;
  private final SupervisedThread thread;
  private long lastSecondNanos = System.nanoTime();
  private volatile boolean closed;

  /**
   * Another data centre: when its last message arrived, and the checksum of the membership that it
   * knows.
   */
  private record Peer(long heardAtNanos, int members) {}

  /**
   * @param everySecond called about once per second, on this object's thread
   */
  MembershipGossip(
      GroupState group, PartitionReplicator.Outbox outbox, Runnable everySecond, FaultLog faults) {
    this.group = group;
    this.outbox = outbox;
    this.everySecond = everySecond;
    this.thread = new SupervisedThread("replication-members", this::run, faults);
  }

  void start() {
    thread.start();
  }

  /**
   * Queues another data centre's membership. Messages above the limit are dropped and sent again.
   */
  void add(Members members) {
    inbox.offer(members); // a dropped message is sent again
  }

  /** Records a message's sender and membership. */
  void heard(ReplicationMessage.Head head) {
    peers.put(head.from(), new Peer(System.nanoTime(), head.members()));
  }

  boolean isKnownToAll() {
    return group.known().others(group.own()).stream()
        .map(peers::get)
        .allMatch(peer -> peer != null && peer.members == group.sum());
  }

  OptionalLong heardAt(int dataCentre) {
    Peer peer = peers.get(dataCentre);
    return peer == null ? OptionalLong.empty() : OptionalLong.of(peer.heardAtNanos);
  }

  private void run() {
    while (!closed) {
      try {
        Members members = inbox.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
        while (members != null && !closed) {
          learn(members);
          members = inbox.poll();
        }
      } catch (InterruptedException e) {
        // Only close ends this thread, through the flag.
      }
      if (!closed) {
        long nowNanos = System.nanoTime();
        resend(nowNanos);
        if (nowNanos - lastSecondNanos >= SECOND_NANOS) {
          lastSecondNanos = nowNanos;
          everySecond.run();
        }
      }
    }
  }

  private void learn(Members members) {
    int from = members.from();
    try {
      group.learn(members.membership());
      if (from != group.own() && group.known().members().containsKey(from)) {
        group.heard(from);
        peers.put(from, new Peer(System.nanoTime(), members.membership().sum()));
        refused.remove(from);
        if (group.takesPart() && !group.known().member(from).takesPart()) {
          // It no longer receives streams, whose messages would show that this is known here.
          outbox.send(from, new Members(group.own(), group.known()));
        }
      }
    } catch (IllegalArgumentException e) {
      Member sender = group.known().members().get(from);
      String advice =
          sender == null || sender.takesPart()
              ? ""
              : "; it was detached: data centres that it has admitted since then must join again with an empty directory";
      refused.put(
          from,
          "the membership that data centre %d sent was rejected: %s%s"
              .formatted(from, e.getMessage(), advice));
    }
  }

  private void resend(long nowNanos) {
    Membership known = group.known();
    for (int other : known.members().keySet()) {
      Peer peer = peers.get(other);
      boolean knows = peer != null && peer.members == group.sum();
      Long lastNanos = sentAtNanos.get(other);
      if (other != group.own()
          && !knows
          && (lastNanos == null || nowNanos - lastNanos > RESEND_NANOS)) {
        sentAtNanos.put(other, nowNanos);
        outbox.send(other, new Members(group.own(), known));
      }
    }
  }

  /** The problems of the group, one sentence each. */
  List<String> problems() {
    List<String> problems = new ArrayList<>(refused.values());
    if (!group.known().member(group.own()).takesPart()) {
      problems.add(
          "this data centre, number %d, was detached from its group and refuses commits: open its store without replication and export what the others lack, then join again with an empty directory"
              .formatted(group.own()));
    }
    return problems;
  }

  @Override
  public void close() {
    closed = true;
    thread.join();
  }
}
