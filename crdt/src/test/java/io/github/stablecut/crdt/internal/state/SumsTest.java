package io.github.stablecut.crdt.internal.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.counter.FatCounter;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.CounterMap;
import io.github.stablecut.error.LimitExceededException;
import java.math.BigInteger;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Sums are exact, whatever is added in whatever order, and readers never get a wrong one. */
class SumsTest {
  private static final Bytes LIKES = Bytes.utf8("likes");
  private static final EffectOrigin ORIGIN = new EffectOrigin(0, 7, VectorClock.ZERO);

  @Provide
  Arbitrary<List<Long>> amounts() {
    return Arbitraries.of(1L, -1L, 5L, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 62, -(1L << 62))
        .list()
        .ofMaxSize(30);
  }

  @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
  void equalSumsAreEqualObjectsWithEqualBytes(@ForAll("amounts") List<Long> amounts) {
    BigInteger exact =
        amounts.stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add);

    Number sum = 0L;
    for (long amount : amounts) {
      sum = PnCounter.TYPE.apply(sum, new PnCounter.Add(amount), ORIGIN);
    }

    assertThat(new BigInteger(sum.toString())).isEqualTo(exact);
    assertThat(sum instanceof Long).isEqualTo(exact.bitLength() < Long.SIZE);
    byte[] bytes = CrdtCodec.encodeState(PnCounter.TYPE, sum);
    assertThat(CrdtCodec.decodeState(PnCounter.TYPE, bytes)).isEqualTo(sum);
  }

  @Example
  void additionsOfAResettableCounterAddUpExactlyBeforeAndAfterPruning() {
    FatCounter.State state = FatCounter.TYPE.initial();
    for (int i = 0; i < 3; i++) {
      state =
          FatCounter.TYPE.apply(
              state, new FatCounter.Added(new Dot(0, i + 1, 0), Long.MIN_VALUE), ORIGIN);
    }
    FatCounter.State pruned = FatCounter.TYPE.prune(state, VectorClock.ofEntries(3));

    assertRefused(FatCounter.TYPE, state, "-27,670,116,110,564,327,424");
    assertRefused(FatCounter.TYPE, pruned, "-27,670,116,110,564,327,424");
    byte[] bytes = CrdtCodec.encodeState(FatCounter.TYPE, pruned);
    assertThat(CrdtCodec.decodeState(FatCounter.TYPE, bytes)).isEqualTo(pruned);
  }

  @Example
  void oneOverflowingCounterOfAMapDoesNotBlockTheOthers() {
    CounterMap.State state = CounterMap.TYPE.initial();
    Map<Bytes, Long> much = Map.of(LIKES, Long.MAX_VALUE, Bytes.EMPTY, 1L);
    state = CounterMap.TYPE.apply(state, new CounterMap.Add(much), ORIGIN);
    state = CounterMap.TYPE.apply(state, new CounterMap.Add(much), ORIGIN);
    Map<Bytes, Long> value = CounterMap.TYPE.value(state, VectorClock.ZERO);

    assertThat(value.keySet()).containsExactly(Bytes.EMPTY, LIKES);
    assertThat(value.get(Bytes.EMPTY)).isEqualTo(2);
    assertThatThrownBy(() -> value.get(LIKES))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("counter map, \"likes\": the sum is 18,446,744,073,709,551,614");
    byte[] bytes = CrdtCodec.encodeState(CounterMap.TYPE, state);
    assertThat(CrdtCodec.decodeState(CounterMap.TYPE, bytes)).isEqualTo(state);
  }

  @Example
  void aSumWithinALongHasOneEncodingOnly() {
    byte[] large = CrdtCodec.encodeState(PnCounter.TYPE, BigInteger.ONE.shiftLeft(64));
    assertThat(HexFormat.of().formatHex(large)).isEqualTo("010180000200");
    byte[] small = large.clone();
    small[large.length - 2] = 0; // the bits above the lowest 64

    assertThatThrownBy(() -> CrdtCodec.decodeState(PnCounter.TYPE, small))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("must exceed 64 bits and have at most 128: 0");
  }

  private static <S> void assertRefused(CrdtType<S, ?, ?, Long> type, S state, String sum) {
    assertThatThrownBy(() -> type.value(state, VectorClock.ZERO))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining(sum);
  }
}
