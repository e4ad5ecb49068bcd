package io.github.stablecut.internal.index;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The budget counts the real heap size of effects, whatever their operation. */
final class EffectMemoryTest {
  private static List<Long> numbers(int count) {
    return LongStream.range(0, count).map(i -> i * 1_000).boxed().collect(Collectors.toList());
  }

  private static List<String> letters(int count) {
    return IntStream.range(0, count).mapToObj(i -> Integer.toString(i, 36)).toList();
  }

  /** Operations with their multiplicity. */
  private static final List<IntFunction<Update>> OPERATIONS =
      List.of(
          n -> Key.counter("b", "k").increment(n),
          n -> Key.counter("b", "k").increment(Long.MIN_VALUE + n),
          n -> Key.resettableCounter("b", "k").increment(n),
          n -> Key.boundedCounter("b", "k").increment(n),
          n -> Key.register("b", "k", Codec.string()).assign("v".repeat(n)),
          n -> Key.multiValueRegister("b", "k", Codec.string()).assign("v".repeat(n)),
          n -> Key.growOnlySet("b", "k", Codec.int64()).addAll(numbers(n)),
          n -> Key.growOnlySet("b", "k", Codec.string()).addAll(letters(n)),
          n -> Key.addWinsSet("b", "k", Codec.int64()).addAll(numbers(n)),
          n -> Key.addWinsSet("b", "k", Codec.string()).removeAll(letters(n)),
          n -> Key.removeWinsSet("b", "k", Codec.string()).addAll(letters(n)),
          n -> Key.removeWinsSet("b", "k", Codec.string()).removeAll(letters(n)),
          n -> Key.enableWinsFlag("b", "k").enable(),
          n -> Key.disableWinsFlag("b", "k").disable(),
          n ->
              Key.counterMap("b", "k", Codec.string())
                  .incrementAll(letters(n).stream().collect(toMap(Function.identity(), i -> 1L))),
          n -> Key.list("b", "k", Codec.string()).insertAll(0, letters(n)),
          n -> Key.text("b", "k").insert(0, "t".repeat(n)),
          n -> Key.stream("b", "k", Codec.string()).appendAll(letters(n)),
          n ->
              Key.map("b", "k")
                  .batch(
                      letters(n).stream()
                          .map(name -> Key.map("b", "k").counter(name).increment())
                          .toArray(Update[]::new)),
          n ->
              Key.growOnlyMap("b", "k")
                  .batch(
                      letters(n).stream()
                          .map(name -> Key.growOnlyMap("b", "k").counter(name).increment())
                          .toArray(Update[]::new)));

  @Test
  void anEffectTakesNoMoreThanIsCounted() throws IllegalAccessException {
    for (IntFunction<Update> operation : OPERATIONS) {
      for (int n : new int[] {1, 2, 3, 10, 100, 10_000}) {
        Update update = operation.apply(n);
        Object effect = effectOf(update.key().type(), update.operation());
        IndexedEffect indexed = indexed(update.key().type(), effect);

        assertThat(takenBy(indexed)).as("%s", update.key().type().name()).isPositive();
        assertThat(takenBy(indexed))
            .as("%d times on %s", n, update.key().type().name())
            .isLessThanOrEqualTo(indexed.keptBytes());
        assertThat(indexed.keptBytes()).isLessThan(2 * indexed.bytes() + 128);
        assertThat(indexed.effect()).hasValue(effect);
      }
    }
  }

  @Test
  void anEvictedEffectTakesNothing() throws IllegalAccessException {
    Update update = Key.growOnlySet("b", "k", Codec.int64()).addAll(numbers(100));
    IndexedEffect indexed =
        indexed(update.key().type(), effectOf(update.key().type(), update.operation()));

    indexed.evict();

    assertThat(takenBy(indexed)).isZero();
    assertThat(indexed.effect()).isEmpty();
  }

  private static <S, O, E> E effectOf(CrdtType<S, O, E, ?> type, Object operation) {
    @SuppressWarnings("unchecked") // the key's operation belongs to the key's type
    O own = (O) operation;
    return type.downstream(
        own, type.initial(), new OperationContext(0, VectorClock.ZERO, new SelfDots()));
  }

  @SuppressWarnings("unchecked") // the effect belongs to the type
  private static <E> IndexedEffect indexed(CrdtType<?, ?, E, ?> type, Object effect) {
    Commit commit = new Commit(new EffectOrigin(0, 1, VectorClock.ZERO), VectorClock.ZERO, 1);
    return IndexedEffect.inMemory(
        commit, type, 0, effect, CrdtCodec.encodeEffect(type, (E) effect));
  }

  /** The heap size of the effect without the parts that stay after eviction. */
  private static long takenBy(IndexedEffect indexed) throws IllegalAccessException {
    IndexedEffect empty = IndexedEffect.inJournal(indexed.commit(), indexed.type(), 0, 1);
    return HeapWalk.bytes(indexed) - HeapWalk.bytes(empty);
  }

  /**
   * An id of three letters takes 24 bytes, an entry 32, its content 24, an effect 32, and a version
   * 32.
   */
  @Test
  void aCounterTakesFewBytesBesideItsId() throws IllegalAccessException {
    ObjectIndex index = new ObjectIndex(true);
    IndexedEffect effect =
        indexed(
            PnCounter.TYPE,
            effectOf(PnCounter.TYPE, Key.counter("b", "k").increment().operation()));
    VectorClock at = effect.commit().vector();

    index.append(Bytes.utf8("one"), effect);
    index.append(
        Bytes.utf8("two"),
        IndexedEffect.inMemory(
            effect.commit(), PnCounter.TYPE, 1, effect.effect().orElseThrow(), new byte[1]));

    assertThat(bytesOfSecond(index)).isEqualTo(24 + 32 + 24 + 32);
    for (String id : List.of("one", "two")) {
      index.offer(Bytes.utf8(id), new Version(PnCounter.TYPE, at, at, 1L, 1));
    }
    assertThat(bytesOfSecond(index)).isEqualTo(24 + 32 + 24 + 32 + 32);
  }

  /** The heap size that the second object adds. */
  private static long bytesOfSecond(ObjectIndex index) throws IllegalAccessException {
    ObjectEntry one = index.get(Bytes.utf8("one")).orElseThrow();
    ObjectEntry two = index.get(Bytes.utf8("two")).orElseThrow();
    return HeapWalk.bytes(new Object[] {one, two}) - HeapWalk.bytes(new Object[] {one, one});
  }

  @Test
  void additionsOfSmallAmountsAreShared() {
    for (long amount : new long[] {-16, 0, 1, 16}) {
      assertThat(PnCounter.Add.of(amount))
          .isEqualTo(new PnCounter.Add(amount))
          .isSameAs(PnCounter.Add.of(amount));
    }
    for (long amount : new long[] {Long.MIN_VALUE, -17, 17, Long.MAX_VALUE}) {
      assertThat(PnCounter.Add.of(amount)).isEqualTo(new PnCounter.Add(amount));
    }
  }

  @Test
  void theHeapWalkFindsReachableObjects() throws IllegalAccessException {
    assertThat(HeapWalk.bytes(Bytes.wrap(new byte[1_000]))).isEqualTo(24 + 16 + 1_000);
    assertThat(HeapWalk.bytes(new Object[] {1L, "ab", new int[2]}))
        .isEqualTo(32 + 24 + 24 + 24 + 24);
  }
}
