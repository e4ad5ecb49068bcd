package io.github.stablecut.internal.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecentChangesTest {
  private static final int LONG = 60_000;

  private final RecentChanges changes = new RecentChanges();

  private static Bytes id(int number, int length) {
    String text = String.valueOf(number);
    return Bytes.wrap((text + "k".repeat(length - text.length())).getBytes(UTF_8));
  }

  private void add(int from, int until, int length) {
    for (int i = from; i < until; i++) {
      changes.add(id(i, length));
    }
  }

  /** The changes known since a change; null stands for unknown. */
  private List<Bytes> since(long from) {
    List<Bytes> seen = new ArrayList<>();
    boolean isKnown = changes.forEachSince(from, seen::add);
    assertThat(isKnown || seen.isEmpty()).isTrue();
    return isKnown ? seen : List.of(Bytes.EMPTY);
  }

  @Test
  void knowsTheNewestAndNotOlderOnes() {
    add(0, RecentChanges.MOST + 10, 8);

    assertThat(since(10)).hasSize(RecentChanges.MOST).startsWith(id(10, 8));
    assertThat(since(changes.count() - 1)).containsExactly(id(RecentChanges.MOST + 9, 8));
    assertThat(since(changes.count())).isEmpty();
    assertThat(since(9)).containsExactly(Bytes.EMPTY);
  }

  @Test
  void longNamesTakeNoMoreMemoryThanShortOnes() {
    int most = (int) RecentChanges.MAX_BYTES / LONG;

    add(0, 1_000, LONG);

    assertThat(changes.bytes()).isBetween(RecentChanges.MAX_BYTES / 2, RecentChanges.MAX_BYTES);
    assertThat(since(1_000 - most)).hasSize(most).endsWith(id(999, LONG));
    assertThat(since(999 - most)).containsExactly(Bytes.EMPTY);

    add(1_000, 1_000 + RecentChanges.MOST, 8);

    assertThat(changes.bytes()).isEqualTo(8L * RecentChanges.MOST);
    assertThat(since(1_000)).hasSize(RecentChanges.MOST);
  }

  @Test
  void asManyMoreMayFollowTheRememberedOnes() {
    assertThat(changes.remembersSince(0)).isTrue();
    add(0, RecentChanges.MOST / 2, 8);
    assertThat(changes.remembersSince(0)).isTrue();
    add(0, 1, 8);
    assertThat(changes.remembersSince(0)).isFalse();

    add(0, RecentChanges.MOST, 8);

    assertThat(changes.remembersSince(changes.count() - RecentChanges.MOST / 2)).isTrue();
    assertThat(changes.remembersSince(changes.count() - RecentChanges.MOST / 2 - 1)).isFalse();
  }
}
