package io.github.stablecut.cluster.internal.handoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Transaction;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.Nowhere;
import io.github.stablecut.cluster.internal.remote.OpenPartition;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.recovery.MoveMark;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node hands a partition off permanently, or keeps it. */
class HandoffSenderTest {
  private static final CounterKey KEY = Key.counter("b", "k");
  private static final long MOVE = 42;
  private static final Request.CompleteHandoff GIVE = new Request.CompleteHandoff(MOVE, "n2", 1);
  private static final Duration LONG = Duration.ofHours(1);

  @TempDir Path directory;

  private final NodeClock clock =
      new NodeClock(EmbeddedStore.clock(StoreOptions.defaults()), NodeSettings.DEFAULT_CLOCK_DRIFT);
  private final MembershipView view = new MembershipView();
  private final PendingRequests requests = Nowhere.requests(view);
  private @Nullable NodePartitions opened;

  @BeforeEach
  void open() {
    NodePartitions partitions =
        NodePartitions.open(
            new NodeSettings(
                "n1",
                directory,
                StoreOptions.defaults(),
                new NodeSettings.Endpoint("127.0.0.1", 1, Optional.empty()),
                new NodeSettings.Formation(List.of(), 1),
                NodeSettings.MoveLimits.DEFAULT),
            clock);
    opened = partitions;
    partitions.openAll(new NodePlan(7, "n1", List.of("n1"), true), List.of(), requests, view);
    view.publish(
        List.of(new MembershipView.Owner(0, "n1", "127.0.0.1:1", epoch(), true, 0)),
        Map.of("n1", "127.0.0.1:1"),
        List.of());
  }

  @AfterEach
  void close() {
    partitions().close();
  }

  private NodePartitions partitions() {
    return Objects.requireNonNull(opened);
  }

  private long epoch() {
    return partitions().server().find(0).map(OpenPartition::epoch).orElse(0L);
  }

  private HandoffSender sender(Duration silence) {
    return new HandoffSender(partitions(), Runnable::run, Runnable::run, silence);
  }

  private static Reply ask(HandoffSender sender, Request.OfMove request) {
    List<Reply> replies = new ArrayList<>();
    sender.answer(0, request, replies::add);
    assertThat(replies).hasSize(1);
    return replies.get(0);
  }

  private static void handOver(HandoffSender sender) {
    assertThat(ask(sender, new Request.StartHandoff(MOVE, "n2"))).isInstanceOf(Reply.Files.class);
    assertThat(ask(sender, new Request.SuspendCheckpoints(MOVE))).isInstanceOf(Reply.Files.class);
    assertThat(ask(sender, new Request.Fence(MOVE))).isInstanceOf(Reply.Files.class);
  }

  private void write() {
    partitions().store().update(KEY.increment(1));
  }

  private long read() {
    return partitions().store().read(KEY);
  }

  @Test
  void servesThePartitionDuringTheCopy() {
    HandoffSender sender = sender(LONG);
    write();

    Reply.Files files = (Reply.Files) ask(sender, new Request.StartHandoff(MOVE, "n2"));
    write();

    assertThat(read()).isEqualTo(2);
    assertThat(files.storeId()).isEqualTo(7);
    assertThat(files.files()).anyMatch(file -> file.name().startsWith("journal/"));
    Reply.Files later = (Reply.Files) ask(sender, new Request.StartHandoff(MOVE, "n2"));
    assertThat(later.files().get(0).bytes()).isGreaterThan(files.files().get(0).bytes());
  }

  @Test
  void reportsAnInternalError() {
    HandoffSender sender = sender(LONG);
    Reply.Files files = (Reply.Files) ask(sender, new Request.StartHandoff(MOVE, "n2"));

    Reply reply = ask(sender, new Request.ReadFile(MOVE, files.files().get(0).name(), 0, -1));

    assertThat(((Reply.Failed) reply).failure())
        .hasMessage("partition 0 can't be handed off: an internal error: see the log of its owner");
  }

  @Test
  void reopensAClosedPartitionIfTheReceiverGivesUp() {
    HandoffSender sender = sender(LONG);
    write();
    long before = epoch();
    handOver(sender);

    assertThat(partitions().server().find(0)).isEmpty();
    assertThat(ask(sender, new Request.AbortHandoff(MOVE))).isEqualTo(new Reply.Done());

    assertThat(epoch()).isGreaterThan(before);
    assertThat(read()).isEqualTo(1);
    assertThat(ask(sender, GIVE)).isEqualTo(new Reply.PreconditionFailed());
    write();
  }

