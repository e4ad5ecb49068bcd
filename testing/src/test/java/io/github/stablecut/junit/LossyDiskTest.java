package io.github.stablecut.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Store;
import io.github.stablecut.Values;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.ExpiringKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.Durability;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test's store in memory, with a settable clock and power cuts. */
final class LossyDiskTest {
  private static final CounterKey PAID = Key.counter("carts", "paid");
  private static final CounterKey SENT = Key.counter("carts", "sent");

  @RegisterExtension final StoreExtension stores = StoreExtension.onLossyDisk();

  /** A store that acknowledges commits before their sync. */
  @RegisterExtension
  final StoreExtension late =
      StoreExtension.onLossyDisk()
          .with(options -> options.withDurability(Durability.periodic(Duration.ofSeconds(10))));

  @RegisterExtension
  final StoreExtension spread =
      StoreExtension.onLossyDisk().with(options -> options.withPartitions(3));

  @BeforeEach
  void begins() {
    stores.store().update(PAID.increment());
  }

  @Test
  void keepsAcknowledgedCommitsAcrossPowerCuts() {
    for (int cut = 0; cut < 20; cut++) {
      stores.store().update(PAID.increment(), SENT.increment());

      Values left = stores.cutPower(cut).read(List.of(PAID, SENT));

      assertThat(left.get(PAID)).isEqualTo(cut + 2);
      assertThat(left.get(SENT)).isEqualTo(cut + 1);
    }
  }

  @Test
  void beginsWithAnEmptyStore() {
    assertThat(stores.store().read(PAID)).isEqualTo(1);
    assertThat(stores.store().read(SENT)).isZero();
  }

  @Test
  void losesUnsyncedRecords() {
    int lost = 0;
    for (int cut = 0; cut < 30; cut++) {
      long before = late.store().read(PAID);
      late.store().update(PAID.increment());
      lost += late.cutPower(cut).read(PAID) == before ? 1 : 0;
    }

    assertThat(lost).isBetween(1, 29);
  }

  @Test
  void cutsThePowerOfAllPartitions() {
    for (int cut = 0; cut < 10; cut++) {
      spread.store().update(PAID.increment(), SENT.increment());

      Values left = spread.cutPower(cut).read(List.of(PAID, SENT));

      assertThat(left.get(PAID)).isEqualTo(left.get(SENT)).isEqualTo(cut + 1);
    }
    assertThat(spread.store().status().partitions()).isEqualTo(3);
  }

  @Test
  void reopensAClosedStore() {
    Store before = stores.store();

    Store after = stores.reopen();

    assertThat(after).isNotSameAs(before);
    assertThat(after.read(PAID)).isEqualTo(1);
    assertThatThrownBy(() -> before.read(PAID)).isInstanceOf(StablecutException.class);
  }

  @Test
  void livesInATimeThatTheTestSets() {
    ExpiringKey<RegisterKey<String>> coupon =
        Key.expiring(Key.register("carts", "coupon", Codec.string()));
    stores.store().update(coupon.object().assign("SAVE10"), coupon.expireAfter(Duration.ofDays(7)));
    CausalToken first = stores.store().snapshot().token();

    stores.clock().advance(Duration.ofDays(8));

    assertThat(first.time()).isEqualTo(StoreExtension.START);
    assertThat(stores.store().read(coupon.object())).isEmpty();
    assertThat(stores.store().at(first).read(coupon.object())).isEqualTo(Optional.of("SAVE10"));
    assertThat(stores.store().at(StoreExtension.START.plusSeconds(1)).read(PAID)).isEqualTo(1);
  }

  @Test
  void hasNoDirectory() {
    assertThatThrownBy(stores::directory)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("inDirectory()");
  }
}
