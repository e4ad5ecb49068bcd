package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.WatchOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A watch resumes after its token in a store of several partitions whose process was killed. */
final class WatchKillTest {
  private static final int WRITERS = 4;
  private static final int ACCOUNTS = 12;
  private static final int ROUNDS = 3;

  @TempDir private Path directory;

  private static Store open(Path directory) {
    return Stablecut.open(directory, StoreOptions.defaults().withPartitions(4));
  }

  private static CounterKey count(int writer) {
    return Key.counter("watched", "count " + writer);
  }

  private static CounterKey account(int number) {
    return Key.counter("watched", "account " + number);
  }

  /** Reports the position of its watch while others write. */
  static final class Follower {
    private Follower() {}

    public static void main(String[] args) throws InterruptedException {
      try (Store store = open(Path.of(args[0]));
          Watch watch = store.watch("watched", "", WatchOptions.fromNow().buffer(1_000_000))) {
        for (int writer = 0; writer < WRITERS; writer++) {
          int number = writer;
          new Thread(() -> write(store, number)).start();
        }
        while (true) {
          System.out.println(watch.next().token().toText());
        }
      }
    }

    private static void write(Store store, int writer) {
      Random random = new Random();
      while (true) {
        store.update(
            count(writer).increment(),
            account(random.nextInt(ACCOUNTS)).increment(1),
            account(random.nextInt(ACCOUNTS)).decrement(1));
      }
    }
  }

  @Test
  void deliversEverythingOnceAndWholeAfterAKill() throws Exception {
    List<Long> counts = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      counts.add(0L);
    }
    CausalToken begin;
    try (Store store = open(directory)) {
      begin = store.snapshot().token();
    }
    CausalToken position = begin;
    for (int round = 0; round < ROUNDS; round++) {
      Process child = ChildJvm.start(Follower.class, directory.toString());
      List<String> lines = ChildJvm.lines(child, 500);
      child.toHandle().destroyForcibly();
      lines.addAll(ChildJvm.lines(child, Integer.MAX_VALUE));
      assertThat(child.waitFor()).as("killed, not ended").isEqualTo(128 + 9);

      try (Store store = open(directory)) {
        CausalToken told = CausalToken.parse(lines.get(lines.size() / 2));
        List<Long> countsThere = counts(store.at(told));
        check(store, told, countsThere);
        position = check(store, position, counts);
      }
    }
    try (Store store = open(directory)) {
      List<Long> all = counts(store.at(begin));
      assertThat(check(store, begin, all).vector()).isEqualTo(position.vector());
      assertThat(all).isEqualTo(counts);
    }
  }

  private static List<Long> counts(Snapshot snapshot) {
    List<Long> counts = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      counts.add(snapshot.read(count(writer)));
    }
    return counts;
  }

  /**
   * Follows the watch from a token to the present.
   *
   * @param counts as of the token; updated
   * @return the last change, or the token if there was none
   */
  private static CausalToken check(Store store, CausalToken after, List<Long> counts)
      throws InterruptedException {
    CausalToken last = after;
    List<Long> now = counts(store.snapshot());
    try (Watch watch = store.watch("watched", "", WatchOptions.after(after).buffer(100))) {
      while (!counts.equals(now)) {
        Change change = WatchTest.next(watch);
        checkWhole(change, counts);
        last = change.token();
      }
    }
    return last;
  }

  private static void checkWhole(Change change, List<Long> counts) {
    int writers = 0;
    for (int writer = 0; writer < WRITERS; writer++) {
      if (change.objects().contains(count(writer))) {
        writers++;
        counts.set(writer, counts.get(writer) + 1);
        assertThat(change.read(count(writer))).isEqualTo(counts.get(writer));
      }
    }
    assertThat(writers).isEqualTo(1);
    assertThat(change.objects()).hasSizeBetween(2, 3);
    long sum = 0;
    for (int account = 0; account < ACCOUNTS; account++) {
      sum += change.read(account(account));
    }
    assertThat(sum).isZero();
  }
}
