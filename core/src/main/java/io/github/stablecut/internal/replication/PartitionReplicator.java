package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionStreams;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.replication.ReplicationMessage.Forked;
import io.github.stablecut.internal.replication.ReplicationMessage.Part;
import io.github.stablecut.internal.replication.ReplicationMessage.Truncated;
import io.github.stablecut.internal.replication.ReplicationMessage.Want;
import io.github.stablecut.internal.stream.ForkedStreamException;
import io.github.stablecut.internal.stream.StreamBatch;
import io.github.stablecut.internal.stream.StreamReader;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.log.Log;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * The replication of one partition: what it sends to its counterparts, and asks them for. Has no
 * thread and no clock of its own. Confined to one thread at a time.
 */
public final class PartitionReplicator {
  private static final Logger LOG = Log.of(PartitionReplicator.class);

  /** How often a provider is told that a stream is wanted. */
  private static final long WANT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How often it is asked again for what was lost. */
  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** When nothing of a stream was heard for so long, something was lost. */
  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Who does not want a stream for so long is not sent it any more. */
  private static final long FORGOTTEN_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** How often a stream tells of time while something is committed in the store. */
  private static final long HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** The same while nothing is. */
  private static final long IDLE_HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How often a promise is made while something is committed. */
  private static final long PROMISE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** For so long after the last commit that is still done, so that all is recorded. */
  private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final int KEPT_PROMISES = 3;

  private final int local;

  /**
   * The time at the opening. It is above all that earlier openings have told, and transactions of
   * others that have read up to there wait until the stream tells of it.
   */
  private final VectorClock openedAt;

  private final int number;
  private final Partition partition;
  private final PartitionStreams streams;
  private final Context context;
  private final GroupState group;
  private final PeerStates peers = new PeerStates();
  private final Map<Integer, InboundStream> intakes = new TreeMap<>();
  private final Map<StreamName, Subscription> subscriptions = new HashMap<>();

  /** The newest promises, the last one first. */
  private final Deque<PartitionStreams.Promise> promises = new ArrayDeque<>();

  private long promisedAt;
  private long recordedAt;

  /** Why streams do not come, by their source. */
  private final Map<Integer, String> problems = new TreeMap<>();

  private final StreamForks forks;

  private record StreamName(int reader, int source) {}

  /**
   * What the partitions of a store share.
   *
   * @param creditBytes what may be on its way of one stream
   * @param group the data centres
   * @param outbox sends messages
   * @param activity when something was last committed or received
   * @param newest at or above all that was acknowledged in the store
   * @param arrivals up to where everything of other data centres has come to the partitions
   * @param openingAt the opening of the store that a time belongs to; 0 if that is not known
   * @param onSetBack told of a data centre that has transactions of this one which are not here
   * @param faults what was survived
   */
  public record Context(
      long creditBytes,
      GroupState group,
      Outbox outbox,
      StoreActivity activity,
      Supplier<VectorClock> newest,
      GlobalStableVector arrivals,
      LongUnaryOperator openingAt,
      IntConsumer onSetBack,
      FaultLog faults) {}

  /** Sends messages; may lose them. Never blocks. */
  @FunctionalInterface
  public interface Outbox {
    void send(int dataCentre, ReplicationMessage message);
  }

  public PartitionReplicator(Partition partition, Context context, long now) {
    this.local = partition.dataCentre();
    this.forks = new StreamForks(local);
    this.openedAt = partition.now();
    this.number = partition.number();
    this.partition = partition;
    this.streams = partition.streams();
    this.context = context;
    this.group = context.group;
    this.promisedAt = now;
    this.recordedAt = now;
    // What the others have read while this one was open before is visible once that is told.
    context.activity.happened(now);
  }

  /** Takes a message. */
  public void receive(ReplicationMessage.OfStream message, long now) {
    int from = message.from();
    if (!group.takesPart() || !others().contains(from)) {
      return;
    }
    peers.heard(message.head(), now);
    if (message instanceof Want want) {
      streams.acknowledged(from, want.recorded());
      want(want, now);
    } else if (message instanceof Part part) {
      take(part, now);
    } else if (message instanceof Truncated truncated) {
      unable(truncated, now);
    } else if (message instanceof Forked forked) {
      forked(from, forked.source(), forked.after(), now);
    }
  }

  /** Another data centre has other transactions of a stream than this one. */
  private void forked(int other, int source, long after, long now) {
    forks.found(other, source, after);
    InboundStream intake = intakes.get(source);
    if (intake != null) {
      intake.unable(other, now);
    }
  }

  /** The other data centres that take part. */
  private Set<Integer> others() {
    return group.known().others(local);
  }

  private void unable(Truncated truncated, long now) {
    InboundStream intake = intakes.get(truncated.source());
    boolean isLate = truncated.after() < streams.next(truncated.source()).reached();
    if (intake == null || intake.provider() != truncated.from() || isLate) {
      return;
    }
    intake.unable(truncated.from(), now);
    problems.put(
        truncated.source(),
        "data centre %d has truncated what comes next of the stream of %d"
            .formatted(truncated.from(), truncated.source()));
  }

