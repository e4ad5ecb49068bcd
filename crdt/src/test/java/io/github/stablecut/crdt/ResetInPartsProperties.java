package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.register.MvRegister;
import io.github.stablecut.crdt.sequence.RgaList;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.crdt.set.AddWinsSet;
import io.github.stablecut.crdt.set.GrowOnlySet;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Resetting a large object in parts has the same result as a reset, also with concurrent
 * operations, and no part much exceeds its bound.
 */
class ResetInPartsProperties {
  private static final int BOUND = ResetBound.MIN_BYTES;

  /** The longest element or name. */
  private static final int LONGEST = 300;

  /** With one element more, in maps in maps. */
  private static final int MAX_EFFECT = BOUND + 8 * LONGEST;

  private static final int TRIES = 30;

  /** One object in one data centre, with a transaction per operation. */
  private static final class Replayed<S, O, E, V> {
    private final CrdtType<S, O, E, V> type;
    private S state;
    private long time = 1_000L << 21;

    Replayed(CrdtType<S, O, E, V> type) {
      this.type = type;
      this.state = type.initial();
    }

    Replayed(Replayed<S, O, E, V> same) {
      this.type = same.type;
      this.state = same.state;
      this.time = same.time;
    }

    VectorClock snapshot() {
      return VectorClock.of(time);
    }

    E effect(O operation) {
      O sent = CrdtCodec.decodeOperation(type, CrdtCodec.encodeOperation(type, operation));
      assertThat(sent).isEqualTo(operation);
      return type.downstream(sent, state, new OperationContext(0, snapshot(), new SelfDots()));
    }

    @CanIgnoreReturnValue
    byte[] execute(O operation) {
      E effect = effect(operation);
      time += 1L << 21;
      state = type.apply(state, effect, new EffectOrigin(0, time, VectorClock.ZERO));
      return CrdtCodec.encodeEffect(type, effect);
    }

    /** Receives an effect of another data centre that knew nothing after a snapshot. */
    void receive(E effect, VectorClock seen) {
      state = type.apply(state, effect, new EffectOrigin(1, seen.get(0), VectorClock.ZERO));
    }

    byte[] encoded() {
      return CrdtCodec.encodeState(type, state);
    }

    V value() {
      return type.value(state, snapshot());
    }
  }

  private static Bytes element(Random random) {
    return Bytes.utf8("x".repeat(random.nextInt(LONGEST)) + random.nextInt(1_000));
  }

  private static AddWinsSet.Operation addOrRemove(Random random) {
    List<Bytes> some = List.of(element(random));
    return random.nextInt(4) > 0 ? new AddWinsSet.Add(some) : new AddWinsSet.Remove(some);
  }

  private static RemoveWinsSet.Operation voteFor(Random random) {
    List<Bytes> some = List.of(element(random));
    return random.nextInt(4) > 0 ? new RemoveWinsSet.Add(some) : new RemoveWinsSet.Remove(some);
  }

  /** An operation on an object somewhere in a map. */
  private static RecursiveResetMap.Update<?> update(Random random, int depth) {
    Bytes name = random.nextBoolean() ? element(random) : Bytes.utf8("n" + random.nextInt(20));
    return switch (random.nextInt(depth > 3 ? 6 : 8)) {
      case 0 -> new RecursiveResetMap.Update<>(place(name, AddWinsSet.TYPE), addOrRemove(random));
      case 1 -> new RecursiveResetMap.Update<>(place(name, RemoveWinsSet.TYPE), voteFor(random));
      case 2 ->
          new RecursiveResetMap.Update<>(
              place(name, RgaList.TYPE), RgaList.insert(0, List.of(element(random))));
      case 3 -> new RecursiveResetMap.Update<>(place(name, PnCounter.TYPE), new PnCounter.Add(1));
      case 4 ->
          new RecursiveResetMap.Update<>(
              place(name, GrowOnlySet.TYPE), new GrowOnlySet.Add(List.of(element(random))));
      case 5 ->
          new RecursiveResetMap.Update<>(
              place(name, GrowOnlyMap.TYPE),
              GrowOnlyMap.Update.of(place(name, AddWinsSet.TYPE), addOrRemove(random)));
      default ->
          new RecursiveResetMap.Update<>(
              place(Bytes.utf8("m" + random.nextInt(2)), RecursiveResetMap.TYPE),
              update(random, depth + 1));
    };
  }

