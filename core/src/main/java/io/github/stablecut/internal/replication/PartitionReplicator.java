package io.github.stablecut.internal.replication;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionStreams;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.replication.ReplicationMessage.Forked;
import io.github.stablecut.internal.replication.ReplicationMessage.StreamPart;
import io.github.stablecut.internal.replication.ReplicationMessage.StreamRequest;
import io.github.stablecut.internal.replication.ReplicationMessage.Truncated;
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
 * Replicates one partition: requests the streams of its peers and sends them streams. It has
 * neither a thread nor a clock. Confined to one thread at a time.
 */
public final class PartitionReplicator {
  private static final Logger LOG = Log.of(PartitionReplicator.class);

  /** The interval at which subscriptions are renewed. */
  private static final long RENEW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** The minimum interval between requests to resend lost parts. */
  private static final long RESEND_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The silence of a stream after which a loss is assumed. */
  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The lifetime of a subscription without a renewal. */
  private static final long EXPIRY_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The interval of heartbeats, which carry the time, while the store has commits. */
  private static final long HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** The interval of heartbeats while the store is idle. */
  private static final long IDLE_HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** The interval of promises while there are commits. */
  private static final long PROMISE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * The time for which promises and recording continue after the last commit, so that everything is
   * recorded.
   */
  private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final int KEPT_PROMISES = 3;

  private final int local;

  /**
   * The time at the opening, above all times that earlier openings issued. Transactions of other
   * data centres that have read up to it wait until the stream reaches it.
   */
  private final VectorClock openedAt;

  private final int number;
  private final Partition partition;
  private final PartitionStreams streams;
  private final Context context;
  private final GroupState group;
  private final PeerStates peers = new PeerStates();
  private final Map<Integer, InboundStream> inboundStreams = new TreeMap<>();
  private final Map<StreamName, Subscription> subscriptions = new HashMap<>();

  /** The newest promises, latest first. */
  private final Deque<PartitionStreams.Promise> promises = new ArrayDeque<>();

  private long promisedAtNanos;
  private long recordedAtNanos;

  /** The reasons why streams do not arrive, by source. */
  private final Map<Integer, String> problems = new TreeMap<>();

  private final StreamForks forks;

  private record StreamName(int reader, int source) {}

  /**
   * The state that the partitions of a store share.
   *
   * @param creditBytes the bytes of one stream that may be in flight
   * @param group the data centres
   * @param outbox sends messages
   * @param activity the time of the last commit or receipt
   * @param newest a vector at or above all acknowledged commits of the store
   * @param arrivals the vector that all partitions have recorded
   * @param openingAt returns the opening of the store that a time belongs to; 0 if unknown
   * @param onSetBack called with a data centre that has transactions of this one that this one
   *     lacks
   * @param faults records failures
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

  public PartitionReplicator(Partition partition, Context context, long nowNanos) {
    this.local = partition.dataCentre();
    this.forks = new StreamForks(local);
    this.openedAt = partition.now();
    this.number = partition.number();
    this.partition = partition;
    this.streams = partition.streams();
    this.context = context;
    this.group = context.group;
    this.promisedAtNanos = nowNanos;
    this.recordedAtNanos = nowNanos;
    // Sends heartbeats soon: others may wait for times that earlier openings issued.
    context.activity.onActivity(nowNanos);
  }

  /** Processes a message. */
  public void receive(ReplicationMessage.OfStream message, long nowNanos) {
    int from = message.from();
    if (!group.takesPart() || !others().contains(from)) {
      return;
    }
    peers.heard(message.head(), nowNanos);
    if (message instanceof StreamRequest want) {
      streams.acknowledged(from, want.recorded());
      handleWant(want, nowNanos);
    } else if (message instanceof StreamPart part) {
      handlePart(part, nowNanos);
    } else if (message instanceof Truncated truncated) {
      handleTruncated(truncated, nowNanos);
    } else if (message instanceof Forked forked) {
      recordFork(from, forked.source(), forked.after(), nowNanos);
    }
  }

  /** Records that another data centre has different transactions of a stream. */
  private void recordFork(int other, int source, long after, long nowNanos) {
    forks.found(other, source, after);
    InboundStream stream = inboundStreams.get(source);
    if (stream != null) {
      stream.recordUnable(other, nowNanos);
    }
  }

  /** The other active members of the group. */
  private Set<Integer> others() {
    return group.known().others(local);
  }

  private void handleTruncated(Truncated truncated, long nowNanos) {
    InboundStream stream = inboundStreams.get(truncated.source());
    boolean isLate = truncated.after() < streams.next(truncated.source()).reached();
    if (stream == null || stream.provider() != truncated.from() || isLate) {
      return;
    }
    stream.recordUnable(truncated.from(), nowNanos);
    problems.put(
        truncated.source(),
        "data centre %d has truncated the next transactions of the stream of %d"
            .formatted(truncated.from(), truncated.source()));
  }