  private void want(Want want, long now) {
    if (want.source() == local && lacks(want)) {
      context.onSetBack.accept(want.from());
      return;
    }
    Subscription subscription =
        subscriptions.computeIfAbsent(
            new StreamName(want.from(), want.source()),
            name -> new Subscription(streams, name.source));
    try {
      subscription.want(want, now);
    } catch (SnapshotTruncatedException e) {
      var unused = subscriptions.remove(new StreamName(want.from(), want.source()));
      sendTruncated(want.from(), want.source(), want.start().reached());
    }
  }

  /** Whether a counterpart has something of this data centre that is not here. */
  private boolean lacks(Want want) {
    long last = want.start().last();
    long opening = context.openingAt.applyAsLong(last);
    boolean isOfAnother = want.opening() != 0 && opening != 0 && want.opening() != opening;
    return isOfAnother || streams.lacksOwn(last);
  }

  private void sendTruncated(int reader, int source, long after) {
    context.outbox.send(reader, new Truncated(head(), source, after));
  }

  private ReplicationMessage.Head head() {
    // Who knows that a data centre is detached also tells how much of its stream there is at most.
    int members = isDetachedSettled() ? group.sum() : ~group.sum();
    return new ReplicationMessage.Head(local, members, number, streams.reached());
  }

  /** Whether all that has come from detached data centres is durable. */
  private boolean isDetachedSettled() {
    Set<Integer> others = others();
    return intakes.keySet().stream()
        .filter(source -> !others.contains(source))
        .allMatch(this::isSettled);
  }

  private boolean isSettled(int source) {
    return streams.last(source) <= streams.reached().get(source);
  }

