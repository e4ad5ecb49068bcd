package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionStreams;
import io.github.stablecut.internal.replication.ReplicationMessage.Part;
import io.github.stablecut.internal.replication.ReplicationMessage.Truncated;
import io.github.stablecut.internal.replication.ReplicationMessage.Want;
import io.github.stablecut.internal.stream.StreamBatch;
import io.github.stablecut.internal.stream.StreamReader;
import io.github.stablecut.internal.thread.Faults;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The replication of one partition: what it sends to its counterparts, and asks them for. Has no
 * thread and no clock of its own. Confined to one thread at a time.
 */
public final class PartitionReplicator {
  /** How often a provider is told that a stream is wanted. */
  private static final long WANT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How often it is asked again for what was lost. */
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** When nothing of a stream was heard for so long, something was lost. */
  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A data centre that was not heard for so long counts as silent. */
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Who does not want a stream for so long is not sent it any more. */
  private static final long FORGOTTEN_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** How often a stream tells of time while something is committed in the store. */
  private static final long HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** The same while nothing is. */
  private static final long IDLE_HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How often what has arrived is recorded and a promise made, while something is committed. */
  private static final long PROMISE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** For so long after the last commit that is still done, so that all is recorded. */
  private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final int KEPT_PROMISES = 3;

  private final int local;
  private final int number;
  private final Partition partition;
  private final PartitionStreams streams;
  private final Surroundings surroundings;
  private final Map<Integer, Intake> intakes = new TreeMap<>();
  private final Map<Integer, Peer> peers = new HashMap<>();
  private final Map<StreamName, Subscription> subscriptions = new HashMap<>();

  /** The newest promises, the last one first. */
  private final Deque<PartitionStreams.Promise> promises = new ArrayDeque<>();

  private long promisedAt;

  /** Why streams do not come, by their source. */
  private final Map<Integer, String> problems = new TreeMap<>();

  /** A counterpart: when it was heard, and what it has. */
  private record Peer(long heardAt, VectorClock reached) {}

  private record StreamName(int reader, int source) {}

  /**
   * What the partitions of a store share.
   *
   * @param creditBytes what may be on its way of one stream
   * @param outbox sends messages
   * @param activity when something was last committed or received
   * @param newest at or above all that was acknowledged in the store
   * @param recorded up to where everything of other data centres has come, as the journals of the
   *     partitions tell
   * @param faults what was survived
   */
  public record Surroundings(
      long creditBytes,
      Outbox outbox,
      Activity activity,
      Supplier<VectorClock> newest,
      RecordedArrivals recorded,
      Faults faults) {}

  /** Sends messages; may lose them. Never blocks. */
  @FunctionalInterface
  public interface Outbox {
    void send(int dataCentre, ReplicationMessage message);
  }

  public PartitionReplicator(
      Partition partition, Collection<Integer> others, Surroundings surroundings, long now) {
    this.local = partition.dataCentre();
    this.number = partition.number();
    this.partition = partition;
    this.streams = partition.streams();
    this.surroundings = surroundings;
    this.promisedAt = now;
    for (int other : others) {
      intakes.put(other, new Intake(other, now));
    }
  }

  /** Takes a message. */
  public void receive(ReplicationMessage message, long now) {
    int from = message.from();
    if (!intakes.containsKey(from)) {
      return;
    }
    var unused = peers.put(from, new Peer(now, message.reached()));
    if (message instanceof Want want) {
      streams.acknowledged(from, want.recorded());
      want(want, now);
    } else if (message instanceof Part part) {
      take(part, now);
    } else if (message instanceof Truncated truncated) {
      problems.put(
          truncated.source(),
          "data centre %d has truncated what comes next of the stream of %d"
              .formatted(from, truncated.source()));
    }
  }

  private void want(Want want, long now) {
    Subscription subscription =
        subscriptions.computeIfAbsent(
            new StreamName(want.from(), want.source()),
            name -> new Subscription(streams, name.source));
    try {
      subscription.want(want, now);
    } catch (SnapshotTruncatedException e) {
      truncated(want.from(), want.source());
    }
  }

  private void truncated(int reader, int source) {
    var unused = subscriptions.remove(new StreamName(reader, source));
    surroundings.outbox.send(reader, new Truncated(local, number, streams.reached(), source));
  }

  private void take(Part part, long now) {
    StreamBatch batch = part.batch();
    Intake intake = intakes.get(batch.source());
    if (intake == null) {
      return;
    }
    PartitionStreams.Receipt receipt;
    try {
      receipt = streams.receive(batch);
    } catch (FormatException e) {
      problems.put(
          batch.source(),
          "data centre %d has sent what is no part of the stream of %d: %s"
              .formatted(part.from(), batch.source(), e.getMessage()));
      return;
    }
    switch (receipt) {
      case TAKEN -> {
        problems.remove(batch.source());
        intake.heard(part.from(), now);
        if (!batch.records().isEmpty()) {
          surroundings.activity.happened(now);
          intake.owe();
        }
      }
      case GAP -> {
        intake.heard(part.from(), now);
        if (intake.takesAgain(now, AGAIN_NANOS)) {
          ask(intake, true, now);
        }
      }
      case TOO_EARLY ->
          problems.put(
              batch.source(),
              "the clock of data centre %d is more than a minute ahead of the one here: what it commits is taken when that time has come"
                  .formatted(batch.source()));
    }
  }

