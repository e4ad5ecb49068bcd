package io.github.stablecut.cluster.internal.handoff;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.MoveProgress;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.remote.NodePartitions;
import io.github.stablecut.cluster.internal.remote.Nowhere;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.remote.SmallDisk;
import io.github.stablecut.cluster.internal.remote.TrafficBudgets;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.internal.recovery.NodePlan;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node receives a partition completely, or its owner continues with all of it. Here n2 receives
 * partition 0 from n1, both in this process.
 */
class HandoffReceiverTest {
  private static final long STORE = 7;
  private static final long RESERVE_BYTES = 1 << 20;
  private static final CounterKey KEY = Key.counter("b", "k");
  private static final RegisterKey<String> LARGE = Key.register("b", "large", Codec.string());

  @TempDir private Path directory;

  private final NodeClock clock =
      new NodeClock(EmbeddedStore.clock(StoreOptions.defaults()), NodeSettings.DEFAULT_CLOCK_DRIFT);
  private final ExecutorService moves = Executors.newSingleThreadExecutor();
  private NodePartitions source;
  private HandoffSender sender;

  /** Runs before each request to the owner. */
  private Consumer<Request> before = request -> {};

  /** Transforms the owner's replies. */
  private UnaryOperator<Reply> after = reply -> reply;

  /** Delivers requests about moves to n1, and its replies. */
  private final class Network extends Nowhere {
    private final PendingRequests requests =
        Nowhere.requests(
            view(),
            this,
            TrafficBudgets.shared("n1", 1 << 20).requestsOut(),
            Runnable::run,
            Duration.ofSeconds(5));

    @Override
    public void send(
        String node,
        int partition,
        long epoch,
        long number,
        Bytes request,
        Consumer<Boolean> done) {
      done.accept(true);
      Request decoded = RequestCodec.ofNode().decode(request, Long.MAX_VALUE);
      before.accept(decoded);
      sender.answer(
          partition,
          (Request.OfMove) decoded,
          reply -> requests.complete(number, after.apply(reply)));
    }
  }

  @BeforeEach
  void open() {
    source = openNode("n1", directory.resolve("n1"), STORE, new Network().requests);
    sender = new HandoffSender(source, Runnable::run, Runnable::run, Duration.ofHours(1));
    write();
  }

  @AfterEach
  void close() {
    moves.shutdownNow();
    source.close();
  }

  private static MembershipView view() {
    MembershipView view = new MembershipView();
    view.publish(
        List.of(new MembershipView.Owner(0, "n1", "127.0.0.1:1", 1, true, 0)),
        Map.of("n1", "127.0.0.1:1"),
        List.of());
    return view;
  }

  private NodePartitions openNode(String name, Path data, long store, PendingRequests requests) {
    NodePartitions node = NodePartitions.open(settings(name, data), clock);
    node.openAll(new NodePlan(store, name, List.of("n1"), true), List.of(), requests, view());
    return node;
  }

  private static NodeSettings settings(String name, Path data) {
    return new NodeSettings(
        name,
        data,
        StoreOptions.defaults()
            .withLimits(StoreOptions.Limits.defaults().withReserveBytes(RESERVE_BYTES)),
        new NodeSettings.Endpoint("127.0.0.1", 1, Optional.empty()),
        new NodeSettings.Formation(List.of(), 1),
        new NodeSettings.MoveLimits(1L << 40, Duration.ofHours(1)));
  }

  private void write() {
    source.store().update(KEY.increment(1), LARGE.assign("x".repeat(1 << 20)));
  }

  /** The node n2 in a directory, which receives the partition. */
  private final class Target implements AutoCloseable {
    private final NodePartitions partitions;
    private final HandoffReceiver taking;

    Target(Path data, long store) {
      PendingRequests requests = new Network().requests;
      partitions = openNode("n2", data, store, requests);
      taking = new HandoffReceiver(partitions, requests, settings("n2", data), moves);
      Reply reply = taking.fetch(0, "n1");
      assertThat(reply).isEqualTo(new Reply.MoveStarted(move().move()));
    }

    private MoveProgress move() {
      return taking.moves().get(0);
    }

    String failure() throws Exception {
      Eventually.holds("the move is over", () -> move().isOver());
      assertThat(move().phase()).isEqualTo(MoveProgress.Phase.FAILED);
      assertThat(partitions.moved().undecided()).isEmpty();
      Eventually.holds("its owner serves again", () -> source.server().find(0).isPresent());
      return move().problem();
    }

    void awaitDone() throws Exception {
      Eventually.holds("the move is over", () -> move().isOver());
      assertThat(move().phase()).isEqualTo(MoveProgress.Phase.DONE);
      assertThat(move().problem()).isEmpty();
      assertThat(source.server().find(0)).isEmpty();
    }

    long read() {
      return partitions.store().read(KEY);
    }

    @Override
    public void close() {
      taking.close();
      partitions.close();
    }
  }

  private void assertStaysWithAll(long written) {
    assertThat(source.store().read(KEY)).isEqualTo(written);
    write();
    assertThat(source.store().read(KEY)).isEqualTo(written + 1);
  }