  private void take(Part part, long now) {
    StreamBatch batch = part.batch();
    InboundStream intake = intakes.get(batch.source());
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
          long last = streams.last(batch.source());
          intake.committedBy(part.opening(), last <= batch.through() ? last : 0);
          context.activity.happened(now);
          intake.owe(batch.bytes());
        }
      }
      case GAP -> {
        intake.heard(part.from(), now);
        // What follows something that had no room is asked for when there is some.
        if (!intake.isHeldUp() && intake.takesAgain(now, AGAIN_NANOS)) {
          ask(intake, true, now);
        }
      }
      case NO_ROOM -> {
        if (!intake.isHeldUp()) {
          intake.holdUp();
          LOG.info(
              "the stream of data centre {} to partition {} waits until a checkpoint is made here",
              batch.source(),
              number);
        }
      }
      case FORK ->
          forked(
              part.from(),
              batch.source(),
              Math.min(batch.after(), streams.last(batch.source())),
              now);
      case TOO_EARLY ->
          problems.put(
              batch.source(),
              "the clock of data centre %d is more than a minute ahead of the one here: what it commits is taken when that time has come"
                  .formatted(batch.source()));
    }
  }

  private void record(long now) {
    recordedAt = now;
    context.arrivals.recorded(number, streams.recordReached());
  }

  /** Makes a promise, up to what has arrived and was recorded until now. */
  private void promise(long now) {
    promisedAt = now;
    int members = group.sum();
    // Who does not know of a new member may prune above what that has begun with.
    if (!peers.know(others(), members)) {
      return;
    }
    PartitionStreams.Promise promise = streams.promise(context.arrivals.ofAll());
    if (group.sum() != members) {
      // Who was admitted meanwhile may have begun below it.
      return;
    }
    promises.addFirst(promise);
    if (promises.size() > KEPT_PROMISES) {
      promises.removeLast();
    }
  }

  /** Sends what is to be sent now. */
  public void tick(long now) {
    if (!group.takesPart()) {
      return;
    }
    Membership known = group.known();
    known.members().keySet().stream()
        .filter(member -> member != local)
        .forEach(
            member -> intakes.computeIfAbsent(member, source -> new InboundStream(source, now)));
    Set<Integer> others = known.others(local);
    forks.keepOnly(others);
    boolean isActive = context.activity.isWithin(now, SETTLED_NANOS);
    if (isActive && now - promisedAt >= PROMISE_NANOS) {
      // First: its record tells what has arrived, too.
      promise(now);
    }
    if (now - recordedAt >= context.arrivals.intervalNanos()
        && (isActive || context.arrivals.isAwaited(streams.recorded(), streams.reached()))) {
      record(now);
    }
    boolean allKnow = peers.know(others, group.sum());
    for (InboundStream intake : intakes.values()) {
      boolean takesPart = others.contains(intake.source());
      if (!takesPart && allKnow) {
        releaseIfComplete(intake.source(), others);
      }
      if (intake.isHeldUp()) {
        // Who provides it waits for this one, and is not silent by itself.
        intake.heard(intake.provider(), now);
        goOnIfThereIsRoom(intake, others, now);
      }
      chooseProvider(intake, takesPart, now);
      askIfDue(intake, others, now);
    }
    for (Iterator<Map.Entry<StreamName, Subscription>> all = subscriptions.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<StreamName, Subscription> next = all.next();
      if (now - next.getValue().wantedAt() > FORGOTTEN_NANOS
          || !others.contains(next.getKey().reader)
          || !sendAll(next, now)) {
        all.remove();
      }
    }
  }

  /**
   * Nothing of a detached data centre is taken from itself any more. Once all others have told that
   * they know it is detached, and have just as much of its stream, nothing more of it can come:
   * what has come to somebody and is not durable yet keeps that one from telling.
   */
  private void releaseIfComplete(int detached, Set<Integer> others) {
    if (isSettled(detached)
        && peers.haveReached(others, detached, streams.reached().get(detached))) {
      streams.release(detached);
    }
  }

  /** Asks for what had no room once there is some. */
  private void goOnIfThereIsRoom(InboundStream intake, Set<Integer> others, long now) {
    if (streams.hasRoom()) {
      intake.goOn();
      if (others.contains(intake.provider())) {
        ask(intake, true, now);
      }
    }
  }

  private void askIfDue(InboundStream intake, Set<Integer> others, long now) {
    if (!others.contains(intake.provider())) {
      return;
    }
    // Who has sent as much as it may, and all of that was lost, sends nothing more by itself.
    if (now - intake.heardAt() > LOST_NANOS && intake.takesAgain(now, LOST_NANOS)) {
      ask(intake, true, now);
    } else if (intake.isDue(now, WANT_NANOS, context.creditBytes)) {
      ask(intake, false, now);
    }
  }

  /**
   * Asks who has committed the transactions or, while that is silent, detached or has truncated
   * them, who has most of the stream.
   */
  private void chooseProvider(InboundStream intake, boolean takesPart, long now) {
    int source = intake.source();
    Set<Integer> unable = intake.unable(now);
    boolean mayAsk = takesPart && !unable.contains(source);
    if (mayAsk && intake.provider() != source && peers.isHeard(source, now)) {
      intake.ask(source, now);
      return;
    }
    boolean isSilent = now - intake.heardAt() > PeerStates.SILENCE_NANOS;
    if (isSilent
        || unable.contains(intake.provider())
        || (!takesPart && intake.provider() == source)) {
      Optional<Integer> best = peers.bestOf(source, unable, streams.reached().get(source), now);
      if (best.isPresent() || isSilent) {
        intake.ask(best.orElse(source), now);
      }
    }
  }

  private void ask(InboundStream intake, boolean isAgain, long now) {
    StreamReader.Start start = streams.next(intake.source());
    context.outbox.send(
        intake.provider(),
        new Want(
            head(),
            intake.source(),
            start,
            context.creditBytes,
            isAgain,
            streams.recorded(),
            intake.openingAt(start.last())));
    intake.wanted(now);
  }

  /** Whether the subscription goes on. */
  private boolean sendAll(Map.Entry<StreamName, Subscription> subscription, long now) {
    int reader = subscription.getKey().reader;
    int source = subscription.getKey().source;
    try {
      boolean isActive = context.activity.isRecent(now);
      if (source == local) {
        // A partition to which nothing is written tells of time too.
        var unused = partition.snapshotAfter(context.newest.get().join(openedAt));
      }
      StreamReader.Chunk part;
      do {
        part = subscription.getValue().next(now, isActive ? HEARTBEAT_NANOS : IDLE_HEARTBEAT_NANOS);
        if (part != null) {
          if (!part.records().isEmpty()) {
            context.activity.happened(now);
          }
          send(reader, source, part, subscription.getValue().last());
        }
      } while (part != null && !part.records().isEmpty());
      return true;
    } catch (SnapshotTruncatedException e) {
      sendTruncated(reader, source, subscription.getValue().last());
      return false;
    } catch (ForkedStreamException e) {
      forks.found(reader, source, e.after());
      context.outbox.send(reader, new Forked(head(), source, e.after()));
      return false;
    } catch (RuntimeException | Error e) {
      // What was read and not sent is read again, by a new reader.
      context.faults.add("the stream of data centre " + source, e);
      return false;
    }
  }

  private void send(int reader, int source, StreamReader.Chunk part, long last) {
    boolean isOwn = source == local && !part.records().isEmpty();
    long opening = isOwn ? context.openingAt.applyAsLong(last) : 0;
    VectorClock promise = source == local ? promiseAt(part.through()) : VectorClock.ZERO;
    context.outbox.send(
        reader,
        new Part(
            head(),
            new StreamBatch(source, part.after(), part.through(), part.records(), promise),
            opening));
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
    List<String> all = new ArrayList<>(problems.values());
    all.addAll(forks.describe());
    return all;
  }
}
