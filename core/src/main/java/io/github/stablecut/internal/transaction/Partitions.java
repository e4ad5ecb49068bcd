package io.github.stablecut.internal.transaction;

import io.github.stablecut.StoreOptions;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.Message;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionFacts;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of a store in this process, as one: which has what, the newest snapshot of all,
 * and commits over one or several. Thread-safe.
 */
final class Partitions implements AutoCloseable {
  private static final long TICK_MILLIS = 100;

  private final List<Partition> all;
  private final Routing routing;
  private final ActiveSnapshots active;
  private final Message.Transport transport;
  private final StoreOptions options;
  private final Set<CommitDriver> drivers = ConcurrentHashMap.newKeySet();
  private final AtomicLong attempts = new AtomicLong(ThreadLocalRandom.current().nextLong());
  private volatile boolean closing;

  /**
   * @param all by number, started
   * @param active what is claimed on all of them
   */
  private Partitions(
      List<Partition> all,
      Routing routing,
      ActiveSnapshots active,
      Message.Transport transport,
      StoreOptions options) {
    this.all = List.copyOf(all);
    this.routing = routing;
    this.active = active;
    this.transport = transport;
    this.options = options;
  }

  /**
   * Opens the partitions of a store.
   *
   * @param storeId which store it is
   * @param epoch above that of all earlier openings
   * @param files of each partition; closed with it, and if this throws
   */
  static Partitions open(
      long storeId, long epoch, StoreOptions options, List<EmbeddedStore.Files> files) {
    ActiveSnapshots active =
        new ActiveSnapshots(System::nanoTime, options.maxTransactionAge().toNanos());
    List<Partition> opened = new ArrayList<>();
    Message.Transport transport = (partition, message) -> opened.get(partition).receive(message);
    for (int number = 0; number < files.size(); number++) {
      opened.add(
          Partition.open(
              Settings.of(options, number),
              new Partition.Surroundings(epoch, active, transport, System::nanoTime),
              files.get(number).journal(),
              files.get(number).checkpoints()));
    }
    Routing routing = new Routing(storeId, files.size());
    Partitions partitions = new Partitions(opened, routing, active, transport, options);
    opened.forEach(Partition::start);
    partitions.start();
    return partitions;
  }

  /** Begins to send messages again that were not answered. */
  private void start() {
    if (all.size() > 1) {
      Thread thread = new Thread(this::tickUntilClosed, "partitions-tick");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void tickUntilClosed() {
    while (!closing) {
      tick();
      try {
        Thread.sleep(TICK_MILLIS);
      } catch (InterruptedException e) {
        // Only close ends the thread, and it says so in the flag.
      }
    }
  }

  /** Sends again what was not answered. */
  private void tick() {
    all.forEach(Partition::tick);
    long now = System.nanoTime();
    drivers.forEach(driver -> driver.tick(now));
  }

  List<Partition> all() {
    return all;
  }

  /** The partition of an object. */
  Partition of(Bytes id) {
    return all.get(routing.partition(id));
  }

  /** The partition with the newest commit. */
  private Partition newestPartition() {
    Partition newest = all.get(0);
    for (int i = 1; i < all.size(); i++) {
      if (newest.newest().max() < all.get(i).newest().max()) {
        newest = all.get(i);
      }
    }
    return newest;
  }

  /** A vector at or above all that was acknowledged. */
  VectorClock newest() {
    return all.size() == 1 ? all.get(0).stable() : newestPartition().newest();
  }

  /** As {@link #newest}, of a time at most about a second old. */
  VectorClock snapshot() {
    return newestPartition().snapshot();
  }

  /** The newest snapshot, after moving on to the present if that is needed to reach a vector. */
  VectorClock snapshotAfter(VectorClock vector) {
    return newestPartition().snapshotAfter(vector);
  }

  /** The partitions' time, which never goes back. */
  Instant now() {
    return Instant.ofEpochMilli(
        all.stream()
            .mapToLong(partition -> Timestamp.epochMillis(partition.now().max()))
            .max()
            .orElseThrow());
  }

  /** Claims the newest snapshot for a transaction. */
  ActiveSnapshots.Registration begin() {
    while (true) {
      ActiveSnapshots.Registration registration = active.register(snapshot());
      if (admit(registration.snapshot())) {
        return registration;
      }
      registration.end();
    }
  }

  private boolean admit(VectorClock snapshot) {
    for (Partition partition : all) {
      if (!partition.admits(snapshot)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Claims an old snapshot until the claim is ended.
   *
   * @throws io.github.stablecut.SnapshotTruncatedException if it is too old
   */
  ActiveSnapshots.Registration pin(VectorClock snapshot) {
    ActiveSnapshots.Registration registration = active.pin(snapshot);
    try {
      check(snapshot);
      return registration;
    } catch (RuntimeException e) {
      registration.end();
      throw e;
    }
  }

  /**
   * Checks that a snapshot may be read now.
   *
   * @throws io.github.stablecut.SnapshotTruncatedException if it is too old
   */
  void check(VectorClock snapshot) {
    all.forEach(partition -> partition.check(snapshot));
  }

  /**
   * The objects of a range at a snapshot, in the order of their ids.
   *
   * @param snapshot claimed by the caller until the scan is closed
   */
  MergedScan scan(IdRange range, VectorClock snapshot) {
    return MergedScan.open(all, range, snapshot);
  }

  /** The number of open transactions and pins. */
  int claims() {
    return active.count();
  }

  /**
   * Commits a transaction and waits until it is durable and visible.
   *
   * @param parts by partition; one at least writes
   * @return a vector at which it is seen
   */
  VectorClock commit(Map<Integer, CommitRequest.Part> parts, Optional<RequestId> request) {
    if (parts.size() == 1) {
      Map.Entry<Integer, CommitRequest.Part> only = parts.entrySet().iterator().next();
      return all.get(only.getKey())
          .commit(CommitRequest.of(only.getValue(), TransactionFacts.of(request)));
    }
    try {
      return VectorClock.of(drive(parts, request).join());
    } catch (CompletionException e) {
      if (e.getCause() instanceof StablecutException failure) {
        throw failure;
      }
      throw e;
    }
  }

  /** As {@link #commit}, without waiting; the stage is completed on the store's executor. */
  CompletionStage<VectorClock> commitAsync(
      Map<Integer, CommitRequest.Part> parts, Optional<RequestId> request) {
    if (parts.size() == 1) {
      Map.Entry<Integer, CommitRequest.Part> only = parts.entrySet().iterator().next();
      return all.get(only.getKey())
          .commitAsync(
              CommitRequest.of(only.getValue(), TransactionFacts.of(request)), options.executor());
    }
    return drive(parts, request).thenApplyAsync(VectorClock::of, options.executor());
  }

  private CompletableFuture<Long> drive(
      Map<Integer, CommitRequest.Part> parts, Optional<RequestId> request) {
    parts.keySet().forEach(partition -> all.get(partition).awaitCapacity());
    CommitDriver driver =
        new CommitDriver(
            transport,
            parts,
            attempts.incrementAndGet(),
            request,
            System::nanoTime,
            options.timeouts().commit().toNanos());
    boolean unused = drivers.add(driver);
    CompletableFuture<Long> outcome = driver.start();
    return outcome.whenComplete((time, failure) -> drivers.remove(driver));
  }

  /** Makes a checkpoint of each partition. */
  void checkpoint() {
    all.forEach(Partition::checkpoint);
  }

  /** Makes durable what was submitted, and closes all. */
  @Override
  public void close() {
    closing = true;
    @Nullable RuntimeException failure = null;
    for (Partition partition : all) {
      try {
        partition.close();
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
