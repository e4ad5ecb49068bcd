package io.github.stablecut.internal.truncation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import org.junit.jupiter.api.Test;

/** The large objects that checkpoints remember, although they may never be written again. */
final class RecentLargeObjectsTest {
  private final RecentLargeObjects large = new RecentLargeObjects();

  private static Bytes id(int i) {
    return Bytes.utf8("object " + i);
  }

  @Test
  void rememberTheLastWrittenOnes() {
    for (int i = 0; i < RecentLargeObjects.MAX_OBJECTS; i++) {
      large.add(id(i));
    }
    large.add(id(0));
    for (int i = RecentLargeObjects.MAX_OBJECTS; i < RecentLargeObjects.MAX_OBJECTS + 10; i++) {
      large.add(id(i));
    }

    assertThat(large.size()).isEqualTo(RecentLargeObjects.MAX_OBJECTS);
    assertThat(large.contains(id(0))).isTrue();
    assertThat(large.contains(id(10))).isFalse();
    assertThat(large.contains(id(11))).isTrue();
    assertThat(large.contains(id(RecentLargeObjects.MAX_OBJECTS + 9))).isTrue();
  }

  @Test
  void rememberFewerIfTheirNamesAreLong() {
    String common = "k".repeat(30_000);
    for (int i = 0; i < 1_000; i++) {
      large.add(Bytes.utf8(common + i));
      assertThat(large.bytes()).isLessThanOrEqualTo(RecentLargeObjects.MAX_BYTES);
    }

    assertThat(large.contains(Bytes.utf8(common + 999))).isTrue();
    assertThat(large.contains(Bytes.utf8(common + 0))).isFalse();
  }

  @Test
  void forgetDeletedOnes() {
    large.add(id(1));
    large.remove(id(1));
    large.remove(id(2));

    assertThat(large.size()).isZero();
    assertThat(large.bytes()).isZero();
    assertThat(large.contains(id(1))).isFalse();
  }
}