  @Test
  void theMoveLastsUntilThePartitionIsOpenAgain() {
    HandoffSender sender = sender(LONG);
    handOver(sender);
    List<Boolean> ended = new ArrayList<>();
    partitions().onChange(() -> ended.add(sender.end()));

    assertThat(ask(sender, new Request.AbortHandoff(MOVE))).isEqualTo(new Reply.Done());

    assertThat(ended).isNotEmpty().containsOnly(false);
    assertThat(sender.end()).isTrue();
  }

  @Test
  void keepsThePartitionIfTheReceiverIsSilent() {
    HandoffSender sender = sender(Duration.ofNanos(1));
    write();
    handOver(sender);

    sender.tick();

    assertThat(read()).isEqualTo(1);
    assertThat(ask(sender, GIVE)).isEqualTo(new Reply.PreconditionFailed());
    assertThat(ask(sender, new Request.Fence(MOVE))).isEqualTo(new Reply.PreconditionFailed());
  }

  @Test
  void doesNotReclaimThePartitionBecauseThisNodeWasSlow() {
    HandoffSender sender = sender(Duration.ofMillis(200));
    // The switch waits for the driver longer than the receiver may stay silent.
    partitions()
        .server()
        .find(0)
        .orElseThrow()
        .receive(new Message.Open(new Silent(), 1, Optional.empty()));
    handOver(sender);

    sender.tick();

    assertThat(ask(sender, GIVE)).isInstanceOf(Reply.HandoffCompleted.class);
  }

