package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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
  private final InFlightCommits commits = new InFlightCommits();
  private final List<Integer> answered = new ArrayList<>();

  private static PartitionWrites written(int partition, int... objects) {
    return new PartitionWrites(
        partition,
        Set.copyOf(
            Arrays.stream(objects)
                .mapToObj(object -> Bytes.utf8(Integer.toString(object)))
                .toList()));
  }

  private boolean answerNext() {
    Runnable answer = next();
    if (answer == null) {
      return false;
    }
    answer.run();
    return commits.answered();
  }

  /** Begins a commit whose answer records a number. */
  @CanIgnoreReturnValue
  private InFlightCommits.Place begin(int number) {
    InFlightCommits.Place place = commits.add();
    commits.begun(place, written(1, number), false, () -> answered.add(number));
    return place;
  }

  private @Nullable Runnable next() {
    return commits.next(() -> true);
  }

  @Test
  void anAnswerWaitsForThoseBeforeIt() {
    InFlightCommits.Place first = begin(1);
    InFlightCommits.Place second = commits.follow().orElseThrow();
    commits.begun(second, written(1, 2), false, () -> answered.add(2));
    commits.done(second);
    assertThat(next()).isNull();

    commits.done(first);

    assertThat(answerNext()).isFalse();
    assertThat(answerNext()).isTrue();
    assertThat(answered).containsExactly(1, 2);
    assertThat(commits.follow()).isEmpty();
  }

  @Test
  void oneAnswerIsSentAtATime() {
    commits.done(begin(1));
    commits.done(begin(2));

    assertThat(next()).isNotNull();
    assertThat(next()).isNull();
    assertThat(commits.isDue()).isFalse();

    assertThat(commits.answered()).isFalse();
    assertThat(next()).isNotNull();
    assertThat(commits.remove(commits.add())).isFalse();
    assertThat(commits.answered()).isTrue();
  }

  /** While a thread sends an answer, whether another may send is undetermined. */
  @Test
  void whetherAThreadMaySendIsAskedOnlyWhileNoneDoes() {
    commits.done(begin(1));
    commits.done(begin(2));
    assertThat(next()).isNotNull();
    AtomicInteger asked = new AtomicInteger();
    BooleanSupplier mayNot =
        () -> {
          asked.incrementAndGet();
          return false;
        };
    assertThat(commits.next(mayNot)).isNull();
    assertThat(asked).hasValue(0);
    assertThat(commits.answered()).isFalse();

    assertThat(commits.next(mayNot)).isNull();

    assertThat(asked).hasValue(1);
    assertThat(commits.isDue()).isTrue();
  }

  @Test
  void commitsOfACommonObjectOrAnotherPartitionAreNotIndependent() {
    begin(8);

    assertThat(commits.isIndependent(written(1, 9))).isTrue();
    assertThat(commits.isIndependent(written(1, 9, 8))).isFalse();
    assertThat(commits.isIndependent(written(2, 9))).isFalse();
  }

  @Test
  void keepAlivesDependOnTheNextAnswer() {
    InFlightCommits.Place first = commits.add();
    commits.begun(first, written(1, 7), true, () -> {});
    commits.begun(commits.add(), written(1, 8), false, () -> {});
    assertThat(commits.saysAlive()).isTrue();
    commits.done(first);

    assertThat(answerNext()).isFalse();

    assertThat(commits.saysAlive()).isFalse();
  }
}
