package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.ExpiringKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects that expire, on a store whose clock the test sets. */
final class ExpiringKeysTest {
  private static final ExpiringKey<CounterKey> VISITS = Key.expiring(Key.counter("site", "visits"));
  private static final CounterKey COUNT = VISITS.object();

  @TempDir private Path directory;
  private volatile Instant now = Instant.parse("2026-11-20T08:00:00Z");
  private Store store;

  @BeforeEach
  void open() {
    store =
        Stablecut.open(
            directory.resolve("data"),
            StoreOptions.defaults().withClock(() -> now).withMaxClockJump(Duration.ofDays(400)));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }

  @Test
  void anObjectExpiresWithoutAnyCommit() {
    store.update(COUNT.increment(3), VISITS.expireAfter(Duration.ofMinutes(1)));
    assertThat(store.read(COUNT)).isEqualTo(3);
    assertThat(store.read(VISITS)).contains(Instant.parse("2026-11-20T08:01:00Z"));

    pass(Duration.ofMinutes(2));

    assertThat(store.read(COUNT)).isZero();
    assertThat(store.read(VISITS)).isEmpty();
    close();
    open();
    assertThat(store.read(COUNT)).isZero();
    assertThat(store.read(List.of(COUNT, VISITS)).get(VISITS)).isEmpty();
  }

  @Test
  void lessThanAMillisecondCountsAsOne() {
    store.update(COUNT.increment(3), VISITS.expireAfter(Duration.ofNanos(1)));

    assertThat(store.read(VISITS)).contains(now.plusMillis(1));
    assertThat(store.read(COUNT)).isEqualTo(3);

    store.update(VISITS.expireAfter(Duration.ofMillis(2)));
    assertThat(store.read(VISITS)).contains(now.plusMillis(2));
  }

  @Test
  void anOldSnapshotReadsTheSameAgain() {
    store.update(COUNT.increment(3), VISITS.expireAt(now.plusSeconds(60)));
    CausalToken before = store.snapshot().token();
    try (Transaction open = store.begin()) {
      pass(Duration.ofSeconds(61));
      CausalToken after = store.snapshot().token();

      for (int opening = 0; opening < 2; opening++) {
        assertThat(store.at(before).read(COUNT)).isEqualTo(3);
        assertThat(store.at(before).read(VISITS)).isPresent();
        assertThat(store.at(after).read(COUNT)).isZero();
        if (opening == 0) {
          assertThat(open.read(COUNT)).isEqualTo(3);
          close();
          open();
        }
      }
    }
  }

  @Test
  void anUpdateOfAnExpiredObjectAppliesToANewOne() {
    store.update(COUNT.increment(3), VISITS.expireAfter(Duration.ofMinutes(1)));
    pass(Duration.ofMinutes(2));

    store.update(COUNT.increment(5));

    for (int opening = 0; opening < 2; opening++) {
      assertThat(store.read(COUNT)).isEqualTo(5);
      assertThat(store.read(VISITS)).isEmpty();
      pass(Duration.ofDays(100));
      store.checkpoint();
      close();
      open();
    }
  }

  @Test
  void theExpiryCanBeSetAgainAndRemoved() {
    store.update(COUNT.increment(), VISITS.expireAt(now.plusSeconds(60)));
    store.update(VISITS.expireAt(now.plusSeconds(600)));
    pass(Duration.ofMinutes(2));
    assertThat(store.read(COUNT)).isEqualTo(1);

    store.update(VISITS.persist());
    assertThat(store.read(VISITS)).isEmpty();
    pass(Duration.ofDays(1));
    assertThat(store.read(COUNT)).isEqualTo(1);

    store.update(VISITS.expireAfter(Duration.ofDays(1)), VISITS.reset());
    assertThat(store.read(COUNT)).isZero();
    assertThat(store.read(VISITS)).isEmpty();
  }

  @Test
  void anyObjectInAMapCanExpireAndBeRemoved() {
    RecursiveMapKey users = Key.map("site", "users");
    ExpiringKey<RecursiveMapKey> session = Key.expiring(users.map("session"));
    RegisterKey<String> name = session.object().register("name", Codec.string());
    store.update(users.counter("logins").increment());

    store.update(
        users.batch(name.assign("Ada"), session.expireAfter(Duration.ofMinutes(1))),
        session.object().batch(session.object().counter("pages").increment(4)));
    assertThat(store.read(name)).contains("Ada");
    assertThat(store.read(users).get(session.object().counter("pages"))).isEqualTo(4);
    assertThat(store.read(users).get(session)).contains(now.plusSeconds(60));
    assertThat(store.read(users).contains(session)).isTrue();

    pass(Duration.ofMinutes(2));
    assertThat(store.read(name)).isEmpty();
    assertThat(store.read(users).get(session.object()).isEmpty()).isTrue();
    assertThat(store.read(users.counter("logins"))).isEqualTo(1);
    store.update(users.remove(session));
    assertThat(store.read(users).contains(session)).isFalse();
  }

  @Test
  void refusesInvalidTimes() {
    assertThatThrownBy(() -> VISITS.expireAfter(Duration.ZERO))
        .isInstanceOf(OperationRefusedException.class)
        .hasMessageContaining("above 0");
    assertThatThrownBy(() -> VISITS.expireAt(Instant.MAX))
        .isInstanceOf(OperationRefusedException.class)
        .hasMessageContaining("out of range");
    store.update(COUNT.increment(), VISITS.expireAfter(Duration.ofSeconds(Long.MAX_VALUE)));
    assertThat(store.read(COUNT)).isEqualTo(1);
  }

  @Test
  void anExpiringObjectCannotBeWrappedAgain() {
    assertThatThrownBy(() -> Key.expiring(VISITS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("an expiring counter has a deadline already");
    assertThatThrownBy(() -> Key.expiring(COUNT)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theObjectAndItsExpiringFormHaveDifferentKeys() {
    assertThat(VISITS)
        .isEqualTo(Key.expiring(Key.counter("site", "visits")))
        .isNotEqualTo(COUNT)
        .isNotEqualTo(Key.counter("site", "visits"));
    assertThat(COUNT).isNotEqualTo(Key.counter("site", "visits"));
  }
}
