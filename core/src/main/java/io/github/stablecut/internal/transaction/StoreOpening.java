package io.github.stablecut.internal.transaction;

import io.github.stablecut.Store;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.recovery.Lineage;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreDirectory;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.recovery.SyncedFile;
import io.github.stablecut.internal.transaction.datacentre.DataCentreJoin;
import io.github.stablecut.internal.transaction.datacentre.SingleNodeTopology;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.transaction.routing.Partitions;
import io.github.stablecut.internal.transaction.routing.ReplicationSetup;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.Replication;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Opens stores whose partitions are all in this process. */
public final class StoreOpening {
  private StoreOpening() {}

  /** Opens or creates the store in a directory. */
  public static Store open(Path path, StoreOptions options) {
    return open(path, options, segments -> segments);
  }

  /**
   * Like {@link #open(Path, StoreOptions)}, with wrapped journals.
   *
   * @param disk wraps the segments of each journal, for example to add a delay
   */
  public static Store open(Path path, StoreOptions options, UnaryOperator<SegmentStore> disk) {
    options.replication().ifPresent(replication -> DataCentreJoin.joinIfNew(path, replication));
    StoreDirectory directory = StoreDirectory.open(path, options.partitions());
    try {
      directory.checkPartitions();
      List<PartitionFiles> files = new ArrayList<>();
      for (int number = 0; number < directory.identity().partitions(); number++) {
        PartitionFiles opened =
            PartitionFiles.in(
                directory.journal(number),
                directory.checkpoints(number),
                options,
                directory.lock());
        directory.checkJournal(number, opened.journal().segments().size());
        files.add(new PartitionFiles(disk.apply(opened.journal()), opened.checkpoints()));
      }
      Optional<Membership> known = directory.dataCentre().group();
      if (options.replication().isPresent()) {
        ReplicationSetup.checkTakesPart(
            directory.identity(), directory.dataCentre().setBack(), known);
      }
      long epoch = directory.raiseEpoch();
      return open(
          directory.identity(),
          known.map(group -> others(group, directory.identity())).orElse(Set.of()),
          epoch,
          options,
          files,
          new StoreHost() {
            @Override
            public Lineage complete(long issued) {
              return directory.complete(issued);
            }

            @Override
            public Optional<EmbeddedReplication> replicate(
                Partitions partitions, List<Directory> checkpoints, Lineage lineage) {
              return options
                  .replication()
                  .map(
                      replication ->
                          EmbeddedReplication.start(
                              ReplicationSetup.checked(
                                  new SingleNodeTopology(directory, checkpoints, lineage),
                                  directory.dataCentre().setBack(),
                                  known,
                                  replication),
                              partitions));
            }

            @Override
            public Optional<Membership> group() {
              return known;
            }

            @Override
            public Optional<SyncedFile> synced() {
              return Optional.of(directory.synced());
            }

            @Override
            public void release() {
              directory.close();
            }
          });
    } catch (IOException e) {
      directory.close();
      throw StoreDirectory.failed(path, "opened", e);
    } catch (RuntimeException | Error e) {
      directory.close();
      throw e;
    }
  }

  /** Creates the store of a new data centre from an invitation. */
  public static void join(Path invitation, Path path) {
    DataCentreJoin.join(invitation, path);
  }

  /**
   * Joins the first node of a cluster to other data centres, if the options request it and its
   * directory is empty.
   */
  public static void joinAsNode(Path directory, String node, Replication replication) {
    DataCentreJoin.joinIfNew(directory, node, replication);
  }

  /**
   * Fetches the initial state for a running cluster that becomes a new data centre; changes
   * nothing.
   *
   * @param directory of one of its nodes
   * @return where the files are, for {@link #exchangeNode}
   */
  public static Path fetch(Path directory, Replication replication) {
    return DataCentreJoin.fetch(directory, replication);
  }

  /**
   * Creates the first node of a cluster from fetched files, in place of a node that has stopped.
   *
   * @param partitions the number of partitions of its cluster, all of which that node has
   * @throws io.github.stablecut.error.ReplicationRefusedException if it has data; then it can be
   *     started again
   */
  public static void exchangeNode(Path directory, int partitions, String node, Path files) {
    DataCentreJoin.exchangeNode(directory, partitions, node, files);
  }

