package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionStreams;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.recovery.Member;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.replication.GroupState;
import io.github.stablecut.internal.replication.PartitionReplicator;
import io.github.stablecut.internal.replication.RecordedStableVector;
import io.github.stablecut.internal.replication.ReplicationMessage;
import io.github.stablecut.internal.replication.StoreActivity;
import io.github.stablecut.internal.stream.StreamBatch;
import io.github.stablecut.internal.stream.StreamReader;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A partition of one of two data centres, after a third one was detached. */
final class DetachedDataCentreTest {
  private static final LocalDataCentre LOCAL = new LocalDataCentre(1);
  private static final int OTHER = 0;
  private static final int DETACHED = 2;
  private static final long ARRIVED = 1_000;
  private static final long NEXT = ARRIVED + 10;
  private static final long NOW = 1;

  private final LossyDisk disk =
      Arrivals.add(
          LossyDisk.empty(),
          VectorClock.ZERO,
          VectorClock.ZERO.with(OTHER, ARRIVED).with(DETACHED, ARRIVED));
  private final Partition partition = opened();
  private final GroupState group =
      new GroupState(LOCAL.number(), membership(), kept -> {}, saved -> {});
  private final List<ReplicationMessage.OfStream> sent = new ArrayList<>();
  private final PartitionReplicator replicator =
      new PartitionReplicator(
          partition,
          new PartitionReplicator.Context(
              1 << 20,
              group,
              (to, message) -> sent.add((ReplicationMessage.OfStream) message),
              new StoreActivity(),
              partition::stable,
              new RecordedStableVector(1),
              time -> 0,
              other -> {},
              new FaultLog()),
          NOW);

  private Partition opened() {
    StoreOptions options =
        StoreOptions.defaults()
            .withLimits(LossyDisk.LIMITS)
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO));
    return Partition.open(
        PartitionSettings.of(options, LOCAL, 0),
        PartitionContext.builder(
                1,
                PartitionSettings.clock(options),
                new ActiveSnapshots(System::nanoTime, Duration.ofHours(1).toNanos()),
                (to, message) -> {})
            .otherDataCentres(Set.of(OTHER, DETACHED))
            .build(),
        disk.journal(),
        disk.checkpoints());
  }

  private static Membership membership() {
    TreeMap<Integer, Member> members = new TreeMap<>();
    members.put(OTHER, new Member(1, Member.State.MEMBER, 0, ""));
    members.put(LOCAL.number(), new Member(2, Member.State.MEMBER, 0, ""));
    members.put(DETACHED, new Member(3, Member.State.DETACHED, 0, ""));
    return new Membership(1, members);
  }

  @AfterEach
  void close() {
    partition.close();
  }

  /** The other one sends what it has, and that it knows of the detachment. */
  private void hear(long time) {
    VectorClock reached = VectorClock.ZERO.with(DETACHED, time);
    ReplicationMessage.Head head =
        new ReplicationMessage.Head(OTHER, group.known().sum(), 0, reached);
    replicator.receive(
        new ReplicationMessage.StreamRequest(
            head, DETACHED, new StreamReader.Start(time, time, 0), 1 << 20, false, reached, 0),
        NOW);
  }

  /** A transaction of the detached one arrives, and is not durable yet. */
  private void arrive() {
    byte[] body =
        TransactionRecord.encode(
            DETACHED, VectorClock.ZERO, VectorClock.ZERO, TransactionMetadata.none(), List.of());
    TransactionRecord.setCommitTime(body, NEXT);
    byte[] linked = TransactionRecord.linked(body, 0, ARRIVED);
    StreamBatch batch = new StreamBatch(DETACHED, ARRIVED, NEXT, List.of(linked), VectorClock.ZERO);
    assertThat(partition.streams().receive(batch)).isEqualTo(PartitionStreams.Receipt.TAKEN);
  }

  /** Whether nothing is retained for the detached one. */
  private boolean isReleased() {
    assertThat(partition.maintain()).isEmpty();
    return !partition.watermarks().lowWatermark().equals(VectorClock.ZERO);
  }

  @Test
  void dataIsRetainedForItWhileItsTransactionsAreNotDurable() {
    replicator.tick(NOW);
    arrive();
    hear(ARRIVED);
    sent.clear();
    // Later it requests the streams again.
    replicator.tick(NOW + Duration.ofMillis(600).toNanos());
    assertThat(isReleased()).isFalse();
    assertThat(sent)
        .isNotEmpty()
        .noneMatch(message -> message.head().members() == group.known().sum());

    partition.flushGroup();
    hear(NEXT);
    sent.clear();
    replicator.tick(NOW + Duration.ofMillis(1_200).toNanos());
    assertThat(isReleased()).isTrue();
    assertThat(sent)
        .isNotEmpty()
        .allMatch(message -> message.head().members() == group.known().sum());
  }
}
