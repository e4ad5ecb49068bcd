package io.github.stablecut.junit;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.internal.recovery.SyncedFile;
import io.github.stablecut.internal.transaction.StoreOpening;
import io.github.stablecut.internal.transaction.routing.PartitionFiles;
import io.github.stablecut.journal.testing.LossySegments;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The storage of a test's store. Confined to the test's thread. */
sealed interface TestDisk {
  /** Opens the store. */
  Store open(StoreOptions options);

  /** Deletes the data; the store must be closed. */
  void delete();

  /** A temporary directory. */
  record InDirectory(Path path) implements TestDisk {
    static InDirectory create() {
      try {
        return new InDirectory(Files.createTempDirectory("stablecut-test-"));
      } catch (IOException e) {
        throw new UncheckedIOException("no temporary directory for a store", e);
      }
    }

    @Override
    public Store open(StoreOptions options) {
      return Stablecut.open(path.resolve("store"), options);
    }

    @Override
    public void delete() {
      try (Stream<Path> files = Files.walk(path)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      } catch (IOException e) {
        throw new UncheckedIOException("can't delete " + path, e);
      }
    }
  }

  /** Memory that loses on request what a real disk would lose. */
  final class Lossy implements TestDisk {
    /** The probability that an unsynced change has reached the disk. */
    private static final double SURVIVORS = 0.5;

    private record PartitionDisk(LossySegments journal, LossyDirectory checkpoints) {
      static PartitionDisk empty() {
        return new PartitionDisk(new LossySegments(), new LossyDirectory());
      }

      void switchOff() {
        journal.switchOff();
        checkpoints.cutAfter(0);
      }

      PartitionDisk afterPowerCut(SplittableRandom random) {
        return new PartitionDisk(
            journal.afterPowerCut((segment, page) -> random.nextDouble() < SURVIVORS),
            checkpoints.afterPowerCut(item -> random.nextDouble() < SURVIVORS));
      }
    }

    private List<PartitionDisk> partitions = List.of();

    /** The files of the store outside its partitions. */
    private LossyDirectory files = new LossyDirectory();

    private int openings;
    private int cuts;

    @Override
    public Store open(StoreOptions options) {
      if (partitions.isEmpty()) {
        partitions =
            IntStream.range(0, Math.max(1, options.partitions()))
                .mapToObj(number -> PartitionDisk.empty())
                .toList();
      }
      return StoreOpening.openOn(
          ++openings,
          partitions.stream()
              .map(partition -> new PartitionFiles(partition.journal, partition.checkpoints))
              .toList(),
          SyncedFile.in(files, "after cut " + cuts),
          options);
    }

    /** Fails all further writes. */
    void switchOff() {
      partitions.forEach(PartitionDisk::switchOff);
      files.cutAfter(0);
    }

    /** Restores the surviving data after {@link #switchOff}. */
    void switchOn(SplittableRandom random) {
      cuts++;
      partitions = partitions.stream().map(disk -> disk.afterPowerCut(random)).toList();
      files = files.afterPowerCut(item -> random.nextDouble() < SURVIVORS);
    }

    @Override
    public void delete() {
      partitions = List.of();
      files = new LossyDirectory();
    }
  }
}
