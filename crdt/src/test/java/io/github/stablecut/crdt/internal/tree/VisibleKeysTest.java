package io.github.stablecut.crdt.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import org.junit.jupiter.api.Test;

/** The values that a lookup of a key examines. */
class VisibleKeysTest {
  private int looks;

  /** Counts the checks of its visibility. */
  private final class Value implements Hideable {
    private final boolean isVisible;

    Value(boolean isVisible) {
      this.isVisible = isVisible;
    }

    @Override
    public boolean isVisible() {
      looks++;
      return isVisible;
    }
  }

  private static Bytes key(int number) {
    return Bytes.utf8("key-%05d".formatted(number));
  }

  @Test
  void examinesNoValueWhereAllAreVisible() {
    PersistentMap<Bytes, Value> map = PersistentMap.empty();
    for (int i = 0; i < 2_000; i++) {
      map = map.with(key(i), new Value(true));
    }
    looks = 0;

    for (int i = 0; i < 2_000; i++) {
      assertThat(map.isVisible(key(i))).isTrue();
    }

    assertThat(map.isVisible(key(2_000))).isFalse();
    assertThat(looks).isZero();
  }

  @Test
  void findsAHiddenOneAmongVisibleOnes() {
    PersistentMap<Bytes, Value> map = PersistentMap.empty();
    for (int i = 0; i < 2_000; i++) {
      map = map.with(key(i), new Value(i % 7 != 0));
    }

    for (int i = 0; i < 2_000; i++) {
      assertThat(map.isVisible(key(i))).isEqualTo(i % 7 != 0);
    }
  }
}
