package io.github.stablecut.internal.recovery;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.internal.recovery.PartitionClaim.Kind;
import io.github.stablecut.journal.GroupListener;
import io.github.stablecut.journal.Journal;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JournalOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files in a node's directory that record moves of partitions. Thread-safe: changes to one
 * partition's files exclude each other, because the late deletion of a partition that was given
 * away may coincide with its return. A copy itself is confined to one thread at a time.
 *
 * <pre>
 *   p5/               partition 5, which the node owns, unless p5.gone is newer
 *   p5.gone           partition 5 was given away ({@link MoveMark}): the commit point of a move;
 *                     or was recreated elsewhere, and this node has none of it
 *   p5.incoming/      a copy of partition 5, which another node owns: never opened
 *   p5.incoming/MOVE  the copy is complete and durable
 *   p5.old/           what is being deleted
 * </pre>
 *
 * <p>A move, step by step, from the old owner A to the new one B:
 *
 * <pre>
 *   1  B copies files into p5.incoming                 A owns: what B has is garbage
 *   2  A closes the partition; B copies the rest
 *   3  B forces all, writes MOVE                       A owns; B asks, and does not know by itself
 *   4  A writes p5.gone with the next epoch            the commit point: B owns
 *   5  B writes that epoch, or its own if it is greater, into PARTITION,
 *      and renames p5.incoming to p5
 *   6  A deletes p5
 * </pre>
 *
 * <p>If A crashes before step 4, it reopens the partition, and answers that it has kept it; after
 * step 4 it never opens it. If B crashes before step 3, it has garbage; after step 3 it asks A
 * until A answers.
 *
 * <p>Invariant: of two directories of a partition, at most the one with the higher epoch in
 * PARTITION may be opened. None may be opened whose node has a {@code .gone} with a higher epoch.
 * The epoch is the fencing token.
 */
public final class MovedPartitions {
  static final String GONE = ".gone";
  static final String INCOMING = ".incoming";
  static final String MOVE = "MOVE";
  static final String OLD = ".old";
  private static final Pattern ANY_OLD = Pattern.compile("p[0-9]{1,6}\\" + OLD);
  private static final Pattern ANY_INCOMING = Pattern.compile("p([0-9]{1,6})\\" + INCOMING);

  private final Path directory;
  private final StoreIdentity identity;
  private final Locks locks;

  /** A lock per partition, shared by all code that changes the same directory. */
  static final class Locks {
    private final Map<Integer, Object> all = new ConcurrentHashMap<>();

    private Object of(int number) {
      return all.computeIfAbsent(number, partition -> new Object());
    }
  }

  MovedPartitions(Path directory, StoreIdentity identity, Locks locks) {
    this.directory = directory;
    this.identity = identity;
    this.locks = locks;
  }

  /** The move by which this node gave a partition away; empty if it never did, or has it back. */
  public Optional<MoveMark> findMark(int number) throws IOException {
    synchronized (locks.of(number)) {
      Path file = directory.resolve("p" + number + GONE);
      String text;
      try {
        text = CheckedText.read(file);
      } catch (NoSuchFileException e) {
        return Optional.empty();
      }
      MoveMark mark = MoveMark.parse(text, file.toString());
      boolean isBack = isThere(number) && epoch(number) >= mark.epoch();
      return isBack ? Optional.empty() : Optional.of(mark);
    }
  }

  private boolean isThere(int number) {
    return Files.exists(StoreDirectory.partitionOf(directory, number));
  }

  /** The epoch of a partition in this directory. */
  long epoch(int number) throws IOException {
    return epochs(number).check();
  }

  private Epochs epochs(int number) {
    return Epochs.ofPartitions(
        identity, List.of(number), any -> StoreDirectory.partitionOf(directory, any));
  }

  /**
   * The directory's claims on the partitions that it has, had, or may have received.
   *
   * @param partitions the number of partitions of the store
   */
  Collection<PartitionClaim> claims(int partitions) throws IOException {
    Map<Integer, PartitionClaim> claims = new TreeMap<>();
    for (int number = 0; number < partitions; number++) {
      Optional<MoveMark> mark = findMark(number);
      if (mark.isPresent()) {
        claims.put(number, new PartitionClaim(number, Kind.GAVE, mark.get().epoch()));
      } else if (isThere(number)) {
        claims.put(number, new PartitionClaim(number, Kind.HAS, epoch(number)));
      }
    }
    for (MoveMark mark : undecided()) {
      claims.put(mark.number(), new PartitionClaim(mark.number(), Kind.COPIED, 0));
    }
    return claims.values();
  }

  /**
   * Durably gives a partition away: from now on this node doesn't open it.
   *
   * @param to the new owner, with an epoch above the partition's
   */
  public void give(MoveMark to) throws IOException {
    synchronized (locks.of(to.number())) {
      PrivateFiles.replace(directory, "p" + to.number() + GONE, to.toText());
    }
  }

  /**
   * Durably records the owner of a partition that is not here, unless something newer is known.
   *
   * @return whether it was recorded
   */
  public boolean remember(MoveMark known) throws IOException {
    synchronized (locks.of(known.number())) {
      Optional<MoveMark> before = findMark(known.number());
      boolean isHere = isThere(known.number()) && before.isEmpty();
      boolean isKnown = before.filter(mark -> mark.epoch() >= known.epoch()).isPresent();
      if (isHere || isKnown) {
        return false;
      }
      give(known);
      return true;
    }
  }

