package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class InFlightCommitsTest {
  private final InFlightCommits underWay = new InFlightCommits();
  private final List<Integer> given = new ArrayList<>();

  private static PartitionWrites written(int partition, int... objects) {
    return new PartitionWrites(
        partition,
        Set.copyOf(
            Arrays.stream(objects)
                .mapToObj(object -> Bytes.utf8(Integer.toString(object)))
                .toList()));
  }

  private boolean giveNext() {
    Runnable answer = next();
    if (answer == null) {
      return false;
    }
    answer.run();
    return underWay.answered();
  }

  /** One that is begun, whose answer has a number. */
  private InFlightCommits.Place begin(int number) {
    InFlightCommits.Place place = underWay.add();
    underWay.begun(place, written(1, number), false, () -> given.add(number));
    return place;
  }

  private @Nullable Runnable next() {
    return underWay.next(() -> true);
  }

  @Test
  void anAnswerWaitsForThoseBeforeIt() {
    InFlightCommits.Place first = begin(1);
    InFlightCommits.Place second = underWay.follow().orElseThrow();
    underWay.begun(second, written(1, 2), false, () -> given.add(2));
    underWay.done(second);
    assertThat(next()).isNull();

    underWay.done(first);

    assertThat(giveNext()).isFalse();
    assertThat(giveNext()).isTrue();
    assertThat(given).containsExactly(1, 2);
    assertThat(underWay.follow()).isEmpty();
  }

  @Test
  void oneIsGivenAtATime() {
    underWay.done(begin(1));
    underWay.done(begin(2));

    assertThat(next()).isNotNull();
    assertThat(next()).isNull();
    assertThat(underWay.isDue()).isFalse();

    assertThat(underWay.answered()).isFalse();
    assertThat(next()).isNotNull();
    assertThat(underWay.remove(underWay.add())).isFalse();
    assertThat(underWay.answered()).isTrue();
  }

  /** While an answer is being given nobody knows whether another thread's is on its way. */
  @Test
  void whetherAThreadMayAnswerIsAskedWhileNoOtherOneDoes() {
    underWay.done(begin(1));
    underWay.done(begin(2));
    assertThat(next()).isNotNull();
    AtomicInteger asked = new AtomicInteger();
    BooleanSupplier mayNot =
        () -> {
          asked.incrementAndGet();
          return false;
        };
    assertThat(underWay.next(mayNot)).isNull();
    assertThat(asked).hasValue(0);
    assertThat(underWay.answered()).isFalse();

    assertThat(underWay.next(mayNot)).isNull();

    assertThat(asked).hasValue(1);
    assertThat(underWay.isDue()).isTrue();
  }

  @Test
  void whatSharesAnObjectOrIsElsewhereIsNotIndependent() {
    InFlightCommits.Place unused = begin(8);

    assertThat(underWay.isIndependent(written(1, 9))).isTrue();
    assertThat(underWay.isIndependent(written(1, 9, 8))).isFalse();
    assertThat(underWay.isIndependent(written(2, 9))).isFalse();
  }

  @Test
  void whoWaitsForTheNextAnswerIsToldThatTheServerIsAlive() {
    InFlightCommits.Place first = underWay.add();
    underWay.begun(first, written(1, 7), true, () -> {});
    underWay.begun(underWay.add(), written(1, 8), false, () -> {});
    assertThat(underWay.saysAlive()).isTrue();
    underWay.done(first);

    assertThat(giveNext()).isFalse();

    assertThat(underWay.saysAlive()).isFalse();
  }
}
