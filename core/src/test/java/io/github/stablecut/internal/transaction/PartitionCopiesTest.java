package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.copies.Copy;
import io.github.stablecut.internal.copies.CopyMessage;
import io.github.stablecut.internal.copies.Layout;
import io.github.stablecut.internal.copies.LayoutRegister;
import io.github.stablecut.internal.materializer.Folding;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionCopy;
import io.github.stablecut.internal.partition.Promises;
import io.github.stablecut.internal.partition.Surroundings;
import io.github.stablecut.internal.record.TransactionFacts;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.SegmentStore;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Three copies of a partition with their threads and journals, whose network can be cut. */
final class PartitionCopiesTest {
  private static final CounterKey KEY = Key.counter("b", "k");
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withLimits(LossyDisk.LIMITS)
          .withCheckpoints(CheckpointPolicy.byCall());

  private final Map<String, Node> nodes = new ConcurrentHashMap<>();
  private final Set<String> cutOff = ConcurrentHashMap.newKeySet();
  private final Register register = new Register();

  private static final class Register implements LayoutRegister {
    private Layout current = Layout.first(NAMES);

    @Override
    public synchronized CompletionStage<Layout> read(int partition) {
      return CompletableFuture.completedFuture(current);
    }

    @Override
    public synchronized CompletionStage<Boolean> replace(int partition, Layout next) {
      boolean hasWon = next.epoch() == current.epoch() + 1;
      if (hasWon) {
        current = next;
      }
      return CompletableFuture.completedFuture(hasWon);
    }
  }

  private final class Node implements PartitionCopy.Place, Promises {
    private final String name;
    private final LossyDisk disk;
    private final PartitionCopy copy;
    private volatile long promised;
    private volatile @Nullable Partition leading;
    private volatile boolean isOutOfMemory;
    private volatile boolean isUnreadable;

    /** Whoever begins to lead says so, and waits until it may. */
    private volatile @Nullable CountDownLatch mayLead;

    private final CountDownLatch begins = new CountDownLatch(1);

    Node(String name, LossyDisk disk, long promised) {
      this.name = name;
      this.disk = disk;
      this.promised = promised;
      this.copy =
          PartitionCopy.start(
              name,
              Layout.first(NAMES),
              Settings.of(OPTIONS, LocalDataCentre.FIRST, 0),
              this,
              register,
              this);
    }

    @Override
    public SegmentStore journal() {
      if (isUnreadable) {
        throw new StoreIoException("injected", new IOException("injected"));
      }
      return disk.journal();
    }

    @Override
    public Directory checkpoints() {
      return disk.checkpoints();
    }

    @Override
    public void send(String to, CopyMessage message) {
      Node target = nodes.get(to);
      if (target != null && !cutOff.contains(name) && !cutOff.contains(to)) {
        target.copy.receive(name, message);
      }
    }

    @Override
    public Surroundings surroundings(long epoch) {
      CountDownLatch wait = mayLead;
      if (wait != null) {
        begins.countDown();
        await(wait);
      }
      return Surroundings.alone(
          epoch,
          Settings.clock(OPTIONS),
          new ActiveSnapshots(System::nanoTime, Duration.ofHours(1).toNanos()),
          (to, message) -> {});
    }

    private boolean begins() {
      return begins.getCount() == 0;
    }

    @Override
    public void leads(Partition partition, long epoch) {
      leading = partition;
      if (mayLead != null) {
        // Nobody else is there to have it.
        var unused = increment(partition);
      }
    }

    @Override
    public void follows() {
      leading = null;
    }

    @Override
    public long read() {
      return promised;
    }

    @Override
    public void write(long epoch) {
      if (isOutOfMemory) {
        throw new Unspeakable();
      }
      promised = epoch;
    }
  }

