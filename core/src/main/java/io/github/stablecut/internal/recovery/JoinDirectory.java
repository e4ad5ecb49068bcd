package io.github.stablecut.internal.recovery;

import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.file.FileTrees;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.journal.ClosedJournal;
import io.github.stablecut.journal.JournalReadListener;
import io.github.stablecut.journal.segment.CorruptJournalException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Prepares the directory of a store that joins as a new data centre. A store that is alone in its
 * group and was never written to counts as no store.
 */
public final class JoinDirectory {
  /** The temporary directory of the initial data. */
  private static final String FETCHED = "joining.tmp";

  /** The files that an interrupted join may leave. */
  private static final String LEFTOVERS =
      "LOCK|OPERATORS|SESSIONS(\\.new)?|DATACENTRES(\\.new)?|STABLECUT\\.(restore|new)|OPENED|(MEMBERS|NODE)\\.new|MEMBERS|p[0-9]+(\\.gone(\\.new)?|\\.incoming)?|"
          + StoreDirectory.TEMPORARIES;

  private JoinDirectory() {}

  /**
   * Prepares a directory for a new data centre: deletes a store that was never written to, and the
   * remains of an interrupted join.
   *
   * @return an empty directory for the initial data; empty if the store is a data centre already
   * @throws ReplicationRefusedException if there is a store with data
   * @throws NotAStoreException if there are other files
   */
  public static Optional<Path> prepare(Path directory) {
    try {
      PrivateFiles.createDirectories(directory);
      // A process that has it open could write to it.
      try (DirectoryLock lock = DirectoryLock.acquire(directory)) {
        lock.check();
        boolean isStore = Files.exists(directory.resolve(StoreDirectory.IDENTITY));
        if (isStore) {
          Optional<Membership> group = Membership.in(directory);
          if (group.isPresent() && (!group.get().isAlone() || !isUnused(directory))) {
            return Optional.empty();
          }
          checkUnused(directory, isUnused(directory));
          // From here on its content is void.
          Files.move(
              directory.resolve(StoreDirectory.IDENTITY),
              directory.resolve(StoreDirectory.UNFINISHED));
        }
        clear(directory);
        Path fetched = directory.resolve(FETCHED);
        PrivateFiles.createDirectory(fetched);
        return Optional.of(fetched);
      }
    } catch (IOException e) {
      throw StoreDirectory.failed(directory, "made", e);
    }
  }

  /**
   * Like {@link #prepare}, for the first node of a cluster.
   *
   * @return empty if there is a node already
   */
  public static Optional<Path> prepareNode(Path directory) {
    return Files.exists(directory.resolve(NodeDirectory.NODE))
        ? Optional.empty()
        : prepare(directory);
  }

  /**
   * Creates a directory, within that of a running node, for the initial data of its cluster as a
   * new data centre.
   */
  public static Path besideNode(Path directory) {
    Path fetched = directory.resolve(FETCHED);
    try {
      FileTrees.delete(fetched);
      PrivateFiles.createDirectory(fetched);
    } catch (IOException e) {
      throw StoreDirectory.failed(directory, "made", e);
    }
    return fetched;
  }

  /**
   * Empties the directory of a stopped node, except for {@link #besideNode}, so that the node
   * starts as a new one. An interruption leaves a directory without a node.
   *
   * @param partitions the number that it must have: all or none of its cluster's
   * @throws ReplicationRefusedException if it has another number, or one of them has data; nothing
   *     was changed
   */
  public static void emptyNode(Path directory, int partitions) {
    try (DirectoryLock lock = DirectoryLock.acquire(directory)) {
      lock.check();
      List<Integer> numbers = NodeDirectory.numbers(directory);
      if (numbers.size() != partitions) {
        throw new ReplicationRefusedException(
            "the node in %s has the partitions %s, but must have %d of them: one was moved meanwhile; retry"
                .formatted(directory, numbers, partitions));
      }
      for (int partition : numbers) {
        checkUnused(directory, isUnused(directory, partition));
      }
      Files.deleteIfExists(directory.resolve(NodeDirectory.NODE));
      PrivateFiles.forceDirectory(directory);
      clear(directory, Set.of(DirectoryLock.FILE, FETCHED));
    } catch (IOException e) {
      throw StoreDirectory.failed(directory, "emptied", e);
    }
  }

  private static void clear(Path directory) throws IOException {
    clear(directory, Set.of(DirectoryLock.FILE));
  }

  private static void clear(Path directory, Set<String> kept) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Iterator<Path> all = files.iterator(); all.hasNext(); ) {
        String name = all.next().getFileName().toString();
        if (!name.matches(LEFTOVERS)) {
          throw new NotAStoreException(
              "%s contains %s: a new data centre needs an empty or missing directory"
                  .formatted(directory, name));
        }
      }
    }
    try (Stream<Path> files = Files.list(directory)) {
      for (Iterator<Path> all = files.iterator(); all.hasNext(); ) {
        Path file = all.next();
        if (!kept.contains(file.getFileName().toString())) {
          FileTrees.delete(file);
        }
      }
    }
  }

  private static void checkUnused(Path directory, boolean isUnused) {
    if (!isUnused) {
      throw new ReplicationRefusedException(
          "the store in %s has data of its own, and joining would lose it: export it, join with an empty directory, and import it there"
              .formatted(directory));
    }
  }

  private static boolean isUnused(Path directory) throws IOException {
    Path file = directory.resolve(StoreDirectory.IDENTITY);
    StoreIdentity identity = StoreIdentity.parse(CheckedText.read(file), file.toString());
    for (int partition = 0; partition < identity.partitions(); partition++) {
      if (!isUnused(directory, partition)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isUnused(Path directory, int partition) throws IOException {
    return !hasRuns(StoreDirectory.checkpointsOf(directory, partition))
        && !hasCommits(StoreDirectory.journalOf(directory, partition));
  }

  private static boolean hasRuns(Path checkpoints) throws IOException {
    try (Stream<Path> files = Files.list(checkpoints)) {
      return files.anyMatch(file -> file.getFileName().toString().startsWith("run-"));
    }
  }

  private static boolean hasCommits(Path journal) throws IOException {
    boolean[] found = {false};
    ClosedJournal.in(journal)
        .read(
            stored ->
                found[0] |=
                    stored.kind() == RecordKind.TRANSACTION || stored.kind() == RecordKind.PREPARED,
            new StrictListener());
    return found[0];
  }

  /** Fails at damage, because the damaged bytes may have been data. */
  private static final class StrictListener implements JournalReadListener {
    @Override
    public void damaged(CorruptJournalException damage) {
      throw damage;
    }

    @Override
    public void torn(String message, boolean mayBeDamage) {
      // It was never acknowledged.
    }
  }

  /** Deletes the initial data of the new data centre. */
  public static void finish(Path fetched) {
    try {
      FileTrees.delete(fetched);
    } catch (IOException e) {
      throw StoreDirectory.failed(fetched, "deleted", e);
    }
  }
}
