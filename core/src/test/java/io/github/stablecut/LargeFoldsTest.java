package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many threads fold large changes of one object, each at its own snapshot. */
class LargeFoldsTest {
  private static final int WRITERS = 64;
  private static final int SIZE = 60_000;
  private static final int ELEMENTS = 1_000;
  private static final int ROUNDS = 3;

  @TempDir private Path directory;

  /** Writes to a set with many threads and prints its final size. */
  static final class Writers {
    private Writers() {}

    public static void main(String[] args) throws InterruptedException {
      AddWinsSetKey<Long> set = Key.addWinsSet("b", "set", Codec.int64());
      try (Store store = Stablecut.open(Path.of(args[0]), StoreOptions.defaults())) {
        store.update(set.addAll(LongStream.range(0, SIZE).boxed().toList()));
        List<Thread> threads = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; writer++) {
          Random random = new Random(writer);
          Thread thread = new Thread(() -> write(store, set, random));
          thread.start();
          threads.add(thread);
        }
        for (Thread thread : threads) {
          thread.join();
        }
        System.out.println(store.read(set.size()));
      }
    }

    private static void write(Store store, AddWinsSetKey<Long> set, Random random) {
      for (int round = 0; round < ROUNDS; round++) {
        store.update(set.addAll(random.longs(ELEMENTS, 0, SIZE).boxed().toList()));
      }
    }
  }

  @Test
  void foldsWaitForEachOtherInsteadOfFillingTheHeap() throws Exception {
    List<String> flags = new ArrayList<>(JvmFlags.all());
    flags.addAll(List.of("-Xmx80m", "-XX:+ExitOnOutOfMemoryError", "-XX:TieredStopAtLevel=1"));

    Process child =
        ChildJvm.builder(flags, Writers.class, directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();

    assertThat(ChildJvm.lines(child, Integer.MAX_VALUE)).last().isEqualTo(Integer.toString(SIZE));
    assertThat(child.waitFor()).isZero();
  }
}