  @Test
  void aReceiverContinuesToSendOtherPartitions() throws Exception {
    CountDownLatch mayTake = new CountDownLatch(1);
    before = request -> await(mayTake);
    try (Target target = new Target(directory.resolve("n2"), STORE)) {
      HandoffSender own =
          new HandoffSender(target.partitions, Runnable::run, Runnable::run, Duration.ofHours(1));
      List<Reply> replies = new ArrayList<>();

      assertThat(MoveCommands.moves(own, target.taking).end()).isFalse();

      own.answer(0, new Request.StartHandoff(9, "n3"), replies::add);
      assertThat(replies.toString()).contains("is no longer on node n2");
      mayTake.countDown();
      target.awaitDone();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void receivesAllWritesUpToTheSwitch() throws Exception {
    before =
        request -> {
          if (request instanceof Request.Fence) {
            write();
          }
        };
    try (Target target = new Target(directory.resolve("n2"), STORE)) {
      target.awaitDone();

      assertThat(target.read()).isEqualTo(2);
    }
  }

  @Test
  void refusesThePartitionOfAnotherStore() throws Exception {
    try (Target target = new Target(directory.resolve("n2"), STORE + 1)) {
      assertThat(target.failure())
          .contains("node n1 has partition 0 of store 0000000000000007")
          .contains("this node belongs to store 0000000000000008");
    }
    assertStaysWithAll(1);
  }

  @Test
  void refusesDamagedData() throws Exception {
    after =
        reply ->
            reply instanceof Reply.FilePart part
                ? new Reply.FilePart(part.bytes(), part.checksum() + 1)
                : reply;
    try (Target target = new Target(directory.resolve("n2"), STORE)) {
      assertThat(target.failure()).contains("was damaged during its transfer from node n1");
    }
    assertStaysWithAll(1);
  }

  @Test
  void reportsAnInternalError() throws Exception {
    before =
        request -> {
          before = any -> {};
          throw new IllegalStateException("a fault");
        };
    try (Target target = new Target(directory.resolve("n2"), STORE)) {
      assertThat(target.failure())
          .isEqualTo("node n2 failed because of an internal error: see its log");
    }
    assertStaysWithAll(1);
  }

  /** Fills a disk at the first request of a kind. */
  private void fillAt(SmallDisk disk, Class<? extends Request> kind) {
    before =
        request -> {
          if (kind.isInstance(request)) {
            before = any -> {};
            disk.leave(0);
          }
        };
  }

  @Test
  void aDiskThatFillsUpDuringTheCopyLeavesThePartitionWithItsOwner() throws Exception {
    try (SmallDisk disk = new SmallDisk(directory.resolve("disk"), 64)) {
      fillAt(disk, Request.ReadFile.class);
      long epoch = source.server().find(0).orElseThrow().epoch();
      try (Target target = new Target(disk.directory("n2"), STORE)) {
        assertThat(target.failure())
            .contains("node n2 can't write the copy: No space left on device")
            .contains("check its disk, or choose another node");
      }
      // It was served all the time.
      assertThat(source.server().find(0).orElseThrow().epoch()).isEqualTo(epoch);
    }
    assertStaysWithAll(1);
  }

  @Test
  void aFullDiskAfterTheCopyIsRefusedWhileTheOwnerServes() throws Exception {
    try (SmallDisk disk = new SmallDisk(directory.resolve("disk"), 64)) {
      fillAt(disk, Request.SuspendCheckpoints.class);
      long epoch = source.server().find(0).orElseThrow().epoch();
      try (Target target = new Target(disk.directory("n2"), STORE)) {
        assertThat(target.failure()).contains("1,048,576 are reserved").contains("only 0 free:");
      }
      assertThat(source.server().find(0).orElseThrow().epoch()).isEqualTo(epoch);
    }
    assertStaysWithAll(1);
  }

  @Test
  void aFullDiskAfterTheOwnerClosedThePartitionReturnsIt() throws Exception {
    try (SmallDisk disk = new SmallDisk(directory.resolve("disk"), 64)) {
      before =
          request -> {
            if (request instanceof Request.Fence) {
              write();
              disk.leave(0);
            }
          };
      try (Target target = new Target(disk.directory("n2"), STORE)) {
        assertThat(target.failure()).contains("node n2 can't write the copy: No space left");
      }
    }
    assertStaysWithAll(2);
  }

  @Test
  void waitsForAFullDiskOnceThePartitionIsHandedOff() throws Exception {
    try (SmallDisk disk = new SmallDisk(directory.resolve("disk"), 64)) {
      fillAt(disk, Request.CompleteHandoff.class);
      try (Target target = new Target(disk.directory("n2"), STORE)) {
        Eventually.holds(
            "it reports the full disk",
            () ->
                target.move().problem().contains("node n2 has a complete copy that it can't open"));
        assertThat(target.move().isOver()).isFalse();

        disk.free();

        target.awaitDone();
        assertThat(target.read()).isEqualTo(1);
      }
    }
  }

  @Test
  void aMoveEndsEvenIfTheNodesDirectoryIsUnreadable() throws Exception {
    Path data = directory.resolve("n2");
    Path aside = directory.resolve("aside");
    before =
        request -> {
          if (request instanceof Request.StartHandoff) {
            try {
              Files.move(data, aside);
              Files.createFile(data);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        };

    try (Target target = new Target(data, STORE)) {
      Eventually.holds("the move is over", () -> target.move().isOver());
      assertThat(target.move().phase()).isEqualTo(MoveProgress.Phase.FAILED);
      Files.delete(data);
      Files.move(aside, data);
    }
    write();
  }
}
