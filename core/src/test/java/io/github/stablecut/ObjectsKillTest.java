package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.collection.ComposedMap;
import io.github.stablecut.object.collection.SharedList;
import io.github.stablecut.object.collection.SharedMap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A JVM whose threads change objects and CRDTs in transactions is killed with SIGKILL again and
 * again: each acknowledged transaction exists, whole and once, and the objects' states result from
 * their calls.
 */
final class ObjectsKillTest {
  private static final int WRITERS = 4;
  private static final int MAX_ACKNOWLEDGED = 600;

  /** Long enough for logs to be summarized. */
  private static final String PADDING = "x".repeat(400);

  @TempDir private Path directory;

  private static ComposedMap<String, String> composed(ObjectSpace space) {
    return ComposedMap.open(space, "b", "composed", 4, Codec.string(), Codec.string());
  }

  private static SharedMap<String, Long> counts(ObjectSpace space) {
    return SharedMap.open(space, "b", "counts", Codec.string(), Codec.int64());
  }

  private static SharedList<String> list(ObjectSpace space, int writer) {
    return SharedList.open(space, "b", "list " + writer, Codec.string());
  }

  private static CounterKey counter(int writer) {
    return Key.counter("b", "counter " + writer);
  }

  /** Reports each number when its transaction is committed. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) throws InterruptedException {
      try (Store store = Stablecut.open(Path.of(args[0]))) {
        List<Thread> threads = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; writer++) {
          int number = writer;
          threads.add(new Thread(() -> write(store, number)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
          thread.join();
        }
      }
    }

    private static void write(Store store, int writer) {
      ObjectSpace space = ObjectSpace.of(store);
      while (true) {
        long done =
            space.transact(
                tx -> {
                  long next = Objects.requireNonNull(counts(tx).merge("" + writer, 1L, Long::sum));
                  composed(tx).put(writer + "/" + next % 10, next + PADDING);
                  list(tx, writer).asQueue().add("" + next);
                  tx.update(counter(writer).increment());
                  return next;
                });
        synchronized (System.out) {
          System.out.println(writer + " " + done);
        }
      }
    }
  }

  private static long check(Store store, int writer) {
    ObjectSpace space = ObjectSpace.of(store.snapshot());
    long there = counts(space).getOrDefault("" + writer, 0L);
    assertThat(space.read(counter(writer))).isEqualTo(there);
    List<String> list = list(space, writer).snapshot();
    assertThat(list).hasSize((int) there);
    for (int i = 0; i < list.size(); i++) {
      assertThat(list.get(i)).isEqualTo("" + (i + 1));
    }
    for (long number = Math.max(1, there - 9); number <= there; number++) {
      assertThat(composed(space).get(writer + "/" + number % 10)).isEqualTo(number + PADDING);
    }
    list(space, writer).object().verify();
    counts(space).object().verify();
    return there;
  }

  @Test
  void keepsAcknowledgedTransactionsThroughThreeKills() throws Exception {
    killAndCheck(3, new Random());
  }

  @Test
  @Tag("long")
  void keepsAcknowledgedTransactionsThroughThirtyKills() throws Exception {
    killAndCheck(30, new Random());
  }

  private void killAndCheck(int rounds, Random random) throws Exception {
    Map<Integer, Long> acknowledged = new HashMap<>();
    for (int round = 1; round <= rounds; round++) {
      Process child = ChildJvm.start(Writer.class, directory.toString());
      List<String> lines = ChildJvm.lines(child, 1 + random.nextInt(MAX_ACKNOWLEDGED));
      child.toHandle().destroyForcibly();
      lines.addAll(ChildJvm.lines(child, Integer.MAX_VALUE));
      assertThat(child.waitFor()).as("killed, not ended").isEqualTo(128 + 9);
      for (String line : lines) {
        String[] told = line.split(" ", 2);
        acknowledged.merge(Integer.valueOf(told[0]), Long.valueOf(told[1]), Math::max);
      }
      try (Store store = Stablecut.open(directory)) {
        for (int writer = 0; writer < WRITERS; writer++) {
          assertThat(check(store, writer))
              .isGreaterThanOrEqualTo(acknowledged.getOrDefault(writer, 0L));
        }
      }
    }
  }
}
