package io.github.stablecut.internal.recovery;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * The <em>epochs</em> of a store's partitions: the number of their openings. Each partition's
 * directory has a file {@value #PARTITION} with its store, its number and its epoch. The store's
 * directory has a file {@value #OPENED} with the epoch of all partitions at the last opening. This
 * detects a partition of another store, and one older than the others.
 *
 * <pre>
 *   stablecut partition        stablecut opened
 *   store=9f86d081884c7d65     epoch=7
 *   number=0                   openings=0653a7c1d2e00000:3b1f09c2aa417de5
 *   epoch=7                    crc32c=07c1a3b2
 *   crc32c=1c2f9a07
 * </pre>
 *
 * <p>The line {@code openings} holds the store's {@link Lineage}; files of older versions and of
 * cluster nodes lack it.
 *
 * <p>Before a store serves, its partitions get the next epoch durably, and then the store does.
 */
final class Epochs {
  static final String PARTITION = "PARTITION";
  static final String OPENED = "OPENED";
  private static final String OPENINGS = "openings";

  /** The store's directory; empty if the epoch of the store is irrelevant. */
  private final Optional<Path> directory;

  private final StoreIdentity identity;
  private final Collection<Integer> numbers;
  private final IntFunction<Path> partitions;

  /**
   * @param numbers the numbers of the partitions that belong here
   * @param partitions the directories of the partitions by number
   */
  Epochs(
      Path directory,
      StoreIdentity identity,
      Collection<Integer> numbers,
      IntFunction<Path> partitions) {
    this(Optional.of(directory), identity, numbers, partitions);
  }

  private Epochs(
      Optional<Path> directory,
      StoreIdentity identity,
      Collection<Integer> numbers,
      IntFunction<Path> partitions) {
    this.directory = directory;
    this.identity = identity;
    this.numbers = numbers;
    this.partitions = partitions;
  }

  /** The epochs of partitions, independent of the store's. */
  static Epochs ofPartitions(
      StoreIdentity identity, Collection<Integer> numbers, IntFunction<Path> partitions) {
    return new Epochs(Optional.empty(), identity, numbers, partitions);
  }

  /** Records that a new partition was never opened. */
  static void create(Path partition, StoreIdentity identity, int number) throws IOException {
    write(partition, identity, number, 0);
  }

  /**
   * Checks all partitions. Changes nothing.
   *
   * @return the highest epoch
   * @throws CorruptStoreException if a partition is missing, belongs to another store, or is older
   *     than the others
   */
  @CanIgnoreReturnValue
  long check() throws IOException {
    long opened = readOpened();
    long newest = opened;
    for (int number : numbers) {
      newest = Math.max(newest, readPartition(number, opened));
    }
    return newest;
  }

  /**
   * Raises the epoch of all partitions.
   *
   * @return their new epoch, at least 1
   */
  long raise() throws IOException {
    long newest = check();
    for (int number : numbers) {
      write(partitions.apply(number), identity, number, newest + 1);
    }
    return newest + 1;
  }

  /** Records that all partitions were opened. */
  void complete(long epoch) throws IOException {
    complete(epoch, "");
  }

  /** Like {@link #complete(long)}, with the store's openings. */
  void complete(long epoch, Lineage lineage) throws IOException {
    complete(epoch, "%s=%s\n".formatted(OPENINGS, lineage.toText()));
  }

  private void complete(long epoch, String openings) throws IOException {
    PrivateFiles.replace(
        directory.orElseThrow(),
        OPENED,
        CheckedText.seal("stablecut opened\nepoch=%d\n%s".formatted(epoch, openings)));
  }

  /** The openings of the store before this one. */
  Lineage lineage() throws IOException {
    Path file = directory.orElseThrow().resolve(OPENED);
    return Files.exists(file)
        ? Lineage.parse(fields(file).getOrDefault(OPENINGS, ""), file)
        : Lineage.UNKNOWN;
  }

  private long readOpened() throws IOException {
    return directory.isEmpty() ? 0 : opened(directory.get());
  }

  /** The epoch of all partitions in a directory at its last opening; 0 before the first. */
  static long opened(Path directory) throws IOException {
    Path file = directory.resolve(OPENED);
    return Files.exists(file) ? number(fields(file), "epoch", file) : 0;
  }

  private long readPartition(int number, long opened) throws IOException {
    Path partition = partitions.apply(number);
    Path file = partition.resolve(PARTITION);
    if (!Files.exists(file)) {
      throw new CorruptStoreException(
          "partition %d of %d is missing: there is no file %s; restore it, or the whole store from a backup"
              .formatted(number, identity.partitions(), file));
    }
    Map<String, String> fields = fields(file);
    String store = fields.getOrDefault("store", "");
    if (!store.equals(HexFormat.of().toHexDigits(identity.id()))) {
      throw new CorruptStoreException(
          "%s is a partition of store %s, this is store %016x: restore its own partition there"
              .formatted(partition, store, identity.id()));
    }
    if (number(fields, "number", file) != number) {
      throw new CorruptStoreException(
          "%s is partition %s of the store: restore partition %d there"
              .formatted(partition, fields.get("number"), number));
    }
    long epoch = number(fields, "epoch", file);
    if (epoch < opened) {
      throw new CorruptStoreException(
          "partition %d is older than the others: it was opened %d times, the store %d times; restore the newer one, or the whole store from a backup"
              .formatted(number, epoch, opened));
    }
    return epoch;
  }

  private static Map<String, String> fields(Path file) throws IOException {
    String text = CheckedText.read(file);
    CheckedText.checkWhole(text, file);
    return CheckedText.fields(text);
  }

  private static long number(Map<String, String> fields, String name, Path file) {
    try {
      return Long.parseLong(fields.getOrDefault(name, ""));
    } catch (NumberFormatException e) {
      throw new CorruptStoreException(file + " is malformed: restore it from a backup", e);
    }
  }

  /** Durably sets the epoch of a partition. */
  static void write(Path partition, StoreIdentity identity, int number, long epoch)
      throws IOException {
    PrivateFiles.replace(
        partition,
        PARTITION,
        CheckedText.seal(
            "stablecut partition\nstore=%016x\nnumber=%d\nepoch=%d\n"
                .formatted(identity.id(), number, epoch)));
  }
}
