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
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.Message;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.TransactionPart;
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

/** A node gives a partition away for good, or not at all. */
class HandoffSenderTest {
  private static final CounterKey KEY = Key.counter("b", "k");
  private static final long MOVE = 42;
  private static final Request.Give GIVE = new Request.Give(MOVE, "n2", 1);
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
                new NodeSettings.Forming(List.of(), 1),
                NodeSettings.Moving.DEFAULT),
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

  private HandoffSender giving(Duration silence) {
    return new HandoffSender(partitions(), Runnable::run, Runnable::run, silence);
  }

  private static Reply ask(HandoffSender giving, Request.OfMove request) {
    List<Reply> replies = new ArrayList<>();
    giving.answer(0, request, replies::add);
    assertThat(replies).hasSize(1);
    return replies.get(0);
  }

  private static void handOver(HandoffSender giving) {
    assertThat(ask(giving, new Request.Copy(MOVE, "n2"))).isInstanceOf(Reply.Files.class);
    assertThat(ask(giving, new Request.Quiet(MOVE))).isInstanceOf(Reply.Files.class);
    assertThat(ask(giving, new Request.HandOver(MOVE))).isInstanceOf(Reply.Files.class);
  }

  private void write() {
    var unused = partitions().store().update(KEY.increment(1));
  }

  private long read() {
    return partitions().store().read(KEY);
  }

  @Test
  void isServedWhileItIsCopied() {
    HandoffSender giving = giving(LONG);
    write();

    Reply.Files files = (Reply.Files) ask(giving, new Request.Copy(MOVE, "n2"));
    write();

    assertThat(read()).isEqualTo(2);
    assertThat(files.storeId()).isEqualTo(7);
    assertThat(files.files()).anyMatch(file -> file.name().startsWith("journal/"));
    Reply.Files later = (Reply.Files) ask(giving, new Request.Copy(MOVE, "n2"));
    assertThat(later.files().get(0).bytes()).isGreaterThan(files.files().get(0).bytes());
  }

  @Test
  void aFaultIsSaidInWords() {
    HandoffSender giving = giving(LONG);
    Reply.Files files = (Reply.Files) ask(giving, new Request.Copy(MOVE, "n2"));

    Reply reply = ask(giving, new Request.ReadFile(MOVE, files.files().get(0).name(), 0, -1));

    assertThat(((Reply.Failed) reply).failure())
        .hasMessage("partition 0 can't be given away: an internal error: see the log of its node");
  }

  @Test
  void isNotServedOnceItIsClosedAndStaysWithItsOwnerIfTheOtherGivesUp() {
    HandoffSender giving = giving(LONG);
    write();
    long before = epoch();
    handOver(giving);

    assertThat(partitions().server().find(0)).isEmpty();
    assertThat(ask(giving, new Request.Keep(MOVE))).isEqualTo(new Reply.Done());

    assertThat(epoch()).isGreaterThan(before);
    assertThat(read()).isEqualTo(1);
    assertThat(ask(giving, GIVE)).isEqualTo(new Reply.Changed());
    write();
  }

  @Test
  void theMoveIsUnderWayUntilThePartitionIsOpenAgain() {
    HandoffSender giving = giving(LONG);
    handOver(giving);
    List<Boolean> ended = new ArrayList<>();
    partitions().onChange(() -> ended.add(giving.end()));

    assertThat(ask(giving, new Request.Keep(MOVE))).isEqualTo(new Reply.Done());

    assertThat(ended).isNotEmpty().containsOnly(false);
    assertThat(giving.end()).isTrue();
  }

  @Test
  void staysWithItsOwnerIfTheOtherIsSilent() {
    HandoffSender giving = giving(Duration.ofNanos(1));
    write();
    handOver(giving);

    giving.tick();

    assertThat(read()).isEqualTo(1);
    assertThat(ask(giving, GIVE)).isEqualTo(new Reply.Changed());
    assertThat(ask(giving, new Request.HandOver(MOVE))).isEqualTo(new Reply.Changed());
  }

  @Test
  void isNotTakenBackBecauseThisNodeTookLong() {
    HandoffSender giving = giving(Duration.ofMillis(200));
    // The switch waits for it, longer than the other node may be silent.
    partitions()
        .server()
        .find(0)
        .orElseThrow()
        .receive(new Message.Open(new Silent(), 1, Optional.empty()));
    handOver(giving);

    giving.tick();

    assertThat(ask(giving, GIVE)).isInstanceOf(Reply.Given.class);
  }

  @Test
  void isRecordedWhenItIsGivenAway() throws IOException {
    Path file = directory.resolve("recording.jfr");
    Reply given;
    try (Recording recording = new Recording()) {
      var unused = recording.enable("io.github.stablecut.HandOff").withoutThreshold();
      recording.start();
      HandoffSender giving = giving(LONG);
      handOver(giving);
      given = ask(giving, GIVE);
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
              assertThat(new Reply.Given(event.getLong("epoch"))).isEqualTo(given);
              assertThat(event.getDuration()).isPositive();
            });
  }

  /** A driver that is never heard of again. */
  private static final class Silent implements Message.Driver {
    @Override
    public long number() {
      return 1;
    }

    @Override
    public void tell(Message.ToDriver answer) {
      // It has gone.
    }
  }

  @Test
  void waitsOnceToBeTakenBack() {
    List<Runnable> waiting = new ArrayList<>();
    HandoffSender giving =
        new HandoffSender(partitions(), Runnable::run, waiting::add, Duration.ofNanos(1));
    giving.answer(0, new Request.Copy(MOVE, "n2"), reply -> {});
    waiting.remove(0).run();

    giving.tick();
    giving.tick();

    assertThat(waiting).hasSize(1);
  }

  @Test
  void isNotGivenBeforeItIsClosed() {
    HandoffSender giving = giving(LONG);

    assertThat(ask(giving, GIVE)).isEqualTo(new Reply.Changed());
    assertThat(ask(giving, new Request.Copy(MOVE, "n2"))).isInstanceOf(Reply.Files.class);
    assertThat(ask(giving, GIVE)).isEqualTo(new Reply.Changed());
    write();
  }

  @Test
  void isGivenOnceAndForGoodWithAnEpochAboveBoth() {
    HandoffSender giving = giving(LONG);
    write();
    long before = epoch();
    handOver(giving);

    Reply given = ask(giving, new Request.Give(MOVE, "n2", before + 9_000));

    assertThat(given).isEqualTo(new Reply.Given(before + 9_000));
    assertThat(ask(giving, GIVE)).isEqualTo(given);
    assertThat(directory.resolve("p0")).doesNotExist();
    close();
    open();
    assertThat(partitions().server().find(0)).isEmpty();
    assertThat(ask(giving(LONG), GIVE)).isEqualTo(given);
    assertThat(ask(giving(LONG), new Request.Give(MOVE + 1, "n2", 1)))
        .isEqualTo(new Reply.Changed());
  }

  @Test
  void isGivenWithAnEpochThatAnOlderCopyDoesNotReachByBeingStarted() {
    HandoffSender giving = giving(LONG);
    long before = epoch();
    handOver(giving);

    assertThat(ask(giving, GIVE)).isEqualTo(new Reply.Given(before + 1_000));
  }

  @Test
  void isNotMovedTwiceAtATime() {
    HandoffSender giving = giving(LONG);
    assertThat(ask(giving, new Request.Copy(MOVE, "n2"))).isInstanceOf(Reply.Files.class);

    Reply reply = ask(giving, new Request.Copy(MOVE + 1, "n3"));

    assertThat(((Reply.Failed) reply).failure())
        .hasMessageContaining("partition 0 is already being moved to node n2");
  }

  @Test
  void aMoveThatIsNotKnownChangesNothing() {
    HandoffSender giving = giving(LONG);
    assertThat(ask(giving, new Request.Copy(MOVE, "n2"))).isInstanceOf(Reply.Files.class);

    assertThat(ask(giving, new Request.HandOver(MOVE + 1))).isEqualTo(new Reply.Changed());
    assertThat(ask(giving, new Request.Keep(MOVE + 1))).isEqualTo(new Reply.Changed());
    write();
  }

  /** What a commit point leaves whose directory could not be forced: nobody was told of it. */
  private void giveHalfway(long epoch) throws IOException {
    partitions().moved().give(new MoveMark(MOVE, 0, "n2", epoch));
  }

  @Test
  void whatWasGivenAtTheSecondTryIsNotTakenBack() throws Exception {
    HandoffSender giving = giving(Duration.ofNanos(1));
    write();
    long before = epoch();
    handOver(giving);
    giveHalfway(before + 1_000);
    assertThat(ask(giving, GIVE)).isEqualTo(new Reply.Given(before + 1_000));

    giving.tick();

    assertThat(partitions().server().find(0)).isEmpty();
    assertThat(directory.resolve("p0")).doesNotExist();
  }

  @Test
  void whatWasMarkedAsGivenIsNotTakenBackIfTheOtherIsSilent() throws Exception {
    HandoffSender giving = giving(Duration.ofNanos(1));
    write();
    long before = epoch();
    handOver(giving);
    giveHalfway(before + 1_000);

    giving.tick();

    assertThat(partitions().server().find(0)).isEmpty();
    assertThat(ask(giving, GIVE)).isEqualTo(new Reply.Given(before + 1_000));
  }

  /** Prepares a part that has certified the key, and is never decided. */
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
  void aCommitThatWaitsInThePartitionIsSentToTheNextOwner() throws Exception {
    HandoffSender giving = giving(LONG);
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

    handOver(giving);

    assertThatThrownBy(() -> committed.get(1, TimeUnit.SECONDS))
        .isInstanceOf(TimeoutException.class);
  }
}
