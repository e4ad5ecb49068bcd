package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One partition can't read an object: the others continue, and none of their transactions stays
 * prepared.
 */
final class UnreadableObjectTest {
  private static final int PARTITIONS = 3;
  private static final int BROKEN = 2;
  private static final List<CounterKey> KEYS =
      IntStream.range(100, 160).mapToObj(i -> Key.counter("b", "key" + i)).toList();

  @TempDir private Path directory;

  /** A continuation could miss objects that the failed step had already read. */
  @Test
  void aScanFailsAtItAndCannotContinue() throws IOException {
    try (Store store = open()) {
      store.update(KEYS.stream().map(CounterKey::increment).toArray(Update[]::new));
      store.checkpoint();
    }
    String text = textOf(run(BROKEN));
    Matcher name = Pattern.compile("key1[0-9][0-9]").matcher(text);
    String last = name.results().map(MatchResult::group).reduce("", (one, next) -> next);
    damage(run(BROKEN), last);

    try (Store store = open();
        Scan scan = store.snapshot().scan("b")) {
      assertThatThrownBy(() -> scan.forEachRemaining(object -> {}))
          .isInstanceOf(CorruptCheckpointException.class);
      assertThatThrownBy(scan::hasNext)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("begin another")
          .hasCauseInstanceOf(CorruptCheckpointException.class);
    }
  }

  private Store open() {
    return Stablecut.open(
        directory.resolve("data"),
        StoreOptions.defaults()
            .withPartitions(PARTITIONS)
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO)));
  }

  private Path run(int partition) throws IOException {
    Path checkpoint = directory.resolve("data/p" + partition + "/checkpoint");
    try (Stream<Path> files = Files.list(checkpoint)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("run"))
          .collect(Collectors.toList())
          .get(0);
    }
  }

  /** The first key of a partition, as encoded in its checkpoint. */
  private CounterKey keyOf(int partition) throws IOException {
    Matcher name = Pattern.compile("key1[0-9][0-9]").matcher(textOf(run(partition)));
    assertThat(name.find()).isTrue();
    return Key.counter("b", name.group());
  }

  private static String textOf(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
  }

  private static void damage(Path file, String at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[textOf(file).indexOf(at)] ^= 1;
    Files.write(file, bytes);
  }

  @Test
  void refusesATransactionThatNeedsItAndTheOtherPartitionsContinue() throws IOException {
    try (Store store = open()) {
      store.update(KEYS.stream().map(CounterKey::increment).toArray(Update[]::new));
      store.checkpoint();
    }
    CounterKey unreadable = keyOf(BROKEN);
    damage(run(BROKEN), unreadable.toString().replaceAll(".*(key1[0-9][0-9]).*", "$1"));
    CounterKey first = keyOf(0);
    CounterKey second = keyOf(1);

    try (Store store = open()) {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(
                () -> store.update(first.increment(), second.increment(), unreadable.increment()))
            .isInstanceOf(CorruptCheckpointException.class);
        assertThat(store.readLatest(second)).isEqualTo(1 + i);
        store.update(first.increment(), second.increment());
      }
      assertThat(store.read(first)).isEqualTo(4);
      assertThat(store.status().health().failures()).isEmpty();
    }
  }
}
