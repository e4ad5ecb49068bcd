package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.Transaction;
import io.github.stablecut.Watch;
import io.github.stablecut.internal.transaction.SimulatedDataCentres.DataCentre;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.WatchOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Changes of other data centres, which become visible in another order than they arrive. */
final class WatchOverDataCentresTest {
  private static final CounterKey A = Key.counter("b", "a");
  private static final CounterKey B = Key.counter("b", "b");
  private static final CounterKey C = Key.counter("b", "c");
  private static final CounterKey D = Key.counter("b", "d");

  private final SimulatedDataCentres all = new SimulatedDataCentres(new Random(1), 3);
  private final DataCentre first = all.get(0);
  private final DataCentre second = all.get(1);
  private final DataCentre third = all.get(2);

  @AfterEach
  void close() {
    all.close();
  }

  private void bring(DataCentre from, DataCentre to) {
    for (int partition = 0; partition < SimulatedDataCentres.PARTITIONS; partition++) {
      all.bring(from, to, partition);
    }
  }

  /** The second data centre commits B, which depends on A, and then C, which does not. */
  private void commitThree() {
    try (Transaction transaction = second.store.begin()) {
      first.store.update(A.increment(1));
      bring(first, second);
      assertThat(second.store.read(A)).isEqualTo(1);
      second.store.update(B.increment(1));
      transaction.update(C.increment(1));
      transaction.commit();
    }
  }

  private static List<Change> take(Watch watch, int number) throws InterruptedException {
    List<Change> taken = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      taken.add(watch.poll(Duration.ofSeconds(30)).orElseThrow());
    }
    return taken;
  }

  private static List<Key<?>> objects(List<Change> changes) {
    return changes.stream().<Key<?>>map(change -> change.objects().get(0)).toList();
  }

  private Watch after(CausalToken token) {
    return third.store.watch("b", "", WatchOptions.after(token));
  }

  @Test
  void invisibleCommitsBlockNoOthersAndAreDeliveredOnce() throws InterruptedException {
    commitThree();
    CausalToken begin = third.store.snapshot().token();
    try (Watch present = third.store.watch("b", "", WatchOptions.fromNow());
        Watch past = after(begin)) {
      bring(second, third);
      third.store.update(D.increment(1));

      for (Watch watch : List.of(present, past)) {
        List<Change> early = take(watch, 2);
        assertThat(objects(early)).containsExactly(C, D);
        assertThat(early.get(1).snapshot().read(C)).isEqualTo(1);
        assertThat(early.get(1).read(D)).isEqualTo(1);
        assertThat(early.get(1).snapshot().read(B)).isZero();
        assertThat(watch.poll(Duration.ZERO)).isEmpty();
      }
      // A watch that starts when B is in the journal but not visible.
      try (Watch later = third.store.watch("b", "", WatchOptions.fromNow());
          Watch another = after(third.store.snapshot().token())) {
        assertThat(later.poll(Duration.ZERO)).isEmpty();
        bring(first, third);

        for (Watch watch : List.of(present, past, later, another)) {
          assertThat(objects(take(watch, 2))).containsExactly(A, B);
          assertThat(watch.poll(Duration.ZERO)).isEmpty();
        }
      }
    }
  }

  @Test
  void noTokenIncludesUndeliveredCommits() throws InterruptedException {
    commitThree();
    CausalToken begin = third.store.snapshot().token();
    bring(second, third);
    try (Watch watch = after(begin)) {
      Change c = take(watch, 1).get(0);
      assertThat(objects(List.of(c))).containsExactly(C);
      bring(first, third);
      List<Change> both = take(watch, 2);
      assertThat(objects(both)).containsExactly(A, B);
      Change a = both.get(0);
      Change b = both.get(1);

      assertThat(a.read(A)).isEqualTo(1);
      assertThat(a.snapshot().read(C)).isEqualTo(1);
      assertThat(b.snapshot().read(A)).isEqualTo(1);
      try (Watch again = after(c.token())) {
        assertThat(objects(take(again, 2))).containsExactly(A, B);
      }
      // A snapshot with C and A includes B too, whose last cause is A.
      try (Watch again = after(a.token())) {
        assertThat(objects(take(again, 2))).containsExactly(A, B);
      }
      try (Watch again = after(b.token())) {
        assertThat(again.poll(Duration.ofMillis(10))).isEmpty();
        third.store.update(D.increment(1));
        assertThat(objects(take(again, 1))).containsExactly(D);
      }
    }
  }

  @Test
  void aRestartForgetsNothingInvisible() throws InterruptedException {
    commitThree();
    CausalToken begin = third.store.snapshot().token();
    bring(second, third);
    CausalToken token;
    try (Watch watch = after(begin)) {
      token = take(watch, 1).get(0).token();
    }
    third.reopen(true);
    bring(second, third);
    try (Watch watch = after(token)) {
      assertThat(watch.poll(Duration.ofMillis(10))).isEmpty();
      bring(first, third);

      assertThat(objects(take(watch, 2))).containsExactly(A, B);
    }
  }
}
