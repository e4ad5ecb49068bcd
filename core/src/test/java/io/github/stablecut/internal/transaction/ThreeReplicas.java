package io.github.stablecut.internal.transaction;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileAppender;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.partition.commit.PartitionOptions;
import io.github.stablecut.internal.partition.replicated.PartitionReplica;
import io.github.stablecut.internal.partition.replicated.ReplicaContext;
import io.github.stablecut.internal.partition.replicated.ReplicaTiming;
import io.github.stablecut.internal.partition.replicated.VoteStorage;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.replica.Configuration;
import io.github.stablecut.internal.replica.ConfigurationRegister;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.testing.LossySegments;
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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** Three replicas of a partition with their threads and journals, whose network can be cut. */
abstract class ThreeReplicas {
  static final CounterKey KEY = Key.counter("b", "k");
  static final List<String> NAMES = List.of("a", "b", "c");

  /** Replicas wait for timeouts nearly all of the time. */
  private static final ReplicaTiming FAST = new ReplicaTiming(4);

  static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withLimits(LossyDisk.LIMITS)
          .withCheckpoints(CheckpointPolicy.byCall());

  /** The number of the partition. */
  int number() {
    return 0;
  }

  /** A message of the partition's leader to another partition. */
  void sendToPartition(Node from, int to, Message.ToPartition message) {}

  /** The options of all replicas. */
  StoreOptions options() {
    return OPTIONS;
  }

  /** The options of a node, whose clock may differ from the others'. */
  StoreOptions options(String node) {
    return OPTIONS;
  }

  /** A message is in flight; it arrives unless the receiver is lost, or one of them is cut off. */
  void pass(String from, String to, ReplicaMessage message) {
    Node target = nodes.get(to);
    if (target != null && !cutOff.contains(from) && !cutOff.contains(to)) {
      target.replica.receive(from, message);
    }
  }

  /** The part of a disk that is kept in reserve. */
  int reserveBytes() {
    return 0;
  }

  /** With small segments, so that there is something to drop. */
  PartitionOptions partitionOptions() {
    PartitionOptions derived = PartitionSettings.of(options(), LocalDataCentre.FIRST, number());
    return new PartitionOptions(
        derived.number(),
        derived.local(),
        derived.maxTransactionAge(),
        new PartitionOptions.JournalSettings(
            derived.journal().options().withSegmentBytes(4096).withReserveBytes(reserveBytes()),
            derived.journal().sync()),
        derived.memory(),
        derived.checkpoints(),
        derived.waits(),
        derived.sessions());
  }

  final Map<String, Node> nodes = new ConcurrentHashMap<>();
  final Set<String> cutOff = ConcurrentHashMap.newKeySet();
  final Register register = new Register();

  static final class Register implements ConfigurationRegister {
    private Configuration current = Configuration.first(NAMES);

    /** Whether it answers no reader. */
    volatile boolean isSilent;

    @Override
    public synchronized CompletionStage<Configuration> read(int partition) {
      return isSilent ? new CompletableFuture<>() : CompletableFuture.completedFuture(current);
    }

    @Override
    public synchronized CompletionStage<Boolean> replace(int partition, Configuration next) {
      boolean hasWon = next.epoch() == current.epoch() + 1;
      if (hasWon) {
        current = next;
      }
      return CompletableFuture.completedFuture(hasWon);
    }
  }

  final class Node implements ReplicaContext, VoteStorage {
    final String name;
    volatile LossyDisk disk;
    private volatile LossyDirectory incoming = new LossyDirectory();
    final AtomicInteger installs = new AtomicInteger();
    final PartitionReplica replica;
    volatile long promised;
    volatile long shortened;
    volatile @Nullable Partition leading;
    volatile boolean isOutOfMemory;
    volatile boolean isUnreadable;
    volatile boolean failsCheckpoints;

    /** Whether its disk fails to switch to a new manifest of checkpoints. */
    volatile boolean failsSwitches;

    /** Whether its node fails once to end its leadership. */
    volatile boolean failsToEnd;

    /** A checkpoint writer counts this down, and waits for permission. */
    volatile @Nullable CountDownLatch mayCheckpoint;

    final CountDownLatch beginsCheckpoint = new CountDownLatch(1);

    /** The latch until which its disk stores no vote. */
    volatile @Nullable CountDownLatch mayPromise;

    /** A starting leader counts this down, and waits for permission. */
    volatile @Nullable CountDownLatch mayLead;

    private final CountDownLatch begins = new CountDownLatch(1);

    Node(String name, LossyDisk disk, long promised) {
      this.name = name;
      this.disk = disk;
      this.promised = promised;
      this.replica =
          PartitionReplica.start(
              name, Configuration.first(NAMES), partitionOptions(), this, register, this);
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
      return new ForwardingDirectory(disk.checkpoints()) {
        @Override
        public FileAppender create(String file) throws IOException {
          CountDownLatch wait = mayCheckpoint;
          if (wait != null && file.startsWith("run-")) {
            beginsCheckpoint.countDown();
            await(wait);
          }
          if (failsCheckpoints && file.startsWith("run-")) {
            throw new IOException("injected");
          }
          return super.create(file);
        }

        @Override
        public void rename(String from, String to) throws IOException {
          if (failsSwitches) {
            throw new IOException("injected");
          }
          super.rename(from, to);
        }
      };
    }

