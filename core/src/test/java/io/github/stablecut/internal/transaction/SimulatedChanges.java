package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.internal.transaction.SimulatedTransaction.Outcome;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.internal.watch.CommitFilter;
import io.github.stablecut.internal.watch.CommittedWrites;
import io.github.stablecut.internal.watch.NodesWatchReader;
import io.github.stablecut.internal.watch.OrderedCommit;
import io.github.stablecut.internal.watch.WatchBuffer;
import io.github.stablecut.internal.watch.WatchDispatcher;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A client of a {@link Simulation} that watches all objects, whichever replicas lead their
 * partitions. It closes the watch now and then, and opens another one after the last change that it
 * has taken. It gets each committed transaction once, complete, in the order of commit times.
 * Confined to one thread.
 */
final class SimulatedChanges {
  private static final int BUFFER = 20;
  private static final int MAX_ATTEMPTS = 2_000;

  private final Random random;
  private final SimulatedProcesses processes;
  private final SimulatedObjects objects;
  private final SimulatedClients clients;
  private final WatchDispatcher dispatcher;
  private @Nullable NodesWatchReader reader;

  /** Keeps the commits after the last change. */
  private ActiveSnapshots.@Nullable Registration kept;

  /**
   * The commits after it, up to {@link #last}, have been delivered; null before the first watch.
   */
  private @Nullable VectorClock begin;

  private VectorClock last = VectorClock.ZERO;

  /** What was delivered since the beginning, by commit time. */
  private final Map<Long, Set<Bytes>> delivered = new TreeMap<>();

  private final List<String> violations = new ArrayList<>();

  SimulatedChanges(
      Random random,
      SimulatedProcesses processes,
      SimulatedObjects objects,
      SimulatedClients clients) {
    this.random = random;
    this.processes = processes;
    this.objects = objects;
    this.clients = clients;
    this.dispatcher = new WatchDispatcher(processes.local(), List.of(), 1);
  }

  /** How many changes were delivered. */
  int delivered() {
    return delivered.size();
  }

  /** Opens or closes the watch, or takes changes. */
  void step() {
    NodesWatchReader open = reader;
    if (open == null) {
      open();
    } else if (random.nextInt(8) == 0) {
      close();
    } else {
      take(open, 1 + random.nextInt(8));
    }
  }

  private void open() {
    if (begin == null) {
      Optional<ActiveSnapshots.Registration> claim = clients.claim(clients.any());
      if (claim.isEmpty()) {
        return;
      }
      kept = claim.get();
      begin = claim.get().snapshot();
      last = begin;
    }
    reader =
        NodesWatchReader.after(
            dispatcher,
            new WatchBuffer(CommitFilter.of(IdRange.all()), BUFFER),
            new NodesWatchReader.Partitions(
                processes.local(),
                IntStream.range(0, SimulatedProcesses.PARTITIONS).mapToObj(this::source).toList(),
                this::present),
            last);
  }

  private NodesWatchReader.Source source(int partition) {
    return reading -> {
      try {
        return processes.served(partition).commits(reading);
      } catch (SnapshotTruncatedException e) {
        throw e;
      } catch (RuntimeException e) {
        processes.expect(e);
        throw new PartitionUnavailableException("cannot be read now");
      }
    };
  }

  private VectorClock present() {
    return processes.open().stream()
        .map(partition -> partition.newest())
        .reduce(last, VectorClock::join);
  }

  private void close() {
    NodesWatchReader open = reader;
    if (open != null) {
      if (random.nextBoolean()) {
        moveTo(open.position());
      }
      open.close();
      reader = null;
    }
  }

  private void moveTo(VectorClock position) {
    if (!last.isAtOrBefore(position)) {
      violations.add("the watch is at %s after %s".formatted(position, last));
    }
    last = position;
    ActiveSnapshots.Registration before = kept;
    kept = processes.active().register(position);
    if (before != null) {
      before.end();
    }
  }

  private void take(NodesWatchReader open, int most) {
    try {
      for (int i = 0; i < most; i++) {
        Optional<OrderedCommit> next = open.poll(System.nanoTime());
        if (next.isEmpty()) {
          return;
        }
        taken(next.get());
      }
    } catch (SnapshotTruncatedException e) {
      // Its registration has expired, or a partition was not there when it began.
      close();
      begin = null;
      delivered.clear();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void taken(OrderedCommit commit) {
    CommittedWrites writes = commit.writes();
    long time = processes.local().timeIn(writes.at());
    Set<Bytes> ids = new HashSet<>();
    writes.objects().forEach(written -> ids.add(written.id()));
    if (time <= processes.local().timeIn(last)) {
      violations.add("the watch got the commit at %d after %s".formatted(time, last));
    }
    if (delivered.put(time, ids) != null) {
      violations.add("the watch got the commit at %d twice".formatted(time));
    }
    moveTo(commit.token());
  }

  /** Takes all changes that there are, once nothing fails. */
  void finish() {
    VectorClock present = present();
    for (int attempt = 0; attempt < MAX_ATTEMPTS && !hasReached(present); attempt++) {
      NodesWatchReader open = reader;
      if (open == null) {
        open();
      } else {
        take(open, BUFFER);
        if (reader != null) {
          moveTo(open.position());
        }
      }
      processes.pause(() -> {});
    }
    if (!hasReached(present)) {
      violations.add("the watch does not reach %s, but is at %s".formatted(present, last));
    }
    if (kept != null) {
      kept.end();
    }
  }

  private boolean hasReached(VectorClock point) {
    return begin != null && point.isAtOrBefore(last);
  }

  /** What was delivered wrongly; empty if nothing was. */
  Optional<String> violation(Collection<SimulatedTransaction> history) {
    VectorClock from = begin;
    if (!violations.isEmpty() || from == null) {
      return violations.stream().findFirst();
    }
    Map<Long, SimulatedTransaction> acknowledged = new TreeMap<>();
    for (SimulatedTransaction one : history) {
      if (one.outcome == Outcome.ACKNOWLEDGED) {
        acknowledged.put(one.time, one);
        boolean isAfter =
            one.time > processes.local().timeIn(from) && one.time <= processes.local().timeIn(last);
        if (isAfter && !delivered.containsKey(one.time)) {
          return Optional.of("the watch from %s to %s lacks %s".formatted(from, last, one));
        }
      }
    }
    for (Map.Entry<Long, Set<Bytes>> one : delivered.entrySet()) {
      SimulatedTransaction transaction = acknowledged.get(one.getKey());
      if (transaction != null && !one.getValue().equals(objects.idsOf(transaction))) {
        return Optional.of("the watch got a part of %s".formatted(transaction));
      }
    }
    return Optional.empty();
  }
}
