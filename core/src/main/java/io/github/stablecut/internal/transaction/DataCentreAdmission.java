package io.github.stablecut.internal.transaction;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.ClosedException;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.link.JoinSender;
import io.github.stablecut.internal.link.PartitionSnapshotCall;
import io.github.stablecut.internal.link.PartitionSnapshotSender;
import io.github.stablecut.internal.link.Sockets;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.replication.GroupState;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import org.slf4j.Logger;

/** Admits new data centres to the group, and gives them what they begin with. Thread-safe. */
final class DataCentreAdmission {
  private static final Logger LOG = Log.of(DataCentreAdmission.class);

  /** How long a new data centre waits for those that lack something. */
  private static final Duration TAKEN_PATIENCE = Duration.ofSeconds(10);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final ReplicationSetup setup;
  private final Partitions partitions;
  private final GroupState group;
  private final Runnable allowed;
  private final IntPredicate isHeard;

  /**
   * What a new data centre begins with.
   *
   * @param directory of its own, for a while
   */
  private record Invitation(int number, Path directory, Path files) {}

  /**
   * @param allowed throws if this data centre may admit nobody
   * @param isHeard whether a data centre is heard
   */
  DataCentreAdmission(
      ReplicationSetup setup,
      Partitions partitions,
      GroupState group,
      Runnable allowed,
      IntPredicate isHeard) {
    this.setup = setup;
    this.partitions = partitions;
    this.group = group;
    this.allowed = allowed;
    this.isHeard = isHeard;
  }

  /** Sends a new data centre what it begins with, or tells why not. */
  void join(JoinSender sender) throws IOException {
    Invitation made;
    try {
      made = invitation(Optional.empty());
    } catch (ReplicationRefusedException | StoreIoException | RetryException e) {
      sender.refuse(Objects.requireNonNullElse(e.getMessage(), "nobody can join"));
      return;
    }
    try {
      sender.send(made.files());
    } catch (IOException | RuntimeException | Error e) {
      group.detach(made.number());
      throw e;
    } finally {
      setup.place().files().deleteTemporary(made.directory());
    }
  }

  /**
   * Writes what a new data centre begins with.
   *
   * @return its number
   */
  int invite(Path target) {
    return Threads.callApart(
        "stablecut-invitation",
        () -> {
          Invitation made = invitation(Optional.of(target));
          setup.place().files().deleteTemporary(made.directory());
          return made.number();
        });
  }

  /**
   * Admits a new data centre, and writes what it begins with. One after the other, as checkpoints
   * pause meanwhile.
   *
   * @param target where to; empty for somewhere in the directory of its own
   */
  private synchronized Invitation invitation(Optional<Path> target) {
    allowed.run();
    int allocator = group.known().allocator();
    if (allocator != group.own()) {
      throw new ReplicationRefusedException(
          "data centre %d gives the numbers to new ones, and this is %d: ask that"
              .formatted(allocator, group.own()));
    }
    // First everything is kept for it, then it gets what there is.
    int number = group.admit(new SecureRandom().nextLong());
    try {
      setup.place().awaitKept(group.known());
      Path directory = setup.place().files().temporary("joining-" + number);
      try {
        Path files = target.orElse(directory.resolve("files"));
        write(number, files, directory);
        return new Invitation(number, directory, files);
      } catch (RuntimeException | Error e) {
        setup.place().files().deleteTemporary(directory);
        throw e;
      }
    } catch (RuntimeException | Error e) {
      group.detach(number);
      throw e;
    }
  }

  private void write(int number, Path target, Path journals) {
    List<PartitionCut> cuts = new ArrayList<>();
    for (PartitionAccess partition : partitions.all()) {
      cuts.add(cut(partition, journals));
    }
    try (StoreBackup cut = StoreBackup.cut(cuts, partitions::begin)) {
      awaitTaken(cut.at(), number);
      cut.write(
          identity(setup.identity().partitions(), new LocalDataCentre(number)),
          Optional.of(group.known()),
          target,
          BackupProgress.NONE,
          Instant.now());
      LOG.info("data centre {} is given what it begins with", number);
    }
  }

