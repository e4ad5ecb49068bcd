package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.WatchOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Watches that read the same large changes from the journal concurrently, in a small heap. */
class CatchingUpWatchesTest {
  private static final int WATCHES = 16;
  private static final int CHANGES = 6;
  private static final int VALUE_BYTES = 7 << 20;
  private static final Duration WAIT = Duration.ofSeconds(1);

  @TempDir Path directory;

  /** Writes large values, and watches them from the start on several threads. */
  static final class Watcher {
    private Watcher() {}

    public static void main(String[] args) {
      StoreOptions options = StoreOptions.defaults().withPartitions(Integer.parseInt(args[1]));
      try (Store store = Stablecut.open(Path.of(args[0]), options)) {
        CausalToken start = store.snapshot().token();
        RegisterKey<Bytes> key = Key.register("large", "value", Codec.bytes());
        for (int i = 0; i < CHANGES; i++) {
          store.update(key.assign(Bytes.wrap(new byte[VALUE_BYTES])));
        }
        ExecutorService threads = Executors.newFixedThreadPool(WATCHES);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < WATCHES; i++) {
          all.add(CompletableFuture.runAsync(() -> readAll(store, start), threads));
        }
        all.forEach(CompletableFuture::join);
        threads.shutdown();
        System.out.println("complete");
      }
    }

    /** Resumes as documented when the watches together held too much. */
    private static void readAll(Store store, CausalToken start) {
      CausalToken position = start;
      int changes = 0;
      while (changes < CHANGES) {
        try (Watch watch = store.watch("large", "", WatchOptions.after(position).withEffects())) {
          while (changes < CHANGES) {
            changes += watch.poll(WAIT).isPresent() ? 1 : 0;
            position = watch.position();
          }
        } catch (WatchOverflowException e) {
          position = e.position();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void readLargeRecordsInTurn(int partitions) throws Exception {
    List<String> flags = new ArrayList<>(JvmFlags.all());
    flags.addAll(
        List.of(
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:TieredStopAtLevel=1"));

    Process child =
        ChildJvm.builder(flags, Watcher.class, directory.toString(), Integer.toString(partitions))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();

    assertThat(ChildJvm.lines(child, Integer.MAX_VALUE)).contains("complete");
    assertThat(child.waitFor()).isZero();
  }
}
