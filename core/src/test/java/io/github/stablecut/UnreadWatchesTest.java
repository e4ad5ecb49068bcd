package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.WatchOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Watches that each stay within their own bound and together could fill the heap. */
class UnreadWatchesTest {
  private static final int WATCHES = 100;
  private static final int ROUNDS = 150;
  private static final int VALUE_BYTES = 20_000;

  @TempDir Path directory;

  private static RegisterKey<String> key(int watch) {
    return Key.register("unread", "w" + watch + "/", Codec.string());
  }

  /** Writes to all watches, each of its own prefix, and prints how many have ended. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws InterruptedException {
      StoreOptions options =
          StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofMillis(50)));
      int ended = 0;
      try (Store store = Stablecut.open(Path.of(args[0]), options)) {
        List<Watch> watches = new ArrayList<>();
        for (int i = 0; i < WATCHES; i++) {
          watches.add(store.watch("unread", "w" + i + "/", WatchOptions.fromNow().withEffects()));
        }
        for (int round = 0; round < ROUNDS; round++) {
          write(store, round);
        }
        for (int i = 0; i < WATCHES; i++) {
          ended += deliversAll(store, watches.get(i), i, ended == 0) ? 0 : 1;
        }
        System.out.println(ended);
        // Closing would first fold the unread changes.
        Runtime.getRuntime().halt(0);
      }
    }

    private static void write(Store store, int round) {
      String value = "<" + round + "/" + "v".repeat(VALUE_BYTES);
      store.run(
          tx -> {
            for (int i = 0; i < WATCHES; i++) {
              tx.update(key(i).assign(value));
            }
          });
    }

    /**
     * Takes the changes of a watch; returns whether it delivered all.
     *
     * @param goesOn whether a second watch delivers the rest if the first one ended
     */
    private static boolean deliversAll(Store store, Watch first, int number, boolean goesOn)
        throws InterruptedException {
      int told = 0;
      try {
        for (; told < ROUNDS; told++) {
          checkChange(first.next(), number, told);
        }
        return true;
      } catch (WatchOverflowException e) {
        if (!String.valueOf(e.getMessage()).contains("all watches of the store")) {
          throw e;
        }
        WatchOptions after = WatchOptions.after(e.position()).withEffects();
        first.close();
        try (Watch again = store.watch("unread", "w" + number + "/", after)) {
          for (; goesOn && told < ROUNDS; told++) {
            checkChange(again.next(), number, told);
          }
        }
        return false;
      }
    }

    private static void checkChange(Change change, int number, int round) {
      String effect =
          new String(change.effects().get(0).encoded().toArray(), StandardCharsets.ISO_8859_1);
      if (change.effects().size() != 1 || !effect.contains("<" + round + "/")) {
        throw new AssertionError("watch " + number + " has not told round " + round);
      }
    }
  }

  @Test
  void theLargestEndBeforeTheHeapIsFullAndResumeWithoutAGap() throws Exception {
    List<String> flags = new ArrayList<>(JvmFlags.all());
    flags.addAll(List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError", "-XX:TieredStopAtLevel=1"));

    Process child =
        ChildJvm.builder(flags, Writer.class, directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();

    List<String> lines = ChildJvm.lines(child, Integer.MAX_VALUE);
    assertThat(child.waitFor()).isZero();
    assertThat(Integer.parseInt(lines.get(lines.size() - 1))).isBetween(1, WATCHES);
  }
}
