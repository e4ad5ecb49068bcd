package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many threads write large updates at once, in a heap that can't hold the materialized results of
 * all.
 */
@Tag("long")
class LargeWritesTest {
  private static final int WRITERS = 64;
  private static final int ELEMENTS = 10_000;
  private static final int ROUNDS = 2;

  @TempDir private Path directory;

  /** Adds the same elements to a set with many threads, and prints how many calls have returned. */
  static final class Writers {
    private Writers() {}

    public static void main(String[] args) throws InterruptedException {
      AddWinsSetKey<Long> set = Key.addWinsSet("b", "set", Codec.int64());
      // All threads share the elements: the test measures what the store derives from them.
      Update update = set.addAll(LongStream.range(0, ELEMENTS).boxed().toList());
      AtomicInteger done = new AtomicInteger();
      try (Store store = Stablecut.open(Path.of(args[0]))) {
        List<Thread> threads = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; writer++) {
          Thread thread = new Thread(() -> write(store, update, done));
          thread.start();
          threads.add(thread);
        }
        for (Thread thread : threads) {
          thread.join();
        }
      }
      System.out.println(done.get());
    }

    private static void write(Store store, Update update, AtomicInteger done) {
      for (int round = 0; round < ROUNDS; round++) {
        store.update(update);
        done.incrementAndGet();
      }
    }
  }

  @Test
  void writesWaitForEachOtherInsteadOfFillingTheHeap() throws Exception {
    List<String> flags = new ArrayList<>(JvmFlags.all());
    flags.addAll(List.of("-Xmx64m", "-XX:+ExitOnOutOfMemoryError", "-XX:TieredStopAtLevel=1"));

    Process child =
        ChildJvm.builder(flags, Writers.class, directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();

    assertThat(ChildJvm.lines(child, Integer.MAX_VALUE))
        .last()
        .isEqualTo(Integer.toString(ROUNDS * WRITERS));
    assertThat(child.waitFor()).isZero();
  }
}