  private static <O, V> MapKey<O, V> place(Bytes name, CrdtType<?, O, ?, V> type) {
    return new MapKey<>(name, type);
  }

  /**
   * Fills an object, and deletes it whole and in parts, concurrently with an operation that sees
   * neither deletion.
   */
  private static <S, O, E, V> void check(
      CrdtType<S, O, E, V> type, Random random, Function<Random, O> operations) {
    Replayed<S, O, E, V> whole = new Replayed<>(type);
    for (int i = random.nextInt(300); i >= 0; i--) {
      whole.execute(operations.apply(random));
    }
    Replayed<S, O, E, V> inParts = new Replayed<>(whole);
    VectorClock seen = whole.snapshot();
    E concurrent = whole.effect(operations.apply(random));

    whole.execute(type.deletion().orElseThrow());
    deleteInParts(inParts);

    assertThat(inParts.value()).isEqualTo(whole.value()).isEqualTo(new Replayed<>(type).value());
    whole.receive(concurrent, seen);
    inParts.receive(concurrent, seen);
    assertThat(inParts.value()).isEqualTo(whole.value());
  }

  private static <S, O, E, V> void deleteInParts(Replayed<S, O, E, V> object) {
    O whole = object.type.deletion(new ResetBound(BOUND, false)).orElseThrow();
    O part = object.type.deletion(new ResetBound(BOUND, true)).orElseThrow();
    while (true) {
      byte[] before = object.encoded();
      try {
        assertThat(object.execute(whole).length).isLessThan(MAX_EFFECT);
        return;
      } catch (OperationRefusedException e) {
        assertThat(e).hasMessageContaining(object.type.name()).hasMessageContaining("in parts");
        assertThat(object.execute(part).length).isLessThan(MAX_EFFECT);
        assertThat(object.encoded()).isNotEqualTo(before);
      }
    }
  }

  @Property(tries = TRIES)
  void resetsSetsInParts(@ForAll Random random) {
    check(AddWinsSet.TYPE, random, ResetInPartsProperties::addOrRemove);
    check(RemoveWinsSet.TYPE, random, ResetInPartsProperties::voteFor);
  }

  @Property(tries = TRIES)
  void resetsListsAndTextsInParts(@ForAll Random random) {
    check(RgaList.TYPE, random, any -> RgaList.insert(0, List.of(element(any))));
    check(RgaText.TYPE, random, any -> RgaText.insert(0, "x".repeat(1 + any.nextInt(LONGEST))));
  }

  @Property(tries = TRIES)
  void resetsMapsOfAnyObjectsInParts(@ForAll Random random) {
    check(RecursiveResetMap.TYPE, random, any -> update(any, 0));
  }

  @Property(tries = TRIES)
  void resetsExpiringObjectsInParts(@ForAll Random random) {
    check(
        new Expiring<>(AddWinsSet.TYPE),
        random,
        any ->
            any.nextInt(5) == 0
                ? new Expiring.ExpireAfter<>(Duration.ofDays(1 + any.nextInt(5)))
                : new Expiring.Update<>(addOrRemove(any)));
  }

  @Property(tries = 1)
  void resetsAnObjectOfFewBytesAtOnce() {
    for (boolean isInParts : new boolean[] {true, false}) {
      MvRegister.Operation deletion =
          MvRegister.TYPE.deletion(new ResetBound(BOUND, isInParts)).orElseThrow();
      assertThat(deletion).isEqualTo(new MvRegister.Reset());
    }
  }

  @Property(tries = 1)
  void aBoundLeavesRoomForAnObjectInNestedMaps() {
    assertThatThrownBy(() -> new ResetBound(BOUND - 1, true))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
