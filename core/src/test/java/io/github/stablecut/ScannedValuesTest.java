package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.ValueUnreadableException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.ExpiringKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.ScanOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects found by a scan are read by the example of a key. */
class ScannedValuesTest {
  private static final RegisterKey<String> NAME = Key.register("other", "", Codec.string());

  @TempDir Path directory;
  private Store store;

  @BeforeEach
  void open() {
    store = Stablecut.open(directory.resolve("data"));
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** The only object of the bucket. */
  private StoredObject found() {
    return found(ScanOptions.bucket("b"));
  }

  private StoredObject found(ScanOptions options) {
    try (Scan scan = store.snapshot().scan(options)) {
      return scan.next();
    }
  }

  @Test
  void readsAsTheKeyDoes() {
    RegisterKey<String> eve = Key.register("b", "eve", Codec.string());
    store.update(eve.assign("Eve"));

    assertThat(found().isOf(NAME)).isTrue();
    assertThat(found().keyAs(NAME)).isEqualTo(eve);
    assertThat(found().valueAs(NAME)).isEqualTo(Optional.of("Eve"));
    assertThat(store.read(found().keyAs(NAME))).isEqualTo(Optional.of("Eve"));
  }

  @Test
  void readsWithItsPartitionKey() {
    Bytes user = Bytes.wrap(new byte[] {1, 0, 2});
    CounterKey seen = Key.withPartitionKey(user, Key.counter("b", "seen"));
    store.update(seen.increment(3));

    assertThat(found().keyAs(Key.counter("b", ""))).isEqualTo(seen);
    assertThat(found().valueAs(Key.counter("b", ""))).isEqualTo(3);
  }

  @Test
  void readsWithinAMap() {
    RecursiveMapKey cart = Key.map("b", "cart");
    store.update(
        cart.batch(
            cart.counter("pens").increment(2), cart.register("for", Codec.string()).assign("eve")));
    RecursiveMapKey example = Key.map("b", "any");

    RecursiveMapKey key = found().keyAs(example);
    assertThat(found().valueAs(example).get(key.counter("pens"))).isEqualTo(2);
    assertThat(found().valueAs(example.counter("pens"))).isEqualTo(2);
    assertThat(found().keyAs(example.counter("pens"))).isEqualTo(cart.counter("pens"));
  }

  @Test
  void readsExpiringObjects() {
    ExpiringKey<RegisterKey<String>> coupon =
        Key.expiring(Key.register("b", "coupon", Codec.string()));
    store.update(coupon.object().assign("SAVE10"), coupon.expireAfter(Duration.ofDays(7)));
    ExpiringKey<RegisterKey<String>> example = Key.expiring(NAME);

    assertThat(found().isOf(NAME)).isFalse();
    assertThat(found().isOf(example)).isTrue();
    assertThat(found().valueAs(example.object())).isEqualTo(Optional.of("SAVE10"));
    assertThat(store.read(found().keyAs(example))).isPresent();
    assertThatThrownBy(() -> found().valueAs(example))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("coupon");
  }

  @Test
  void refusesAnotherTypeOrCodec() {
    AddWinsSetKey<String> tags = Key.addWinsSet("b", "tags", Codec.string());
    store.update(tags.add("red"));

    assertThat(found().isOf(NAME)).isFalse();
    assertThatThrownBy(() -> found().valueAs(NAME)).isInstanceOf(TypeMismatchException.class);
    assertThatThrownBy(() -> found().keyAs(NAME)).isInstanceOf(TypeMismatchException.class);
    AddWinsSetKey<Long> numbers = Key.addWinsSet("b", "", Codec.int64());
    assertThatThrownBy(() -> found().valueAs(numbers).iterator().next())
        .isInstanceOf(ValueUnreadableException.class)
        .hasMessageContaining("tags");
    assertThatThrownBy(() -> found(ScanOptions.bucket("b").keysOnly()).valueAs(tags))
        .isInstanceOf(IllegalStateException.class);
  }
}