  /**
   * Returns all other data centres, including detached ones, whose transactions may still be in
   * transit.
   */
  private static Set<Integer> others(Membership group, StoreIdentity identity) {
    return group.members().keySet().stream()
        .filter(number -> number != identity.dataCentre().number())
        .collect(Collectors.toSet());
  }

  /** The functions of a store's directory that an opening needs. */
  private interface StoreHost {
    /** Like {@link StoreDirectory#complete}. */
    Lineage complete(long issued);

    /** Starts replication if the store is configured for it. */
    Optional<EmbeddedReplication> replicate(
        Partitions partitions, List<Directory> checkpoints, Lineage lineage);

    /** The record of joint syncs; empty if there is no file for it. */
    Optional<SyncedFile> synced();

    /** The group that the store belongs to, if it was one of several data centres. */
    Optional<Membership> group();

    /** Releases resources after the partitions are closed. */
    void release();
  }

  /** A host without a directory. */
  private record InMemoryHost(Optional<SyncedFile> synced) implements StoreHost {
    @Override
    public Lineage complete(long issued) {
      return Lineage.UNKNOWN;
    }

    @Override
    public Optional<EmbeddedReplication> replicate(
        Partitions partitions, List<Directory> checkpoints, Lineage lineage) {
      return Optional.empty();
    }

    @Override
    public Optional<Membership> group() {
      return Optional.empty();
    }

    @Override
    public void release() {
      // There is nothing to release.
    }
  }

  /** Opens a store with given files. */
  static EmbeddedStore open(SegmentStore journal, Directory checkpoints, StoreOptions options) {
    return open(1, List.of(new PartitionFiles(journal, checkpoints)), options);
  }

  /**
   * Opens a store with the given files of its partitions.
   *
   * @param epoch how often it was opened, including this time
   */
  static EmbeddedStore open(long epoch, List<PartitionFiles> files, StoreOptions options) {
    return open(new StoreIdentity(0, files.size()), epoch, files, options);
  }

  /**
   * Like {@link #open(long, List, StoreOptions)}, for applications' tests with simulated disks.
   *
   * @param synced the record of joint syncs
   */
  public static Store openOn(
      long epoch, List<PartitionFiles> files, SyncedFile synced, StoreOptions options) {
    return open(
        new StoreIdentity(0, files.size()),
        Set.of(),
        epoch,
        options,
        files,
        new InMemoryHost(Optional.of(synced)));
  }

  /** Like {@link #open(long, List, StoreOptions)}, as one of several data centres. */
  static EmbeddedStore open(
      StoreIdentity identity, long epoch, List<PartitionFiles> files, StoreOptions options) {
    return open(identity, Set.of(), epoch, files, options);
  }

  /**
   * Like {@link #open(long, List, StoreOptions)}, as one of several data centres.
   *
   * @param others the numbers of the other data centres
   */
  static EmbeddedStore open(
      StoreIdentity identity,
      Set<Integer> others,
      long epoch,
      List<PartitionFiles> files,
      StoreOptions options) {
    return open(identity, others, epoch, options, files, new InMemoryHost(Optional.empty()));
  }

  private static EmbeddedStore open(
      StoreIdentity identity,
      Set<Integer> others,
      long epoch,
      StoreOptions options,
      List<PartitionFiles> files,
      StoreHost host) {
    List<Directory> checkpoints = files.stream().map(PartitionFiles::checkpoints).toList();
    HybridClock clock = PartitionSettings.clock(options);
    Partitions partitions =
        Partitions.open(identity, others, epoch, clock, options, files, host.synced());
    return StoreContext.begin(
        partitions,
        options,
        () -> {
          Lineage lineage = host.complete(clock.issued());
          return new StoreContext(
              identity,
              epoch,
              lineage,
              checkpoints,
              host.replicate(partitions, checkpoints, lineage),
              host::group,
              host::release);
        });
  }
}