  /**
   * Waits until the others that are heard have durably what the new one begins with. If this data
   * centre was lost for ever, they could get it from nobody: the new one has it in a checkpoint
   * only, and everything that it commits depends on it.
   */
  private void awaitTaken(VectorClock at, int number) {
    long deadline = System.nanoTime() + TAKEN_PATIENCE.toNanos();
    while (!areTaken(at, partitions.local(), heardBeside(number))
        && System.nanoTime() - deadline < 0
        && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(this, POLL_NANOS);
    }
  }

  private List<Integer> heardBeside(int number) {
    return group.known().others(group.own()).stream()
        .filter(other -> other != number && isHeard.test(other))
        .toList();
  }

  /** Whether others have told that they have durably what a snapshot sees on some partitions. */
  static boolean areTaken(VectorClock at, List<Partition> partitions, List<Integer> others) {
    return others.stream()
        .allMatch(
            other ->
                partitions.stream()
                    .map(partition -> partition.streams().acknowledged(other))
                    .allMatch(taken -> at.with(other, 0).isAtOrBefore(taken)));
  }

  private StoreIdentity identity(int size, LocalDataCentre dataCentre) {
    StoreIdentity identity = setup.identity();
    return new StoreIdentity(
        identity.id(), size, dataCentre, OptionalLong.empty(), identity.routing());
  }

  private PartitionCut cut(PartitionAccess partition, Path files) {
    int number = partition.number();
    Path place = files.resolve(Integer.toString(number));
    return partition
        .local()
        .<PartitionCut>map(
            here -> new LocalCut(here, setup.place().checkpoints(number), Optional.of(place)))
        .orElseGet(() -> new RemoteCut(() -> ask(number), place));
  }

  private PartitionSnapshotCall ask(int partition) throws IOException {
    String address =
        setup
            .place()
            .addressOf(partition)
            .orElseThrow(
                () -> new IOException("the owner of partition %d is lost".formatted(partition)));
    return PartitionSnapshotCall.begin(
        new Sockets(setup.options().tls()),
        address,
        group.known().group(),
        setup.identity().id(),
        partition);
  }

  /** Sends another node of this data centre, which admits a new one, what that begins with here. */
  void cut(int partition, PartitionSnapshotSender sender) throws IOException {
    Optional<Partition> here =
        partition < partitions.size() ? partitions.all().get(partition).local() : Optional.empty();
    if (here.isEmpty()) {
      sender.refuse("partition %d has left this node: join again".formatted(partition));
      return;
    }
    Path directory = setup.place().files().temporary("cut-" + partition);
    try {
      List<PartitionCut> cuts =
          List.of(
              new LocalCut(
                  here.get(),
                  setup.place().checkpoints(partition),
                  Optional.of(directory.resolve("journal"))));
      Path files = directory.resolve("files");
      try (StoreBackup cut = StoreBackup.cut(cuts, () -> chosen(sender))) {
        cut.write(
            identity(1, setup.identity().dataCentre()),
            Optional.empty(),
            files,
            BackupProgress.NONE,
            Instant.now());
      }
      sender.send(files);
    } catch (UncheckedIOException | RetryException | ClosedException e) {
      // The node that has asked learns it by the end of the connection, and refuses the new one.
      LOG.info(
          "what a new data centre begins with on partition {} is not sent: {}",
          partition,
          e.getMessage());
    } finally {
      setup.place().files().deleteTemporary(directory);
    }
  }

  /**
   * The snapshot that the node that asks has chosen, claimed.
   *
   * @throws UncheckedIOException if that node has gone, which is no fault here
   */
  private ActiveSnapshots.Registration chosen(PartitionSnapshotSender sender) {
    VectorClock at;
    try {
      at = sender.snapshot();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the node that has asked for it is gone: " + IoReason.of(e), e);
    }
    setup.place().wasShared(at);
    return partitions.claim(at);
  }
}