    @Override
    public Directory incoming() {
      incoming = new LossyDirectory();
      return incoming;
    }

    @Override
    public ReplicaTiming clock() {
      return FAST;
    }

    @Override
    public void dropIncoming() {
      incoming = new LossyDirectory();
    }

    @Override
    public void install(long first, long epoch) {
      LossySegments begun = new LossySegments();
      Journal.begin(begun, JournalOptions.named("begun").withReserveBytes(0), first, epoch);
      disk = new LossyDisk(begun, incoming);
      installs.incrementAndGet();
    }

    @Override
    public void send(String to, ReplicaMessage message) {
      pass(name, to, message);
    }

    @Override
    public PartitionContext context(long epoch) {
      CountDownLatch wait = mayLead;
      if (wait != null) {
        begins.countDown();
        await(wait);
      }
      return PartitionContext.builder(
              epoch,
              PartitionSettings.clock(options(name)),
              new ActiveSnapshots(System::nanoTime, Duration.ofHours(1).toNanos()),
              (to, message) -> sendToPartition(this, to, message))
          .build();
    }

    boolean begins() {
      return begins.getCount() == 0;
    }

    @Override
    public void leads(Partition partition, long epoch) {
      leading = partition;
      if (mayLead != null) {
        // No other replica exists to have it.
        increment(partition);
      }
    }

    @Override
    public void leave(String node) {
      Thread leaving = new Thread(() -> replica.giveWay(node, Duration.ofSeconds(60)), "leaving");
      leaving.setDaemon(true);
      leaving.start();
    }

    @Override
    public void follows(Partition led) {
      leading = null;
      if (failsToEnd) {
        failsToEnd = false;
        throw new IllegalStateException("injected");
      }
    }

    @Override
    public long read() {
      return promised;
    }

    @Override
    public long shortened() {
      return shortened;
    }

    @Override
    public void write(long epoch, long newlyShortened) {
      if (isOutOfMemory) {
        throw new ErrorWithoutMessage();
      }
      CountDownLatch wait = mayPromise;
      if (wait != null) {
        await(wait);
      }
      promised = epoch;
      shortened = newlyShortened;
    }
  }

  /** There is no memory to describe the failure, either. */
  private static final class ErrorWithoutMessage extends Error {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new OutOfMemoryError("injected");
    }
  }

  void startAll() {
    for (String name : NAMES) {
      nodes.put(name, new Node(name, LossyDisk.empty(), 0));
    }
  }

  @AfterEach
  void close() {
    cutOff.clear();
    nodes.values().forEach(node -> node.replica.close());
  }

  Node node(String name) {
    return Objects.requireNonNull(nodes.get(name));
  }

  /** Closes a follower that is unreachable from now on. */
  Node closeFollower(Node leader) {
    Node away = node(leader.name.equals("b") ? "c" : "b");
    cutOff.add(away.name);
    away.replica.close();
    return away;
  }

  static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("still not true: " + what);
      }
      LockSupport.parkNanos(5_000_000);
    }
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The reachable leader. */
  Node leader() {
    until("a replica leads", () -> reachable().stream().anyMatch(node -> node.leading != null));
    return reachable().stream()
        .filter(node -> node.leading != null)
        .findAny()
        .orElseGet(this::leader);
  }

  List<Node> reachable() {
    return nodes.values().stream().filter(node -> !cutOff.contains(node.name)).toList();
  }

  @CanIgnoreReturnValue
  static CompletableFuture<VectorClock> increment(Partition partition) {
    return increment(partition, partition.stable());
  }

  @CanIgnoreReturnValue
  static CompletableFuture<VectorClock> increment(Partition partition, VectorClock snapshot) {
    return partition
        .commitAsync(
            CommitRequest.of(incrementing(snapshot), TransactionMetadata.none()), Runnable::run)
        .toCompletableFuture();
  }

  static CommitRequest.Part incrementing(VectorClock snapshot) {
    return part(KEY.increment(), KEY.type().initial(), snapshot);
  }

  /** A transaction of one update of an object whose state at the snapshot is known. */
  static CommitRequest.Part part(Update update, Object state, VectorClock snapshot) {
    Key<?> key = update.key();
    OperationContext context = new OperationContext(0, snapshot, new SelfDots());
    Object effect = CallTypes.downstream(key.type(), update.operation(), state, context);
    CommitRequest.ObjectWrite write =
        new CommitRequest.ObjectWrite(
            key.id(),
            key.type(),
            List.of(effect),
            List.of(CallTypes.encodeEffect(key.type(), effect)));
    return new CommitRequest.Part(0, snapshot, VectorClock.ZERO, List.of(write), Set.of());
  }

  static Partition partition(Node leader) {
    return Objects.requireNonNull(leader.leading);
  }

  static void incrementBy(Node leader, int count) {
    for (int i = 0; i < count; i++) {
      increment(partition(leader)).join();
    }
  }

  static long value(Node leader) {
    return value(partition(leader));
  }

  static long value(Partition partition) {
    VectorClock snapshot = partition.present(KEY.id());
    return KEY.view(partition.versionAt(KEY.id(), snapshot).orElseThrow().state(), snapshot);
  }

  void untilAllAgree(Node leader) {
    until(
        "all follow",
        () ->
            nodes.values().stream()
                .allMatch(
                    node ->
                        node.replica.status().committed() == leader.replica.status().next()
                            && node.replica.status().next() == leader.replica.status().next()));
  }
}
