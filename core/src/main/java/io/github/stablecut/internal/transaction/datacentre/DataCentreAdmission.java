package io.github.stablecut.internal.transaction.datacentre;

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
import io.github.stablecut.internal.transaction.routing.Partitions;
import io.github.stablecut.internal.transaction.routing.ReplicationSetup;
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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import org.slf4j.Logger;

/** Admits new data centres to the group and sends them their initial state. Thread-safe. */
public final class DataCentreAdmission {
  private static final Logger LOG = Log.of(DataCentreAdmission.class);

  /** The time for which a new data centre waits for others that lack transactions. */
  private static final Duration DURABLE_ELSEWHERE_TIMEOUT = Duration.ofSeconds(10);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final ReplicationSetup setup;
  private final Partitions partitions;
  private final GroupState group;
  private final Runnable checkMayAdmit;
  private final IntPredicate isHeard;

  /** The data centres whose initial state is being made or sent. */
  private final Set<Integer> admitting = ConcurrentHashMap.newKeySet();

  /**
   * The initial state of a new data centre.
   *
   * @param directory temporary; deleted once the files are sent
   */
  private record Invitation(int number, Path directory, Path files) {}

  /**
   * @param checkMayAdmit throws if this data centre may not admit others
   * @param isHeard whether messages of a data centre arrive
   */
  public DataCentreAdmission(
      ReplicationSetup setup,
      Partitions partitions,
      GroupState group,
      Runnable checkMayAdmit,
      IntPredicate isHeard) {
    this.setup = setup;
    this.partitions = partitions;
    this.group = group;
    this.checkMayAdmit = checkMayAdmit;
    this.isHeard = isHeard;
  }

  /** Whether the initial state of a data centre is being made or sent. */
  public boolean isAdmitting(int number) {
    return admitting.contains(number);
  }

  /** Sends a new data centre its initial state, or the reason for refusing it. */
  public void join(JoinSender sender) throws IOException {
    Invitation made;
    try {
      made = invitation(Optional.empty());
    } catch (ReplicationRefusedException | StoreIoException | RetryException e) {
      sender.refuse(Objects.requireNonNullElse(e.getMessage(), "data centres can't join here"));
      return;
    }
    try {
      sender.send(made.files());
    } catch (IOException | RuntimeException | Error e) {
      group.detach(made.number());
      throw e;
    } finally {
      admitting.remove(made.number());
      setup.place().files().deleteTemporary(made.directory());
    }
  }

  /**
   * Writes the initial state of a new data centre.
   *
   * @return its number
   */
  public int invite(Path target) {
    return Threads.callApart(
        "stablecut-invitation",
        () -> {
          Invitation made = invitation(Optional.of(target));
          admitting.remove(made.number());
          setup.place().files().deleteTemporary(made.directory());
          return made.number();
        });
  }

  /**
   * Admits a new data centre and writes its initial state. Admissions run one at a time because
   * checkpoints pause meanwhile.
   *
   * @param target where to write; empty for the invitation's temporary directory
   */
  private synchronized Invitation invitation(Optional<Path> target) {
    checkMayAdmit.run();
    int allocator = group.known().allocator();
    if (allocator != group.own()) {
      throw new ReplicationRefusedException(
          "data centre %d assigns the numbers of new data centres, and this is %d: join there"
              .formatted(allocator, group.own()));
    }
    // From here on, all nodes retain what the new data centre lacks; then the state is copied.
    int number = group.admit(new SecureRandom().nextLong());
    admitting.add(number);
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
      admitting.remove(number);
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
      awaitDurableElsewhere(cut.at(), number);
      cut.write(
          identity(setup.identity().partitions(), new LocalDataCentre(number)),
          Optional.of(group.known()),
          target,
          BackupProgress.NONE,
          Instant.now());
      LOG.info("the initial state of data centre {} is written", number);
    }
  }

  /**
   * Waits until the other connected data centres durably have the new one's initial state. If this
   * data centre were permanently lost, they could not get that state elsewhere: the new one has it
   * in a checkpoint only, and everything that it commits depends on it.
   */
  private void awaitDurableElsewhere(VectorClock at, int number) {
    long deadlineNanos = System.nanoTime() + DURABLE_ELSEWHERE_TIMEOUT.toNanos();
    while (!areDurableAt(at, partitions.local(), heardOthers(number))
        && System.nanoTime() - deadlineNanos < 0
        && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(this, POLL_NANOS);
    }
  }

  private List<Integer> heardOthers(int number) {
    return group.known().others(group.own()).stream()
        .filter(other -> other != number && isHeard.test(other))
        .toList();
  }

  /**
   * Whether others have acknowledged as durable everything that a snapshot sees on these
   * partitions.
   */
  public static boolean areDurableAt(
      VectorClock at, List<Partition> partitions, List<Integer> others) {
    return others.stream()
        .allMatch(
            other ->
                partitions.stream()
                    .map(partition -> partition.streams().acknowledged(other))
                    .allMatch(durable -> at.with(other, 0).isAtOrBefore(durable)));
  }

  private StoreIdentity identity(int size, LocalDataCentre dataCentre) {
    StoreIdentity identity = setup.identity();
    return new StoreIdentity(
        identity.id(), size, dataCentre, OptionalLong.empty(), identity.routing());
  }

  private PartitionCut cut(PartitionAccess partition, Path files) {
    int number = partition.number();
    Path journal = files.resolve(Integer.toString(number));
    return partition
        .local()
        .<PartitionCut>map(
            localPartition ->
                new LocalCut(
                    localPartition, setup.place().checkpoints(number), Optional.of(journal)))
        .orElseGet(() -> new RemoteCut(() -> ask(number), journal));
  }

  private PartitionSnapshotCall ask(int partition) throws IOException {
    String address =
        setup
            .place()
            .addressOf(partition)
            .orElseThrow(
                () -> new IOException("the owner of partition %d is unknown".formatted(partition)));
    return PartitionSnapshotCall.begin(
        new Sockets(setup.options().tls()),
        address,
        group.known().group(),
        setup.identity().id(),
        partition);
  }

  /** Sends this node's part of a new data centre's initial state to the node that admits it. */
  public void cut(int partition, PartitionSnapshotSender sender) throws IOException {
    Optional<Partition> localPartition =
        partition < partitions.size() ? partitions.all().get(partition).local() : Optional.empty();
    if (localPartition.isEmpty()) {
      sender.refuse("partition %d has moved to another node: join again".formatted(partition));
      return;
    }
    Path directory = setup.place().files().temporary("cut-" + partition);
    try {
      List<PartitionCut> cuts =
          List.of(
              new LocalCut(
                  localPartition.get(),
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
      // The admitting node notices the closed connection and refuses the new data centre.
      LOG.info(
          "the initial state of partition {} for a new data centre was not sent: {}",
          partition,
          e.getMessage());
    } finally {
      setup.place().files().deleteTemporary(directory);
    }
  }

  /**
   * Receives and registers the snapshot that the admitting node has chosen.
   *
   * @throws UncheckedIOException if the connection to that node is lost, which is not a fault of
   *     this one
   */
  private ActiveSnapshots.Registration chosen(PartitionSnapshotSender sender) {
    VectorClock at;
    try {
      at = sender.snapshot();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the node that requested it has disconnected: " + IoReason.of(e), e);
    }
    setup.place().wasShared(at);
    return partitions.claim(at);
  }
}