  private void handleWant(StreamRequest want, long nowNanos) {
    if (want.source() == local && lacks(want)) {
      context.onSetBack.accept(want.from());
      return;
    }
    Subscription subscription =
        subscriptions.computeIfAbsent(
            new StreamName(want.from(), want.source()),
            name -> new Subscription(streams, name.source));
    try {
      subscription.want(want, nowNanos);
    } catch (SnapshotTruncatedException e) {
      subscriptions.remove(new StreamName(want.from(), want.source()));
      sendTruncated(want.from(), want.source(), want.start().reached());
    }
  }

  /** Whether this data centre lacks its own transactions that a peer has. */
  private boolean lacks(StreamRequest want) {
    long last = want.start().last();
    long opening = context.openingAt.applyAsLong(last);
    boolean isOfAnother = want.opening() != 0 && opening != 0 && want.opening() != opening;
    return isOfAnother || streams.lacksOwn(last);
  }

  private void sendTruncated(int reader, int source, long after) {
    context.outbox.send(reader, new Truncated(head(), source, after));
  }

  private ReplicationMessage.Head head() {
    // The matching checksum also reports that no more of a detached data centre's stream will
    // arrive here.
    int members = isDetachedSettled() ? group.sum() : ~group.sum();
    return new ReplicationMessage.Head(local, members, number, streams.reached());
  }

  /** Whether everything received from detached data centres is durable. */
  private boolean isDetachedSettled() {
    Set<Integer> others = others();
    return inboundStreams.keySet().stream()
        .filter(source -> !others.contains(source))
        .allMatch(this::isSettled);
  }

  private boolean isSettled(int source) {
    return streams.last(source) <= streams.reached().get(source);
  }

  private void handlePart(StreamPart part, long nowNanos) {
    StreamBatch batch = part.batch();
    InboundStream stream = inboundStreams.get(batch.source());
    if (stream == null) {
      return;
    }
    PartitionStreams.Receipt receipt;
    try {
      receipt = streams.receive(batch);
    } catch (FormatException e) {
      problems.put(
          batch.source(),
          "data centre %d has sent an invalid part of the stream of %d: %s"
              .formatted(part.from(), batch.source(), e.getMessage()));
      return;
    }
    switch (receipt) {
      case TAKEN -> {
        problems.remove(batch.source());
        stream.heard(part.from(), nowNanos);
        if (!batch.records().isEmpty()) {
          long last = streams.last(batch.source());
          stream.committedBy(part.opening(), last <= batch.through() ? last : 0);
          context.activity.onActivity(nowNanos);
          stream.addUnacknowledged(batch.bytes());
        }
      }
      case GAP -> {
        stream.heard(part.from(), nowNanos);
        // If the stream is paused, the missing parts are requested when there is space.
        if (!stream.isPaused() && stream.tryResendRequest(nowNanos, RESEND_NANOS)) {
          request(stream, true, nowNanos);
        }
      }
      case NO_ROOM -> {
        if (!stream.isPaused()) {
          stream.pause();
          LOG.info(
              "the stream of data centre {} to partition {} waits for a checkpoint to free journal"
                  + " space",
              batch.source(),
              number);
        }
      }
      case FORK ->
          recordFork(
              part.from(),
              batch.source(),
              Math.min(batch.after(), streams.last(batch.source())),
              nowNanos);
      case TOO_EARLY ->
          problems.put(
              batch.source(),
              "the clock of data centre %d is more than a minute ahead of this one: its commits are accepted when their times are reached"
                  .formatted(batch.source()));
    }
  }

  private void record(long nowNanos) {
    recordedAtNanos = nowNanos;
    context.arrivals.recorded(number, streams.recordReached());
  }

  /** Makes a promise up to the vector that all partitions have recorded. */
  private void promise(long nowNanos) {
    promisedAtNanos = nowNanos;
    int members = group.sum();
    // A peer that does not know of a new member may prune past its initial state.
    if (!peers.know(others(), members)) {
      return;
    }
    PartitionStreams.Promise promise = streams.promise(context.arrivals.ofAll());
    if (group.sum() != members) {
      // A member admitted meanwhile may have started below the promise.
      return;
    }
    promises.addFirst(promise);
    if (promises.size() > KEPT_PROMISES) {
      promises.removeLast();
    }
  }

