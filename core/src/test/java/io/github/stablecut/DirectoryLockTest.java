package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.checkpoint.CheckpointDroppedException;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One process at a time owns a directory, and a process that has lost it acknowledges nothing. */
final class DirectoryLockTest {
  private static final CounterKey COUNTER = Key.counter("b", "k");

  @TempDir private Path temporary;

  private Path data() {
    return temporary.resolve("data");
  }

  private static void increment(Store store) {
    store.update(COUNTER.increment());
  }

  /** Opens a store, increments a counter, makes a checkpoint, and reports the value found. */
  static final class SecondProcess {
    private SecondProcess() {}

    public static void main(String[] args) {
      try (Store store = Stablecut.open(Path.of(args[0]))) {
        System.out.println("found " + store.read(COUNTER));
        increment(store);
        store.checkpoint();
      } catch (StoreInUseException e) {
        System.out.println("refused: " + e.getMessage());
      }
    }
  }

  private static String second(Path path) throws Exception {
    Process child = ChildJvm.start(SecondProcess.class, path.toString());
    List<String> lines = ChildJvm.lines(child, 1);
    assertThat(child.waitFor()).isZero();
    return lines.get(0);
  }

  @Test
  void readingAllFilesOfTheDirectoryDoesNotReleaseTheLock() throws Exception {
    try (Store store = Stablecut.open(data())) {
      increment(store);
      Files.copy(data().resolve("LOCK"), temporary.resolve("copy"));

      assertThat(second(data()))
          .contains("refused", "another process, pid " + ProcessHandle.current().pid());
    }
  }

  @Test
  void refusesASecondOpeningByAnyPathWithoutReleasingTheLock() throws Exception {
    try (Store store = Stablecut.open(data())) {
      increment(store);
      List<Path> others = new ArrayList<>();
      others.add(Files.createSymbolicLink(temporary.resolve("symbolic"), data()));
      Path linked = Files.createDirectories(temporary.resolve("linked"));
      others.add(linked);
      for (String name : List.of("LOCK", "STABLECUT")) {
        Files.createLink(linked.resolve(name), data().resolve(name));
      }

      for (Path other : others) {
        assertThatThrownBy(() -> Stablecut.open(other))
            .isInstanceOf(StoreInUseException.class)
            .hasMessageContaining("this process, pid " + ProcessHandle.current().pid());
      }
      Path moved = Files.move(data(), temporary.resolve("moved"));
      assertThatThrownBy(() -> Stablecut.open(moved)).isInstanceOf(StoreInUseException.class);
      Files.move(moved, data());

      assertThat(second(data())).contains("refused");
      increment(store);
      assertThat(store.read(COUNTER)).isEqualTo(2);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  @Test
  void aCopyOfAnOpenDirectoryIsAnotherStore() throws Exception {
    try (Store store = Stablecut.open(data())) {
      increment(store);
      store.checkpoint();
      Path copy = temporary.resolve("copy");
      copy(data(), copy);

      try (Store other = Stablecut.open(copy)) {
        increment(other);
        assertThat(other.read(COUNTER)).isEqualTo(2);
      }
      increment(store);
      assertThat(store.read(COUNTER)).isEqualTo(2);
    }
  }

  @Test
  void aStoreThatLostItsDirectoryAcknowledgesNothingAndLeavesTheFilesAlone() throws Exception {
    try (Store store = Stablecut.open(data())) {
      increment(store);
      store.checkpoint();
      increment(store);
      Files.delete(data().resolve("LOCK"));

      assertThat(second(data())).isEqualTo("found 2");
      assertThatThrownBy(store::checkpoint)
          .isInstanceOf(CheckpointDroppedException.class)
          .hasMessageContaining("another process, pid ");
      assertThatThrownBy(() -> increment(store))
          .isInstanceOf(ReopenException.class)
          .hasMessageContainingAll("another process, pid ", "has opened the directory");
    }

    try (Store store = Stablecut.open(data())) {
      assertThat(store.read(COUNTER)).isEqualTo(3);
    }
  }

  @Test
  void reportsADeletedDirectory() throws IOException {
    Store store = Stablecut.open(data());
    increment(store);
    Path moved = Files.move(data(), temporary.resolve("moved"));

    assertThatThrownBy(() -> increment(store))
        .isInstanceOf(ReopenException.class)
        .hasMessageContaining("moved, renamed or deleted");

    store.close();
    try (Store reopened = Stablecut.open(moved)) {
      // The second increment was written but not acknowledged.
      assertThat(reopened.read(COUNTER)).isBetween(1L, 2L);
    }
  }

  @Test
  void anotherTimestampOfTheLockFileDoesNotMatter() throws IOException {
    try (Store store = Stablecut.open(data())) {
      Files.setLastModifiedTime(data().resolve("LOCK"), FileTime.fromMillis(1000));

      increment(store);

      assertThat(store.read(COUNTER)).isEqualTo(1);
    }
  }
}