  private void promise(long now) {
    promisedAt = now;
    surroundings.recorded.set(number, streams.recordReached());
    promises.addFirst(streams.promise(surroundings.recorded.ofAll()));
    if (promises.size() > KEPT_PROMISES) {
      promises.removeLast();
    }
  }

  /** Sends what is to be sent now. */
  public void tick(long now) {
    if (now - promisedAt >= PROMISE_NANOS && surroundings.activity.isWithin(now, SETTLED_NANOS)) {
      promise(now);
    }
    for (Intake intake : intakes.values()) {
      chooseProvider(intake, now);
      // Who has sent as much as it may, and all of that was lost, sends nothing more by itself.
      if (now - intake.heardAt() > LOST_NANOS && intake.takesAgain(now, LOST_NANOS)) {
        ask(intake, true, now);
      } else if (intake.isDue(now, WANT_NANOS)) {
        ask(intake, false, now);
      }
    }
    for (Iterator<Map.Entry<StreamName, Subscription>> all = subscriptions.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<StreamName, Subscription> next = all.next();
      if (now - next.getValue().wantedAt() > FORGOTTEN_NANOS || !sendAll(next, now)) {
        all.remove();
      }
    }
  }

  /**
   * Asks who has committed the transactions or, while that is silent, who has most of the stream.
   */
  private void chooseProvider(Intake intake, long now) {
    int source = intake.source();
    if (intake.provider() != source && isHeard(source, now)) {
      intake.ask(source, now);
    } else if (now - intake.heardAt() > SILENCE_NANOS) {
      intake.ask(bestOf(source, now).orElse(source), now);
    }
  }

  private boolean isHeard(int dataCentre, long now) {
    Peer peer = peers.get(dataCentre);
    return peer != null && now - peer.heardAt <= SILENCE_NANOS;
  }

  private Optional<Integer> bestOf(int source, long now) {
    long best = streams.reached().get(source);
    Optional<Integer> found = Optional.empty();
    for (Map.Entry<Integer, Peer> peer : peers.entrySet()) {
      if (isHeard(peer.getKey(), now) && peer.getValue().reached.get(source) > best) {
        best = peer.getValue().reached.get(source);
        found = Optional.of(peer.getKey());
      }
    }
    return found;
  }

  private void ask(Intake intake, boolean isAgain, long now) {
    surroundings.outbox.send(
        intake.provider(),
        new Want(
            local,
            number,
            streams.reached(),
            intake.source(),
            streams.next(intake.source()),
            surroundings.creditBytes,
            isAgain,
            streams.recorded()));
    intake.wanted(now);
  }

  /** Whether the subscription goes on. */
  private boolean sendAll(Map.Entry<StreamName, Subscription> subscription, long now) {
    int reader = subscription.getKey().reader;
    int source = subscription.getKey().source;
    try {
      boolean isActive = surroundings.activity.isRecent(now);
      if (source == local) {
        // A partition to which nothing is written tells of time too.
        var unused = partition.snapshotAfter(surroundings.newest.get());
      }
      StreamReader.Part part;
      do {
        part = subscription.getValue().next(now, isActive ? HEARTBEAT_NANOS : IDLE_HEARTBEAT_NANOS);
        if (part != null) {
          if (!part.records().isEmpty()) {
            surroundings.activity.happened(now);
          }
          send(reader, source, part);
        }
      } while (part != null && !part.records().isEmpty());
      return true;
    } catch (SnapshotTruncatedException e) {
      surroundings.outbox.send(reader, new Truncated(local, number, streams.reached(), source));
      return false;
    } catch (RuntimeException e) {
      surroundings.faults.add("the stream of data centre " + source, e);
      return false;
    }
  }

  private void send(int reader, int source, StreamReader.Part part) {
    VectorClock promise = source == local ? promiseAt(part.through()) : VectorClock.ZERO;
    surroundings.outbox.send(
        reader,
        new Part(
            local,
            number,
            streams.reached(),
            new StreamBatch(source, part.after(), part.through(), part.records(), promise)));
  }

  private VectorClock promiseAt(long through) {
    return promises.stream()
        .filter(promise -> promise.after() <= through)
        .findFirst()
        .map(PartitionStreams.Promise::vector)
        .orElse(VectorClock.ZERO);
  }

  /** Why streams do not come, one sentence each. */
  public Collection<String> problems() {
    return problems.values();
  }
}
