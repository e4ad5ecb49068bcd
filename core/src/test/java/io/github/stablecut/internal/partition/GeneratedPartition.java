package io.github.stablecut.internal.partition;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointOptions;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.clock.MachineClock;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.commit.CommitBlockedException;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Committer;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.PartitionLog;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.partition.commit.PartitionState;
import io.github.stablecut.internal.partition.commit.SessionTable;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.partition.twophase.TwoPhaseCommit;
import io.github.stablecut.internal.record.Digest;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionName;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.internal.truncation.Horizon;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.SyncPolicy;
import io.github.stablecut.journal.testing.LossySegments;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The record-producing part of a partition, driven by a seed: commits with and without sessions and
 * certification, transactions of several partitions as participant and as coordinator, the clock,
 * and saved sessions.
 */
public final class GeneratedPartition implements Message.Driver {
  public static final List<CounterKey> KEYS =
      List.of(Key.counter("b", "0"), Key.counter("b", "1"), Key.counter("b", "2"));

  /** The maximum number of entries of a vector. */
  public static final int MAX_DATA_CENTRES = 3;

  private static final int NUMBER = 1;
  private static final int FOLD_AFTER = 3;
  private static final Duration HOUR = Duration.ofHours(1);

  /** Small enough for a history of several segments. */
  private static final int SEGMENT_BYTES = 1 << 12;

  private final Random random;
  private final LocalDataCentre local;
  private final int dataCentres;
  private final PartitionState state;

  /**
   * The only transactions that may be committed: no coordinator decides before all have prepared.
   */
  private final List<TransactionId> promised = new ArrayList<>();

  private final List<TransactionId> opened = new ArrayList<>();
  private final Set<TransactionId> ids = new HashSet<>();
  private final List<Message.ToPartition> sent = new ArrayList<>();
  private final List<SessionName> sessions = new ArrayList<>();
  private final Committer committer;
  private final TwoPhaseCommit twoPhase;
  private Instant now = Instant.parse("2026-11-20T12:00:00Z");
  private long nanos;
  private long greatestPrepared;
  private long lastNumber;

  public GeneratedPartition(Random random, LocalDataCentre local, LossySegments files, long epoch) {
    this.random = random;
    this.local = local;
    this.dataCentres = 1 + random.nextInt(MAX_DATA_CENTRES);
    PartitionOptions options = options(local);
    PartitionLog log = PartitionLog.open(options, files, new LossyDirectory());
    this.state = log.state();
    for (int i = 0; i < 3; i++) {
      sessions.add(new SessionName(now.toEpochMilli(), 0, i, i));
    }
    ActiveSnapshots active = new ActiveSnapshots(() -> 0, Long.MAX_VALUE);
    HybridClock clock =
        new HybridClock(new MachineClock(() -> now, () -> nanos, Duration.ofDays(1)));
    Horizon horizon =
        new Horizon(
            active,
            UnaryOperator.identity(),
            UnaryOperator.identity(),
            state.prepared()::minSnapshot,
            () -> {},
            VectorClock.ZERO);
    this.committer =
        new Committer(
            options,
            new Committer.Components(horizon, clock, VectorClock.ZERO),
            log,
            Manifest.empty(0));
    this.twoPhase =
        new TwoPhaseCommit(
            options,
            PartitionContext.builder(epoch, clock, active, (to, message) -> sent.add(message))
                .nanoTime(() -> nanos)
                .build(),
            committer.sequencer(),
            part -> {},
            new FaultLog());
    twoPhase.recover(VectorClock.ZERO);
    committer.times().begin();
  }

  public static PartitionOptions options(LocalDataCentre local) {
    return new PartitionOptions(
        NUMBER,
        local,
        HOUR,
        new PartitionOptions.JournalSettings(
            JournalOptions.named("journal").withSegmentBytes(SEGMENT_BYTES).withReserveBytes(0),
            new SyncPolicy.Batch()),
        new PartitionOptions.Memory(
            1 << 20, IndexOptions.defaults(), CacheOptions.off(), 0, 1 << 20, 1),
        new PartitionOptions.Checkpoints(CheckpointPolicy.byCall(), CheckpointOptions.DEFAULTS),
        new PartitionOptions.Timeouts(HOUR, HOUR),
        new PartitionOptions.Sessions(HOUR, 0, 0));
  }

  private static final int MAX_SESSIONS = 1_000;

  /** A state without any applied record. */
  public static PartitionState newState(LocalDataCentre local) {
    return new PartitionState(
        local,
        new ObjectIndex(true),
        new SessionTable(HOUR, new SessionTable.Limits(MAX_SESSIONS, MAX_SESSIONS)),
        VectorClock.ZERO,
        FOLD_AFTER);
  }

  public PartitionState state() {
    return state;
  }

  public Committer committer() {
    return committer;
  }

  /** All transactions of several partitions that this partition has heard of. */
  public Set<TransactionId> ids() {
    return ids;
  }

  @Override
  public long number() {
    return 1;
  }

  @Override
  public void tell(Message.ToDriver answer) {
    if (answer instanceof Message.Opened reply) {
      opened.add(reply.id());
      ids.add(reply.id());
    } else if (answer instanceof Message.Prepared reply) {
      greatestPrepared = Math.max(greatestPrepared, reply.time());
      promised.add(reply.id());
    }
  }