  /** There is no memory to say what has happened, either. */
  private static final class Unspeakable extends Error {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new OutOfMemoryError("injected");
    }
  }

  private void startAll() {
    for (String name : NAMES) {
      nodes.put(name, new Node(name, LossyDisk.empty(), 0));
    }
  }

  @AfterEach
  void close() {
    cutOff.clear();
    nodes.values().forEach(node -> node.copy.close());
  }

  private Node node(String name) {
    return Objects.requireNonNull(nodes.get(name));
  }

  private static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("still not true: " + what);
      }
      LockSupport.parkNanos(5_000_000);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The one that leads and can be reached. */
  private Node leader() {
    until("somebody leads", () -> reachable().stream().anyMatch(node -> node.leading != null));
    return reachable().stream()
        .filter(node -> node.leading != null)
        .findAny()
        .orElseGet(this::leader);
  }

  private List<Node> reachable() {
    return nodes.values().stream().filter(node -> !cutOff.contains(node.name)).toList();
  }

  private static CompletableFuture<VectorClock> increment(Partition partition) {
    Update update = KEY.increment();
    VectorClock snapshot = partition.stable();
    OperationContext context = new OperationContext(0, snapshot, new SelfDots());
    Object effect =
        Folding.downstream(KEY.type(), update.operation(), KEY.type().initial(), context);
    CommitRequest.ObjectWrite write =
        new CommitRequest.ObjectWrite(
            KEY.id(),
            KEY.type(),
            List.of(effect),
            List.of(Folding.encodeEffect(KEY.type(), effect)));
    CommitRequest.Part part =
        new CommitRequest.Part(0, snapshot, VectorClock.ZERO, List.of(write), Set.of());
    return partition
        .commitAsync(CommitRequest.of(part, TransactionFacts.NONE), Runnable::run)
        .toCompletableFuture();
  }

  private static Partition partition(Node leader) {
    return Objects.requireNonNull(leader.leading);
  }

  private static void incrementBy(Node leader, int count) {
    for (int i = 0; i < count; i++) {
      var unused = increment(partition(leader)).join();
    }
  }

  private static long value(Node leader) {
    Partition partition = partition(leader);
    VectorClock snapshot = partition.present(KEY.id());
    return KEY.view(partition.versionAt(KEY.id(), snapshot).orElseThrow().state(), snapshot);
  }

  private void untilAllHaveTheSame(Node leader) {
    until(
        "all follow",
        () ->
            nodes.values().stream()
                .allMatch(
                    node ->
                        node.copy.status().committed() == leader.copy.status().next()
                            && node.copy.status().next() == leader.copy.status().next()));
  }

  @Test
  void whatIsAcknowledgedIsThereWhenTheLeaderIsGoneForEver() {
    startAll();
    Node first = leader();
    incrementBy(first, 100);
    var unused = nodes.remove(first.name);

    Node second = leader();
    assertThat(value(second)).isEqualTo(100);
    incrementBy(second, 10);
    assertThat(value(second)).isEqualTo(110);
    assertThat(second.copy.status().layout().epoch())
        .isGreaterThan(first.copy.status().layout().epoch());
    first.copy.close();
  }

  @Test
  void aDeposedLeaderAcknowledgesNothingAndFollows() {
    startAll();
    Node first = leader();
    incrementBy(first, 10);
    Partition deposed = partition(first);
    cutOff.add(first.name);
    CompletableFuture<VectorClock> lost = increment(deposed);
    Node second = leader();
    incrementBy(second, 5);

    assertThatThrownBy(() -> deposed.present(KEY.id())).isInstanceOf(OutcomeUnknownException.class);
    assertThat(lost)
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(StablecutException.class)
        .withMessageContaining("does not lead the partition in epoch");
    cutOff.clear();
    untilAllHaveTheSame(second);
    assertThat(first.copy.status().role()).isEqualTo(Copy.Role.FOLLOWING);
    assertThat(value(second)).isEqualTo(15);

    cutOff.add(second.name);
    assertThat(value(leader())).isEqualTo(15);
  }

  @Test
  void aCopyThatWasAwayCatchesUp() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 10);
    Node away = node(leader.name.equals("b") ? "c" : "b");
    cutOff.add(away.name);
    away.copy.close();
    incrementBy(leader, 200);

    LossyDisk disk = away.disk.afterPowerCut(new Random(1), 0.5);
    nodes.put(away.name, new Node(away.name, disk, away.promised));
    cutOff.clear();

    untilAllHaveTheSame(leader);
    assertThat(value(leader)).isEqualTo(210);
  }

  @Test
  void allThatWasAcknowledgedIsThereAfterAPowerCutOfAll() {
    startAll();
    incrementBy(leader(), 50);
    cutOff.addAll(NAMES);
    Map<String, Node> before = Map.copyOf(nodes);
    before.forEach(
        (name, node) ->
            nodes.put(
                name, new Node(name, node.disk.afterPowerCut(new Random(2), 0.3), node.promised)));
    cutOff.clear();

    Node again = leader();

    assertThat(value(again)).isEqualTo(50);
    assertThat(again.copy.status().layout().epoch()).isGreaterThan(1);
    incrementBy(again, 1);
    before.values().forEach(node -> node.copy.close());
  }

  @Test
  void aCopyWhoseDiskFailsTakesPartInNothing() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 10);
    leader.disk.journal().failOnce(1);
    try {
      incrementBy(leader, 5);
    } catch (CompletionException | NullPointerException e) {
      // It is the one that has failed.
    }

    until("it has failed", () -> leader.copy.status().failure().isPresent());
    cutOff.add(leader.name);
    assertThat(value(leader())).isGreaterThanOrEqualTo(10);
  }

  @Test
  void aFollowerWhoseDiskFailsOnceIsOpenedAgainAndCatchesUp() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 10);
    untilAllHaveTheSame(leader);
    Node failing = node(leader.name.equals("b") ? "c" : "b");
    failing.disk.journal().failOnce(1);
    incrementBy(leader, 10);
    until("it has failed", () -> failing.copy.status().failure().isPresent());
    incrementBy(leader, 10);

    untilAllHaveTheSame(leader);
    assertThat(failing.copy.status().failure()).isEmpty();
    assertThat(value(leader)).isEqualTo(30);
  }

  @Test
  void aCopyWhoseFilesCannotBeReadHasFailedUntilTheyCan() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 10);
    untilAllHaveTheSame(leader);
    Node failing = node(leader.name.equals("b") ? "c" : "b");
    failing.copy.close();
    failing.isUnreadable = true;
    PartitionCopy again =
        PartitionCopy.start(
            failing.name,
            Layout.first(NAMES),
            Settings.of(OPTIONS, LocalDataCentre.FIRST, 0),
            failing,
            register,
            failing);
    assertThat(again.status().failure().orElseThrow()).contains("injected");
    incrementBy(leader, 10);

    failing.isUnreadable = false;

    until("it is open", () -> again.status().failure().isEmpty());
    again.close();
  }

  @Test
  void aCopyThatCannotEvenSayWhyItHasFailedTakesPartInNothing() {
    startAll();
    Node leader = leader();
    incrementBy(leader, 10);
    untilAllHaveTheSame(leader);
    Node failing = node(leader.name.equals("b") ? "c" : "b");
    failing.isOutOfMemory = true;

    failing.copy.receive(leader.name, new CopyMessage.Seal(1_000));

    until("it has failed", () -> failing.copy.status().failure().isPresent());
    incrementBy(leader, 10);
    assertThat(failing.copy.status().committed()).isLessThan(leader.copy.status().committed());
  }

  @Test
  void aCopyThatIsClosedWhileItBeginsToLeadWaitsForNobody() throws InterruptedException {
    for (String name : NAMES) {
      Node node = new Node(name, LossyDisk.empty(), 0);
      node.mayLead = new CountDownLatch(1);
      nodes.put(name, node);
    }
    until("one begins to lead", () -> nodes.values().stream().anyMatch(Node::begins));
    Node first = nodes.values().stream().filter(Node::begins).findAny().orElseThrow();
    Thread closing = new Thread(first.copy::close, "closing");
    closing.start();
    until("it waits for the copy's thread", () -> closing.getState() == Thread.State.WAITING);
    cutOff.addAll(NAMES);

    nodes.values().forEach(node -> Objects.requireNonNull(node.mayLead).countDown());
    var unused = nodes.remove(first.name);

    closing.join(Duration.ofSeconds(30).toMillis());
    assertThat(closing.isAlive()).isFalse();
  }
}
