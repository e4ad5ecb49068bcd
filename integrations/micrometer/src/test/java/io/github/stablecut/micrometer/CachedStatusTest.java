package io.github.stablecut.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreClosedException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** One request to a store serves many metrics, even if the store does not answer. */
final class CachedStatusTest {
  /** The exception that the store throws, if any. */
  private Optional<StablecutException> failure = Optional.empty();

  private long nanos = Long.MAX_VALUE - 5;
  private int asked;

  private final CachedStatus<Integer> recent =
      new CachedStatus<>(
          () -> {
            asked++;
            failure.ifPresent(
                thrown -> {
                  throw thrown;
                });
            return asked;
          },
          () -> nanos);

  @Test
  void anAnswerIsKeptForAQuarterOfASecond() {
    assertThat(recent.get()).isEqualTo(1);
    pass(Duration.ofMillis(249));
    assertThat(recent.get()).isEqualTo(1);
    pass(Duration.ofMillis(1));
    assertThat(recent.get()).isEqualTo(2);
  }

  @Test
  void aFailureIsKeptForTwoSeconds() {
    failure = Optional.of(new StoreClosedException("gone"));
    fails();
    pass(Duration.ofMillis(1_999));
    fails();
    assertThat(asked).isEqualTo(1);

    failure = Optional.empty();
    pass(Duration.ofMillis(1));
    assertThat(recent.get()).isEqualTo(2);
  }

  @Test
  void theLastAnswerStaysOnceTheStoreIsClosed() {
    assertThat(recent.get()).isEqualTo(1);
    failure = Optional.of(new StoreClosedException("closed"));
    pass(Duration.ofSeconds(1));

    assertThat(recent.get()).isEqualTo(1);
    assertThat(asked).isEqualTo(2);
  }

  private void fails() {
    assertThatThrownBy(recent::get).isSameAs(failure.orElseThrow());
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }
}
