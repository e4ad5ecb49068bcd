package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An object larger than the JVM's heap is written, read in parts and whole, edited, and deleted.
 */
class LargerThanTheHeapTest {
  private static final String HEAP = "-Xmx64m";
  private static final int ELEMENTS = 250_000;
  private static final int ELEMENT_BYTES = 200;
  private static final int PER_UPDATE = 2_500;
  private static final String PADDING = "x".repeat(ELEMENT_BYTES - 10);

  private static final AddWinsSetKey<String> SET = Key.addWinsSet("b", "set", Codec.string());
  private static final ListKey<String> LIST = Key.list("b", "list", Codec.string());

  /** A few large values that together exceed the heap. */
  private static final RecursiveMapKey MAP = Key.map("b", "map");

  private static final ListKey<Bytes> LARGE = MAP.list("large", Codec.bytes());
  private static final int LARGE_VALUES = 150;
  private static final int LARGE_BYTES = 300 << 10;

  @TempDir private Path directory;

  @Test
  void usesObjectsLargerThanTheHeap() throws Exception {
    List<String> flags = new ArrayList<>(JvmFlags.all());
    flags.add(HEAP);
    Process child =
        ChildJvm.builder(flags, WritingProcess.class, directory.resolve("data").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();

    assertThat(ChildJvm.lines(child, Integer.MAX_VALUE))
        .containsExactly("written", "read", "deleted");
    assertThat(child.waitFor()).isZero();
  }

  /** What the other JVM does. */
  static final class WritingProcess {
    private WritingProcess() {}

    public static void main(String[] args) {
      Path data = Path.of(args[0]);
      try (Store store = open(data)) {
        write(store);
        writeLarge(store);
      }
      System.out.println("written");
      try (Store store = open(data)) {
        read(store);
        edit(store);
        readLarge(store);
      }
      System.out.println("read");
      try (Store store = open(data, CheckpointPolicy.defaults())) {
        delete(store);
      }
      System.out.println("deleted");
    }

    private static Store open(Path data) {
      return open(data, CheckpointPolicy.byCall());
    }

    private static Store open(Path data, CheckpointPolicy checkpoints) {
      return Stablecut.open(
          data,
          StoreOptions.defaults()
              .withCache(CacheOptions.bytes(8 << 20))
              .withLimits(
                  StoreOptions.Limits.defaults().withEffectBytes(1 << 20).withValueBytes(1 << 20))
              .withCheckpoints(checkpoints.withRetention(Duration.ZERO)));
    }

    private static String element(int i) {
      return "%09d-".formatted(i) + PADDING;
    }

    private static void write(Store store) {
      for (int from = 0; from < ELEMENTS; from += PER_UPDATE) {
        List<String> some = new ArrayList<>(PER_UPDATE);
        for (int i = from; i < from + PER_UPDATE; i++) {
          some.add(element(i));
        }
        store.update(SET.addAll(some), LIST.insertAll(from, some));
        if (from % (10 * PER_UPDATE) == 0) {
          store.checkpoint();
        }
      }
      store.checkpoint();
    }

    private static RegisterKey<Bytes> register(int i) {
      return MAP.register("register " + i, Codec.bytes());
    }

    private static Bytes large(int content) {
      byte[] bytes = new byte[LARGE_BYTES];
      Arrays.fill(bytes, (byte) content);
      return Bytes.wrap(bytes);
    }

    private static void writeLarge(Store store) {
      for (int i = 0; i < LARGE_VALUES; i++) {
        store.update(register(i).assign(large(i)));
        store.update(LARGE.insert(i, large(i)));
        if (i % 10 == 9) {
          store.checkpoint();
        }
      }
    }

    private static void readLarge(Store store) {
      for (int i = 0; i < LARGE_VALUES; i += 3) {
        store.update(register(i).assign(large(i + 1)));
        check(store.read(LARGE.get(i)).orElseThrow().equals(large(i)), "large element", i);
      }
      store.checkpoint();
      for (int i = 0; i < LARGE_VALUES; i++) {
        Bytes expected = large(i % 3 == 0 ? i + 1 : i);
        check(store.read(register(i)).orElseThrow().equals(expected), "large value", i);
      }
      check(store.read(MAP.size()) == LARGE_VALUES + 1, "size", LARGE_VALUES);
    }

    private static void read(Store store) {
      int expected = 0;
      for (String element : store.read(SET)) {
        check(element.equals(element(expected)), "element", expected);
        expected++;
      }
      check(expected == ELEMENTS, "elements", expected);
      Random random = new Random(3);
      for (int i = 0; i < 1_000; i++) {
        int at = random.nextInt(ELEMENTS - 1);
        check(store.read(LIST.get(at)).orElseThrow().equals(element(at)), "place", at);
        check(
            store.read(SET.pageAfter(element(at), 1)).equals(List.of(element(at + 1))), "page", at);
      }
      try (Scan scan = store.snapshot().scan(ScanOptions.bucket("b").keysOnly())) {
        check(scan.stream().count() == 3, "objects", 3);
      }
    }

    private static void edit(Store store) {
      Random random = new Random(4);
      for (int i = 0; i < 300; i++) {
        int at = random.nextInt(ELEMENTS / 2);
        store.update(SET.remove(element(at)), LIST.delete(at, 1), LIST.insert(at, "new " + i));
        check(!store.read(SET.contains(element(at))), "removed", at);
        check(store.read(LIST.get(at)).orElseThrow().equals("new " + i), "inserted", at);
        if (i % 100 == 0) {
          store.checkpoint();
        }
      }
      check(store.read(LIST.size()) == ELEMENTS, "size", ELEMENTS);
    }

    private static void delete(Store store) {
      DeleteRangeResult done = store.deleteRange(ScanOptions.bucket("b"));
      check(done.deleted() == 3, "deleted", (int) done.deleted());
      try (Scan scan = store.snapshot().scan(ScanOptions.bucket("b").keysOnly())) {
        check(!scan.hasNext(), "found", 1);
      }
    }

    private static void check(boolean holds, String what, int which) {
      if (!holds) {
        throw new AssertionError(what + " " + which);
      }
    }
  }
}
