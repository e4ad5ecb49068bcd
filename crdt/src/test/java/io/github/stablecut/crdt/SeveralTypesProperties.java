package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.counter.FatCounter;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.set.GrowOnlySet;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Each type of an object of several types behaves as if it were the only one. */
final class SeveralTypesProperties {
  private static final SeveralTypes TYPE = SeveralTypes.TYPE;

  /** Effects of a counter and of a set, in random order, and the separate states of both. */
  private static final class CounterAndSet {
    private SeveralTypes.States states = TYPE.initial();
    private Number counter = PnCounter.TYPE.initial();
    private GrowOnlySet.State set = GrowOnlySet.TYPE.initial();

    CounterAndSet(Random random) {
      int effects = random.nextInt(20);
      for (long time = 1; time <= effects; time++) {
        EffectOrigin origin = new EffectOrigin(random.nextInt(3), time, VectorClock.ZERO);
        if (random.nextBoolean()) {
          PnCounter.Add effect = new PnCounter.Add(random.nextInt(10) - 5);
          counter = PnCounter.TYPE.apply(counter, effect, origin);
          states = TYPE.apply(states, new SeveralTypes.Effect(PnCounter.TYPE, effect), origin);
        } else {
          GrowOnlySet.Add effect =
              new GrowOnlySet.Add(List.of(Bytes.utf8("e" + random.nextInt(5))));
          set = GrowOnlySet.TYPE.apply(set, effect, origin);
          states = TYPE.apply(states, new SeveralTypes.Effect(GrowOnlySet.TYPE, effect), origin);
        }
      }
    }
  }

  @Property(tries = 200)
  void eachTypeBehavesAsTheOnlyOne(@ForAll long seed) {
    CounterAndSet both = new CounterAndSet(new Random(seed));

    assertThat(both.states.of(PnCounter.TYPE).orElse(0L)).isEqualTo(both.counter);
    assertThat(both.states.of(GrowOnlySet.TYPE).orElse(GrowOnlySet.TYPE.initial()))
        .isEqualTo(both.set);
  }

  @Property(tries = 200)
  void statesSurviveEncoding(@ForAll long seed) {
    SeveralTypes.States states = new CounterAndSet(new Random(seed)).states;

    byte[] encoded = CrdtCodec.encodeState(TYPE, states);

    assertThat(CrdtCodec.typeOfState(encoded)).isEqualTo(TYPE);
    assertThat(CrdtCodec.decodeState(TYPE, encoded)).isEqualTo(states).hasSameHashCodeAs(states);
    assertThat(CrdtCodec.encodeState(TYPE, CrdtCodec.decodeState(TYPE, encoded)))
        .isEqualTo(encoded);
  }

  @Property(tries = 500)
  void damagedBytesAreRefusedOrValid(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] bytes = CrdtCodec.encodeState(TYPE, new CounterAndSet(random).states);
    for (int i = 0; i <= random.nextInt(3); i++) {
      bytes[2 + random.nextInt(bytes.length - 2)] = (byte) random.nextInt(256);
    }
    try {
      SeveralTypes.States states = CrdtCodec.decodeState(TYPE, bytes);
      assertThat(states.all()).extracting(state -> state.type().typeId()).isSorted();
    } catch (FormatException e) {
      assertThat(e).hasMessageNotContaining("null");
    }
  }

  @Example
  void theTypesStayWhileOneOfThemHasContent() {
    EffectOrigin origin = new EffectOrigin(0, 1, VectorClock.ZERO);
    SeveralTypes.States counters =
        TYPE.apply(
            TYPE.apply(
                TYPE.initial(),
                new SeveralTypes.Effect(PnCounter.TYPE, new PnCounter.Add(1)),
                origin),
            new SeveralTypes.Effect(FatCounter.TYPE, reset()),
            origin);

    assertThat(TYPE.prune(counters, VectorClock.of(5)).all()).hasSize(2);
    SeveralTypes.States empty =
        TYPE.apply(
            counters, new SeveralTypes.Effect(PnCounter.TYPE, new PnCounter.Add(-1)), origin);
    assertThat(TYPE.prune(empty, VectorClock.of(5))).isEqualTo(TYPE.initial());
  }

  private static FatCounter.Effect reset() {
    return FatCounter.TYPE.downstream(
        FatCounter.TYPE.resetOperation(),
        FatCounter.TYPE.initial(),
        new OperationContext(0, VectorClock.ZERO, new SelfDots()));
  }

  @Example
  void noEffectOrKeyIsOfSeveralTypes() {
    byte[] effect = {1, 64, 0};

    assertThat(CrdtTypes.all()).doesNotContain(TYPE);
    assertThat(CrdtTypes.byId(TYPE.typeId())).isEmpty();
    assertThatThrownBy(() -> CrdtCodec.typeOf(ByteBuffer.wrap(effect)))
        .isInstanceOf(FormatException.class);
    assertThatThrownBy(() -> CrdtCodec.decodeEffect(TYPE, effect))
        .isInstanceOf(FormatException.class);
  }
}