  /** Executes a random action. */
  public void step() {
    now = now.plusMillis(random.nextInt(3));
    switch (random.nextInt(14)) {
      case 0, 1, 2 -> commit();
      case 3 -> prepare();
      case 4, 5 -> twoPhase.receive(new Message.Commit(any(promised), greatestPrepared + 1));
      case 6 -> twoPhase.receive(new Message.Abort(any(state.prepared().inDoubt())));
      case 7 -> twoPhase.receive(new Message.Open(this, ++lastNumber, anyRequest()));
      case 8 -> decide();
      case 9 -> acknowledge();
      case 10 -> passTime();
      case 11 -> flush();
      case 12 -> acknowledge();
      default -> flush();
    }
  }

  private void passTime() {
    switch (random.nextInt(4)) {
      case 0 -> committer.sequencer().endClock();
      case 1 -> committer.saveSessions();
      default -> committer.promise(committer.times().now());
    }
  }

  /** Delivers a message. */
  void receive(Message.ToPartition message) {
    twoPhase.receive(message);
  }

  /** The messages that it has sent to other partitions. */
  List<Message.ToPartition> sent() {
    return sent;
  }

  /** Makes all records durable. */
  public void flush() {
    committer.journal().flushGroup();
  }

  private void commit() {
    try {
      Objects.requireNonNull(
          committer.submit(CommitRequest.of(part(), TransactionMetadata.of(anyRequest()))));
    } catch (StablecutException | CommitBlockedException e) {
      // A concurrent commit won, or this one has to wait: it makes no record.
    }
  }

  /** Prepares a part of a transaction that another partition coordinates. */
  @CanIgnoreReturnValue
  TransactionId prepare() {
    TransactionId id = new TransactionId(0, 1, ++lastNumber);
    ids.add(id);
    CommitRequest.Part part = part();
    TransactionMetadata facts =
        TransactionMetadata.participant(id, List.copyOf(part.certified().objects()));
    twoPhase.receive(new Message.Prepare(this, TransactionPart.of(part, facts)));
    return id;
  }

  /** Returns one of some transactions, or an unknown one. */
  private TransactionId any(List<TransactionId> some) {
    return some.isEmpty()
        ? new TransactionId(0, 1, 1_000_000)
        : some.remove(random.nextInt(some.size()));
  }

  private void decide() {
    TransactionId id = any(opened);
    TransactionMetadata facts = TransactionMetadata.decision(id, List.of(2, 3), anyRequest());
    TransactionPart own = TransactionPart.of(part(), facts);
    twoPhase.receive(new Message.Decide(this, greatestPrepared, own));
  }

  private void acknowledge() {
    List<TransactionId> decided = new ArrayList<>();
    state.decided().forEach((id, decision) -> decided.add(id));
    TransactionId id = any(decided);
    twoPhase.receive(new Message.Acknowledge(id, 2));
    if (random.nextInt(4) > 0) {
      twoPhase.receive(new Message.Acknowledge(id, 3));
    }
  }

  private Optional<RequestId> anyRequest() {
    return random.nextBoolean()
        ? Optional.empty()
        : Optional.of(
            new RequestId(
                sessions.get(random.nextInt(sessions.size())),
                ++lastNumber,
                new Digest(lastNumber, 0)));
  }

  /**
   * The newest time of this data centre, and of others a newer time than before or an earlier one.
   */
  private VectorClock snapshot() {
    VectorClock snapshot = committer.times().newest();
    for (int other = 0; other < dataCentres; other++) {
      if (other != local.number()) {
        long millis = now.toEpochMilli() + 500L * (other - 1);
        long time = Timestamp.of(Timestamp.countAt(millis), other);
        long seen = random.nextInt(20) == 0 ? time / 2 : time;
        // A transaction reads what has arrived.
        committer.times().reached(other, 0, seen);
        snapshot = snapshot.with(other, seen);
      }
    }
    return snapshot;
  }

  private CommitRequest.Part part() {
    VectorClock snapshot = snapshot();
    List<CommitRequest.ObjectWrite> writes = new ArrayList<>();
    Set<Bytes> certified = new HashSet<>();
    for (CounterKey key : KEYS) {
      if (random.nextInt(3) == 0) {
        certified.add(key.id());
      }
      if (random.nextBoolean()) {
        writes.add(write(key, snapshot));
      }
    }
    return new CommitRequest.Part(
        local.number(),
        snapshot,
        VectorClock.ZERO,
        writes,
        random.nextInt(6) == 0 ? certified : Set.of());
  }

  private CommitRequest.ObjectWrite write(CounterKey key, VectorClock snapshot) {
    List<Object> effects = new ArrayList<>();
    List<byte[]> encoded = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(2); i++) {
      Object effect =
          CallTypes.downstream(
              key.type(),
              key.increment().operation(),
              key.type().initial(),
              new OperationContext(local.number(), snapshot, new SelfDots()));
      effects.add(effect);
      encoded.add(CallTypes.encodeEffect(key.type(), effect));
    }
    return new CommitRequest.ObjectWrite(key.id(), key.type(), effects, encoded);
  }
}
