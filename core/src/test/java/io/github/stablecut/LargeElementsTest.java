package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.tools.ToolProgress;
import io.github.stablecut.tools.Verification;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sets and counter maps with large elements and names: checkpoints write the changed ones, and a
 * JVM may be killed at any time.
 */
class LargeElementsTest {
  private static final int ELEMENTS = 40;
  private static final int ELEMENT_BYTES = 100_000;
  private static final int KILLS = 2;
  private static final int PER_KILL = 8;

  private static final AddWinsSetKey<Bytes> SET = Key.addWinsSet("b", "set", Codec.bytes());
  private static final CounterMapKey<Bytes> COUNTS = Key.counterMap("b", "counts", Codec.bytes());

  @TempDir private Path directory;

  private static Store open(Path data) {
    return Stablecut.open(
        data,
        StoreOptions.defaults()
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO)));
  }

  private static Bytes element(int i) {
    byte[] bytes = new byte[ELEMENT_BYTES];
    new Random(i).nextBytes(bytes);
    return Bytes.wrap(bytes);
  }

  private static List<Path> runs(Path data) {
    try (Stream<Path> files = Files.list(data.resolve("p0/checkpoint"))) {
      return files.filter(run -> run.getFileName().toString().startsWith("run")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aCheckpointWritesTheChangedLargeElements() {
    try (Store store = open(directory)) {
      for (int i = 0; i < ELEMENTS; i++) {
        store.update(SET.add(element(i)), COUNTS.increment(element(i)));
      }
      store.checkpoint();
      List<Long> written = new ArrayList<>();
      for (int round = 1; round <= 4; round++) {
        store.update(SET.add(element(1_000 + round)), COUNTS.increment(element(round)));
        List<Path> before = runs(directory);
        store.checkpoint();
        List<Path> made = new ArrayList<>(runs(directory));
        made.removeAll(before);
        made.forEach(run -> written.add(size(run)));
      }
      // Merges may have happened meanwhile.
      assertThat(Collections.min(written)).isBetween(2L * ELEMENT_BYTES, 6L * ELEMENT_BYTES);
      assertThat(store.read(SET.size())).isEqualTo(ELEMENTS + 4);
      assertThat(store.read(COUNTS.get(element(2)))).isEqualTo(2);
      assertThat(store.read(SET.contains(element(1_003)))).isTrue();
    }
  }

  @Test
  void acknowledgedDataSurvivesKills() throws Exception {
    int acknowledged = 0;
    for (int kill = 1; kill <= KILLS; kill++) {
      Process child = ChildJvm.start(AddingProcess.class, directory.toString());
      List<String> lines = ChildJvm.lines(child, PER_KILL);
      child.toHandle().destroyForcibly();
      lines.addAll(ChildJvm.lines(child, Integer.MAX_VALUE));
      assertThat(child.waitFor()).as("killed, not ended").isEqualTo(128 + 9);
      acknowledged = Integer.parseInt(lines.get(lines.size() - 1));
    }
    assertThat(acknowledged).isGreaterThanOrEqualTo(PER_KILL * KILLS);
    try (Store store = open(directory)) {
      int there = store.read(SET.size());
      assertThat(there).isBetween(acknowledged, acknowledged + 2);
      NavigableSet<Bytes> expected = new TreeSet<>();
      for (int i = 0; i < there; i++) {
        expected.add(element(i));
      }
      assertThat(store.read(SET)).isEqualTo(expected);
      assertThat(store.read(COUNTS).keySet()).isEqualTo(expected);
      store.checkpoint();
    }
    assertThat(Verification.run(directory, Verification.Depth.FULL, ToolProgress.NONE).damages())
        .isEmpty();
  }

  /**
   * Adds one element after the other and reports their number; each is followed by a checkpoint.
   */
  static final class AddingProcess {
    private AddingProcess() {}

    public static void main(String[] args) {
      try (Store store = open(Path.of(args[0]))) {
        for (int i = store.read(SET.size()); ; i++) {
          store.update(SET.add(element(i)), COUNTS.increment(element(i)));
          System.out.println(i + 1);
          store.checkpoint();
        }
      }
    }
  }
}
