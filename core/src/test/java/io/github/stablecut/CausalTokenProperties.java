package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.InvalidTokenException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

/** The text form of tokens keeps the entries of all data centres, and other texts are refused. */
final class CausalTokenProperties {
  @Provide
  Arbitrary<VectorClock> vectors() {
    return Arbitraries.longs()
        .between(0, Long.MAX_VALUE)
        .array(long[].class)
        .ofMaxSize(20)
        .map(VectorClock::ofEntries);
  }

  @Property
  void roundTrips(
      @ForAll("vectors") VectorClock vector,
      @ForAll long storeId,
      @ForAll @LongRange(min = 0) long opening) {
    CausalToken token = new CausalToken(storeId, opening, vector);

    assertThat(CausalToken.parse(token.toText())).isEqualTo(token);
  }

  @Property
  void refusesOtherTextsWithoutAnyOtherException(
      @ForAll("vectors") VectorClock vector, @ForAll int place, @ForAll char other) {
    String text = new CausalToken(1, 2, vector).toText();
    int at = Math.floorMod(place, text.length());

    parseOrRefuse(text.substring(0, at));
    parseOrRefuse(text.substring(0, at) + other + text.substring(at + 1));
  }

  private static void parseOrRefuse(String text) {
    try {
      assertThat(CausalToken.parse(text).vector().size()).isLessThan(text.length());
    } catch (InvalidTokenException e) {
      assertThat(e).hasMessageContaining("not a token");
    }
  }

  @Example
  void readsTheLargestVectorAndRefusesALargerOne() {
    long[] times = new long[VectorClock.MAX_DATA_CENTRES];
    Arrays.fill(times, 7);
    CausalToken largest = new CausalToken(1, 2, VectorClock.ofEntries(times));
    assertThat(CausalToken.parse(largest.toText())).isEqualTo(largest);

    byte[] bytes = Base64.getUrlDecoder().decode(largest.toText());
    byte[] larger = ByteBuffer.allocate(bytes.length + Long.BYTES).put(bytes).putLong(7).array();
    assertThatThrownBy(
            () -> CausalToken.parse(Base64.getUrlEncoder().withoutPadding().encodeToString(larger)))
        .isInstanceOf(InvalidTokenException.class);
  }
}