  /** Durably raises the epoch of a partition that stays. */
  public long raise(int number) throws IOException {
    synchronized (locks.of(number)) {
      return epochs(number).raise();
    }
  }

  /** Deletes a partition that was given away. */
  public void delete(int number) throws IOException {
    synchronized (locks.of(number)) {
      if (isThere(number) && findMark(number).isPresent()) {
        Path old = directory.resolve("p" + number + OLD);
        FileTrees.delete(old);
        Files.move(StoreDirectory.partitionOf(directory, number), old, ATOMIC_MOVE);
        PrivateFiles.forceDirectory(directory);
        FileTrees.delete(old);
      }
    }
  }

  /** Deletes the remains of finished moves after a crash. */
  void clean(List<Integer> numbers) throws IOException {
    for (Path old : matching(ANY_OLD)) {
      FileTrees.delete(old);
    }
    for (int number : numbers) {
      delete(number);
    }
    for (Path copy : matching(ANY_INCOMING)) {
      if (!Files.exists(copy.resolve(MOVE))) {
        FileTrees.delete(copy);
      }
    }
  }

  private List<Path> matching(Pattern names) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> names.matcher(file.getFileName().toString()).matches()).toList();
    }
  }

  /** The complete copies whose ownership is not yet known here. */
  public List<MoveMark> undecided() throws IOException {
    List<MoveMark> marks = new ArrayList<>();
    for (Path copy : matching(ANY_INCOMING)) {
      Matcher name = ANY_INCOMING.matcher(copy.getFileName().toString());
      Path file = copy.resolve(MOVE);
      if (name.matches() && Files.exists(file)) {
        marks.add(MoveMark.parse(CheckedText.read(file), file.toString()));
      }
    }
    return marks;
  }

  /**
   * Begins a copy, and deletes the remains of an earlier one.
   *
   * @throws CorruptStoreException if a partition that this node has not given away is in its place
   */
  @CanIgnoreReturnValue
  public IncomingPartition begin(int number) throws IOException {
    synchronized (locks.of(number)) {
      if (isThere(number) && findMark(number).isEmpty()) {
        throw new CorruptStoreException(
            "%s exists although another node owns partition %d of store %016x: %s; determine which one is right, and move the other one away"
                .formatted(
                    StoreDirectory.partitionOf(directory, number),
                    number,
                    identity.id(),
                    content(number)));
      }
      IncomingPartition copy = copy(number);
      copy.discard();
      copy.create();
      return copy;
    }
  }

  /** Describes the unexpected content of a directory. */
  private String content(int number) throws IOException {
    String file = Epochs.PARTITION;
    if (!Files.exists(StoreDirectory.partitionOf(directory, number).resolve(file))) {
      return "it has no file " + file;
    }
    try {
      return "it has that partition at epoch " + epoch(number);
    } catch (CorruptStoreException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /**
   * Durably creates an empty partition to replace a lost one: an empty copy, activated like any
   * other. The next start deletes the remains of a crash before that.
   *
   * @param epoch an epoch above all earlier ones of the partition
   * @return the partition's epoch here
   * @throws CorruptStoreException if a partition that this node has not given away is in its place
   */
  public long beginEmpty(int number, long epoch) throws IOException {
    synchronized (locks.of(number)) {
      begin(number);
      Path journal = StoreDirectory.journalIn(directory.resolve("p" + number + INCOMING));
      JournalOptions options = JournalOptions.named("journal of a recreated partition");
      Journal.open(
              JournalDirectory.open(journal, options), options, GroupListener.NOBODY, stored -> {})
          .close();
      return activate(number, epoch);
    }
  }

  private IncomingPartition copy(int number) {
    return new IncomingPartition(directory.resolve("p" + number + INCOMING));
  }

  /** Deletes a copy whose partition stays with its owner. */
  public void discard(int number) throws IOException {
    synchronized (locks.of(number)) {
      copy(number).discard();
    }
  }

  /**
   * Turns a copy into the partition, after its owner has given it away. Can be repeated after a
   * failure.
   *
   * @param assignedEpoch the epoch that the old owner assigned
   * @return the partition's epoch here: that epoch, or this node's if that is higher, as it may
   *     have been reopened
   */
  public long activate(int number, long assignedEpoch) throws IOException {
    synchronized (locks.of(number)) {
      long epoch = Math.max(assignedEpoch, opened());
      Path copy = directory.resolve("p" + number + INCOMING);
      Path partition = StoreDirectory.partitionOf(directory, number);
      if (!Files.exists(copy) && isThere(number) && epoch(number) >= assignedEpoch) {
        // Renamed already, perhaps not durably.
        epoch = epoch(number);
      } else {
        Epochs.write(copy, identity, number, epoch);
        // The mark of an earlier move to another node.
        delete(number);
        Files.move(copy, partition, ATOMIC_MOVE);
      }
      PrivateFiles.forceDirectory(directory);
      Files.deleteIfExists(directory.resolve("p" + number + GONE));
      Files.deleteIfExists(partition.resolve(MOVE));
      PrivateFiles.forceDirectory(directory);
      return epoch;
    }
  }

  /** The number of openings of the node. */
  private long opened() throws IOException {
    return new Epochs(
            directory, identity, List.of(), number -> StoreDirectory.partitionOf(directory, number))
        .check();
  }
}
