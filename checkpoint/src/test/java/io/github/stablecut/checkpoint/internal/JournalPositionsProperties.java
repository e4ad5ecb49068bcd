package io.github.stablecut.checkpoint.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

/** Lists of positions and their encoding. */
class JournalPositionsProperties {
  @Property
  void decodesItsOwnEncoding(@ForAll Set<@LongRange(max = Long.MAX_VALUE) Long> positions) {
    long[] sorted = positions.stream().mapToLong(Long::longValue).sorted().toArray();

    assertThat(JournalPositions.decode(JournalPositions.encode(sorted))).isEqualTo(sorted);
  }

  @Property
  void decodesOrRefusesAnyBytes(@ForAll byte[] bytes) {
    try {
      long[] positions = JournalPositions.decode(bytes);
      assertThat(positions).isSorted().doesNotHaveDuplicates();
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("a ");
    }
  }

  @Example
  void nearbyPositionsTakeFewBytes() {
    assertThat(JournalPositions.encode(new long[] {5, 6, 8, 200}))
        .containsExactly(5, 0, 1, 0xbf, 1);
  }

  @Example
  void mustBeStrictlyAscending() {
    for (long[] positions : new long[][] {{-1}, {2, 1}, {1, 1}}) {
      assertThatThrownBy(() -> JournalPositions.encode(positions))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
