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
 * Tells the other data centres of the group what is known here, until they know it, and takes what
 * they tell. On a thread of its own, as that is made durable. Thread-safe.
 */
final class MembershipGossip implements AutoCloseable {
  private static final long TICK_MILLIS = 200;

  /** How often somebody who knows something else is told, and somebody who was not heard. */
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_INBOX = 1_000;

  private final GroupState group;
  private final PartitionReplicator.Outbox outbox;
  private final BlockingQueue<Members> inbox = new ArrayBlockingQueue<>(MAX_INBOX);
  private final Map<Integer, Peer> peers = new ConcurrentHashMap<>();
  private final Map<Integer, String> refused = new ConcurrentHashMap<>();
  private final Map<Integer, Long> toldAt = new TreeMap<>();
  private final Runnable everySecond;
  private final SupervisedThread thread;
  private long lastSecond = System.nanoTime();
  private volatile boolean closed;

  /** Another data centre: when it was heard, and the sum of what it knows. */
  private record Peer(long heardAt, int members) {}

  /**
   * @param everySecond called about once per second, on its thread
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

  /** Takes what another data centre tells; if there is too much of it, it is told again. */
  void add(Members members) {
    var unused = inbox.offer(members);
  }

  /** Takes note of a message. */
  void heard(ReplicationMessage.Head head) {
    var unused = peers.put(head.from(), new Peer(System.nanoTime(), head.members()));
  }

  boolean isKnownToAll() {
    return group.known().others(group.own()).stream()
        .map(peers::get)
        .allMatch(peer -> peer != null && peer.members == group.sum());
  }

  OptionalLong heardAt(int dataCentre) {
    Peer peer = peers.get(dataCentre);
    return peer == null ? OptionalLong.empty() : OptionalLong.of(peer.heardAt);
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
        // Only close ends the thread, by the flag.
      }
      if (!closed) {
        long now = System.nanoTime();
        tell(now);
        if (now - lastSecond >= SECOND_NANOS) {
          lastSecond = now;
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
        var unused = peers.put(from, new Peer(System.nanoTime(), members.membership().sum()));
        var unusedToo = refused.remove(from);
        if (group.takesPart() && !group.known().member(from).takesPart()) {
          // It is sent no streams any more by which it would see that this is known here.
          outbox.send(from, new Members(group.own(), group.known()));
        }
      }
    } catch (IllegalArgumentException e) {
      Member sender = group.known().members().get(from);
      String advice =
          sender == null || sender.takesPart()
              ? ""
              : "; it was detached: whoever it has admitted since then joins again with an empty directory";
      var unused =
          refused.put(
              from,
              "what data centre %d tells of its group is refused: %s%s"
                  .formatted(from, e.getMessage(), advice));
    }
  }

  private void tell(long now) {
    Membership known = group.known();
    for (int other : known.members().keySet()) {
      Peer peer = peers.get(other);
      boolean knows = peer != null && peer.members == group.sum();
      Long told = toldAt.get(other);
      if (other != group.own() && !knows && (told == null || now - told > TELL_NANOS)) {
        var unused = toldAt.put(other, now);
        outbox.send(other, new Members(group.own(), known));
      }
    }
  }

  /** What is wrong with the group, one sentence each. */
  List<String> problems() {
    List<String> problems = new ArrayList<>(refused.values());
    if (!group.known().member(group.own()).takesPart()) {
      problems.add(
          "this data centre, number %d, was detached from its group: what it commits goes to no other; export what the others lack, and join again with an empty directory"
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