  @Test
  void recordsTheHandoff() throws IOException {
    Path file = directory.resolve("recording.jfr");
    Reply given;
    try (Recording recording = new Recording()) {
      recording.enable("io.github.stablecut.HandOff").withoutThreshold();
      recording.start();
      HandoffSender sender = sender(LONG);
      handOver(sender);
      given = ask(sender, GIVE);
      recording.stop();
      recording.dump(file);
    }

    assertThat(RecordingFile.readAllEvents(file))
        .filteredOn(event -> event.getEventType().getName().endsWith(".HandOff"))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getInt("partition")).isZero();
              assertThat(event.getString("node")).isEqualTo("n2");
              assertThat(new Reply.HandoffCompleted(event.getLong("epoch"))).isEqualTo(given);
              assertThat(event.getDuration()).isPositive();
            });
  }

  /** A driver that never answers. */
  private static final class Silent implements Message.Driver {
    @Override
    public long number() {
      return 1;
    }

    @Override
    public void tell(Message.ToDriver answer) {
      // No answer.
    }
  }

  @Test
  void queuesOneReclaimAtATime() {
    List<Runnable> waiting = new ArrayList<>();
    HandoffSender sender =
        new HandoffSender(partitions(), Runnable::run, waiting::add, Duration.ofNanos(1));
    sender.answer(0, new Request.StartHandoff(MOVE, "n2"), reply -> {});
    waiting.remove(0).run();

    sender.tick();
    sender.tick();

    assertThat(waiting).hasSize(1);
  }

  @Test
  void doesNotHandOffAnOpenPartition() {
    HandoffSender sender = sender(LONG);

    assertThat(ask(sender, GIVE)).isEqualTo(new Reply.PreconditionFailed());
    assertThat(ask(sender, new Request.StartHandoff(MOVE, "n2"))).isInstanceOf(Reply.Files.class);
    assertThat(ask(sender, GIVE)).isEqualTo(new Reply.PreconditionFailed());
    write();
  }

  @Test
  void handsOffOnceAndPermanentlyWithAnEpochAboveBothNodes() {
    HandoffSender sender = sender(LONG);
    write();
    long before = epoch();
    handOver(sender);

    Reply given = ask(sender, new Request.CompleteHandoff(MOVE, "n2", before + 9_000));

    assertThat(given).isEqualTo(new Reply.HandoffCompleted(before + 9_000));
    assertThat(ask(sender, GIVE)).isEqualTo(given);
    assertThat(directory.resolve("p0")).doesNotExist();
    close();
    open();
    assertThat(partitions().server().find(0)).isEmpty();
    assertThat(ask(sender(LONG), GIVE)).isEqualTo(given);
    assertThat(ask(sender(LONG), new Request.CompleteHandoff(MOVE + 1, "n2", 1)))
        .isEqualTo(new Reply.PreconditionFailed());
  }

  @Test
  void handsOffWithAnEpochThatAnOlderDirectoryDoesNotReachByRestarts() {
    HandoffSender sender = sender(LONG);
    long before = epoch();
    handOver(sender);

    assertThat(ask(sender, GIVE)).isEqualTo(new Reply.HandoffCompleted(before + 1_000));
  }

  @Test
  void refusesASecondConcurrentMove() {
    HandoffSender sender = sender(LONG);
    assertThat(ask(sender, new Request.StartHandoff(MOVE, "n2"))).isInstanceOf(Reply.Files.class);

    Reply reply = ask(sender, new Request.StartHandoff(MOVE + 1, "n3"));

    assertThat(((Reply.Failed) reply).failure())
        .hasMessageContaining("partition 0 is already being moved to node n2");
  }

  @Test
  void anUnknownMoveChangesNothing() {
    HandoffSender sender = sender(LONG);
    assertThat(ask(sender, new Request.StartHandoff(MOVE, "n2"))).isInstanceOf(Reply.Files.class);

    assertThat(ask(sender, new Request.Fence(MOVE + 1))).isEqualTo(new Reply.PreconditionFailed());
    assertThat(ask(sender, new Request.AbortHandoff(MOVE + 1)))
        .isEqualTo(new Reply.PreconditionFailed());
    write();
  }

  /**
   * Writes what an interrupted commit point leaves: its directory was not synced, and nobody was
   * notified.
   */
  private void giveHalfway(long epoch) throws IOException {
    partitions().moved().give(new MoveMark(MOVE, 0, "n2", epoch));
  }

  @Test
  void doesNotReclaimAfterAHandoffAtTheSecondTry() throws Exception {
    HandoffSender sender = sender(Duration.ofNanos(1));
    write();
    long before = epoch();
    handOver(sender);
    giveHalfway(before + 1_000);
    assertThat(ask(sender, GIVE)).isEqualTo(new Reply.HandoffCompleted(before + 1_000));

    sender.tick();

    assertThat(partitions().server().find(0)).isEmpty();
    assertThat(directory.resolve("p0")).doesNotExist();
  }

  @Test
  void doesNotReclaimAMarkedPartitionIfTheReceiverIsSilent() throws Exception {
    HandoffSender sender = sender(Duration.ofNanos(1));
    write();
    long before = epoch();
    handOver(sender);
    giveHalfway(before + 1_000);

    sender.tick();

    assertThat(partitions().server().find(0)).isEmpty();
    assertThat(ask(sender, GIVE)).isEqualTo(new Reply.HandoffCompleted(before + 1_000));
  }

  /** Prepares a part that has certified the key and is never decided. */
  private void prepareCertified() {
    CounterKey key = KEY;
    Partition partition = partitions().server().find(0).orElseThrow().partition();
    VectorClock snapshot = partition.stable();
    Object effect =
        CallTypes.downstream(
            key.type(),
            key.increment(1).operation(),
            key.type().initial(),
            new OperationContext(0, snapshot, new SelfDots()));
    CommitRequest.ObjectWrite write =
        new CommitRequest.ObjectWrite(
            key.id(),
            key.type(),
            List.of(effect),
            List.of(CallTypes.encodeEffect(key.type(), effect)));
    partition.receive(
        new Message.Prepare(
            new Silent(),
            TransactionPart.of(
                new CommitRequest.Part(
                    0, snapshot, VectorClock.ZERO, List.of(write), Set.of(key.id())),
                TransactionMetadata.participant(new TransactionId(0, 1, 1), List.of(key.id())))));
  }

  @Test
  void sendsABlockedCommitToTheNextOwner() throws Exception {
    HandoffSender sender = sender(LONG);
    prepareCertified();
    CompletableFuture<CausalToken> committed;
    try (Transaction transaction = partitions().store().begin()) {
      transaction.update(KEY.increment(1));
      committed = transaction.commitAsync().toCompletableFuture();
    }
    assertThat(committed).isNotDone();
    view.publish(
        List.of(new MembershipView.Owner(0, "n2", "127.0.0.1:2", epoch() + 1_000, true, 0)),
        Map.of("n2", "127.0.0.1:2"),
        List.of());

    handOver(sender);

    assertThatThrownBy(() -> committed.get(1, TimeUnit.SECONDS))
        .isInstanceOf(TimeoutException.class);
  }
}
