package io.github.stablecut.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Store;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test's store in a directory, which exists as long as the test runs. */
final class StoreInDirectoryTest {
  private static final CounterKey PAID = Key.counter("carts", "paid");

  private static final List<Path> DIRECTORIES = new ArrayList<>();

  @RegisterExtension
  final StoreExtension stores =
      StoreExtension.inDirectory()
          .with(options -> options.withCheckpoints(CheckpointPolicy.byCall()));

  @Test
  void aClockThatNoStoreCanFollowIsRefused(SettableClock clock) {
    Instant before = clock.instant();

    assertThatThrownBy(() -> clock.set(Instant.parse("2300-01-01T00:00:00Z")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2159-01-01");
    assertThatThrownBy(() -> clock.advance(Duration.ofDays(100_000)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(clock.instant()).isEqualTo(before);
  }

  @RepeatedTest(2)
  void eachTestHasAStoreOfItsOwn(Store store, SettableClock clock) {
    store.update(PAID.increment());

    assertThat(store).isSameAs(stores.store());
    assertThat(clock).isSameAs(stores.clock());
    assertThat(stores.reopen().read(PAID)).isEqualTo(1);
    assertThat(stores.directory()).isNotEmptyDirectory();
    assertThatThrownBy(stores::cutPower)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("onLossyDisk()");
    DIRECTORIES.add(stores.directory());
  }

  @AfterAll
  static void nothingIsLeft() {
    assertThat(DIRECTORIES)
        .hasSize(2)
        .doesNotHaveDuplicates()
        .allSatisfy(directory -> assertThat(directory.getParent()).doesNotExist());
    assertThatThrownBy(StoreExtension.inDirectory()::store)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("@RegisterExtension");
  }
}