  /** Sends the messages that are due. */
  public void tick(long nowNanos) {
    if (!group.takesPart()) {
      return;
    }
    Membership known = group.known();
    known.members().keySet().stream()
        .filter(member -> member != local)
        .forEach(
            member ->
                inboundStreams.computeIfAbsent(
                    member, source -> new InboundStream(source, nowNanos)));
    Set<Integer> others = known.others(local);
    forks.keepOnly(others);
    boolean isActive = context.activity.isWithin(nowNanos, SETTLED_NANOS);
    if (isActive && nowNanos - promisedAtNanos >= PROMISE_NANOS) {
      // Before recording: a promise's record also contains the received vector.
      promise(nowNanos);
    }
    if (nowNanos - recordedAtNanos >= context.arrivals.intervalNanos()
        && (isActive || context.arrivals.isAwaited(streams.recorded(), streams.reached()))) {
      record(nowNanos);
    }
    boolean isMembershipKnown = peers.know(others, group.sum());
    for (InboundStream stream : inboundStreams.values()) {
      boolean takesPart = others.contains(stream.source());
      if (!takesPart && isMembershipKnown) {
        releaseIfSettled(stream.source(), others);
      }
      if (stream.isPaused()) {
        // The provider waits for this data centre and does not count as silent.
        stream.heard(stream.provider(), nowNanos);
        resumeIfPossible(stream, others, nowNanos);
      }
      chooseProvider(stream, takesPart, nowNanos);
      requestIfDue(stream, others, nowNanos);
    }
    for (Iterator<Map.Entry<StreamName, Subscription>> all = subscriptions.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<StreamName, Subscription> next = all.next();
      if (nowNanos - next.getValue().renewedAtNanos() > EXPIRY_NANOS
          || !others.contains(next.getKey().reader)
          || !trySendAll(next, nowNanos)) {
        all.remove();
      }
    }
  }

  /**
   * Releases the stream of a detached data centre once it can't grow. Nothing is accepted from the
   * detached one itself. When all others report that they know of the detachment and have the same
   * part of its stream, nothing more can arrive. A data centre does not report while it has parts
   * that are not durable.
   */
  private void releaseIfSettled(int detached, Set<Integer> others) {
    if (isSettled(detached)
        && peers.haveReached(others, detached, streams.reached().get(detached))) {
      streams.release(detached);
    }
  }

  /** Resumes a paused stream if there is space. */
  private void resumeIfPossible(InboundStream stream, Set<Integer> others, long nowNanos) {
    if (streams.hasRoom()) {
      stream.resume();
      if (others.contains(stream.provider())) {
        request(stream, true, nowNanos);
      }
    }
  }

  private void requestIfDue(InboundStream stream, Set<Integer> others, long nowNanos) {
    if (!others.contains(stream.provider())) {
      return;
    }
    // A provider whose entire credit was lost in transit does not resume on its own.
    if (nowNanos - stream.heardAtNanos() > LOST_NANOS
        && stream.tryResendRequest(nowNanos, LOST_NANOS)) {
      request(stream, true, nowNanos);
    } else if (stream.isDue(nowNanos, RENEW_NANOS, context.creditBytes)) {
      request(stream, false, nowNanos);
    }
  }

  /**
   * Chooses the provider: the data centre that committed the transactions or, while it is silent,
   * detached or has truncated them, the one that has most of the stream.
   */
  private void chooseProvider(InboundStream stream, boolean takesPart, long nowNanos) {
    int source = stream.source();
    Set<Integer> unable = stream.unable(nowNanos);
    boolean mayAsk = takesPart && !unable.contains(source);
    if (mayAsk && stream.provider() != source && peers.isHeard(source, nowNanos)) {
      stream.ask(source, nowNanos);
      return;
    }
    boolean isSilent = nowNanos - stream.heardAtNanos() > PeerStates.SILENCE_NANOS;
    if (isSilent
        || unable.contains(stream.provider())
        || (!takesPart && stream.provider() == source)) {
      Optional<Integer> best =
          peers.bestOf(source, unable, streams.reached().get(source), nowNanos);
      if (best.isPresent() || isSilent) {
        stream.ask(best.orElse(source), nowNanos);
      }
    }
  }

  private void request(InboundStream stream, boolean isAgain, long nowNanos) {
    StreamReader.Start start = streams.next(stream.source());
    context.outbox.send(
        stream.provider(),
        new StreamRequest(
            head(),
            stream.source(),
            start,
            context.creditBytes,
            isAgain,
            streams.recorded(),
            stream.openingAt(start.last())));
    stream.requested(nowNanos);
  }

  /** Sends the parts of a subscription that are due; returns whether it continues. */
  private boolean trySendAll(Map.Entry<StreamName, Subscription> subscription, long nowNanos) {
    int reader = subscription.getKey().reader;
    int source = subscription.getKey().source;
    try {
      boolean isActive = context.activity.isRecent(nowNanos);
      if (source == local) {
        // Advances the partition's time even if nothing is written to it.
        partition.snapshotAfter(context.newest.get().join(openedAt));
      }
      StreamReader.Chunk part;
      do {
        part =
            subscription
                .getValue()
                .next(nowNanos, isActive ? HEARTBEAT_NANOS : IDLE_HEARTBEAT_NANOS);
        if (part != null) {
          if (!part.records().isEmpty()) {
            context.activity.onActivity(nowNanos);
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
      // Parts that were read and not sent are read again by a new reader.
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
        new StreamPart(
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

  /** Describes why streams do not arrive, one sentence each. */
  public Collection<String> problems() {
    List<String> all = new ArrayList<>(problems.values());
    all.addAll(forks.describe());
    return all;
  }
}
