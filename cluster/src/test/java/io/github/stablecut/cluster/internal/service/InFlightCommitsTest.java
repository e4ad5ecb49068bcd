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
  private InFlightCommits.Entry begin(int number) {
    InFlightCommits.Entry entry = commits.add();
    commits.started(entry, written(1, number), false, () -> answered.add(number));
    return entry;
  }

  private @Nullable Runnable next() {
    return commits.next(() -> true);
  }

  @Test
  void anAnswerWaitsForThoseBeforeIt() {
    InFlightCommits.Entry first = begin(1);
    InFlightCommits.Entry second = commits.addIfInFlight().orElseThrow();
    commits.started(second, written(1, 2), false, () -> answered.add(2));
    commits.completed(second);
    assertThat(next()).isNull();

    commits.completed(first);

    assertThat(answerNext()).isFalse();
    assertThat(answerNext()).isTrue();
    assertThat(answered).containsExactly(1, 2);
    assertThat(commits.addIfInFlight()).isEmpty();
  }

  @Test
  void oneAnswerIsSentAtATime() {
    commits.completed(begin(1));
    commits.completed(begin(2));

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
    commits.completed(begin(1));
    commits.completed(begin(2));
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
    InFlightCommits.Entry first = commits.add();
    commits.started(first, written(1, 7), true, () -> {});
    commits.started(commits.add(), written(1, 8), false, () -> {});
    assertThat(commits.needsKeepAlive()).isTrue();
    commits.completed(first);

    assertThat(answerNext()).isFalse();

    assertThat(commits.needsKeepAlive()).isFalse();
  }
}
