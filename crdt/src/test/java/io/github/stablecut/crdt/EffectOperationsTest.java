package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.CounterMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.sequence.RgaList;
import io.github.stablecut.crdt.sequence.RgaText;
import io.github.stablecut.crdt.stream.EntryStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Effects have operations with the same effect, except for operations on positions. */
class EffectOperationsTest {
  private static final Bytes X = Bytes.utf8("x");

  static Stream<CrdtType<?, ?, ?, ?>> typesWithoutPositions() {
    return CrdtTypes.all().stream()
        .filter(
            type ->
                Stream.of(RgaList.TYPE, RgaText.TYPE, EntryStream.TYPE)
                    .noneMatch(positions -> type.name().endsWith(positions.name())));
  }

  @ParameterizedTest
  @MethodSource("typesWithoutPositions")
  void eachKindOfEffectHasItsOperation(CrdtType<?, ?, ?, ?> type) {
    assertAllSay(Specification.of(type, 0));
  }

  private static <O> void assertAllSay(Specification<?, O, ?, ?> specification) {
    List<O> sample = specification.sample();
    assertThat(new EffectLaws<>(specification).check(sample)).isEqualTo(sample.size());
  }

  @Test
  void effectsInMapsAreOperationsOfTheMap() {
    MapKey<PnCounter.Add, Long> likes = new MapKey<>(X, PnCounter.TYPE);
    MapKey<LwwRegister.Operation, ?> title = new MapKey<>(X, LwwRegister.TYPE);
    RecursiveResetMap.Operation both =
        new RecursiveResetMap.Batch(
            List.of(
                new RecursiveResetMap.Update<>(likes, new PnCounter.Add(3)),
                new RecursiveResetMap.Update<>(title, new LwwRegister.Clear()),
                new RecursiveResetMap.Remove(likes)));

    assertThat(said(RecursiveResetMap.TYPE, both)).isEqualTo(both);
  }

  @Test
  void anAppendHasItsEntriesAndListPositionsHaveNoOperation() {
    EntryStream.Operation append = new EntryStream.Append(List.of(X), false);

    assertThat(said(EntryStream.TYPE, append)).isEqualTo(append);
    RecursiveResetMap.Operation inMap =
        new RecursiveResetMap.Batch(
            List.of(
                new RecursiveResetMap.Update<>(
                    new MapKey<>(X, CounterMap.TYPE), new CounterMap.Add(Map.of(X, 1L))),
                new RecursiveResetMap.Update<>(
                    new MapKey<>(X, RgaList.TYPE), RgaList.insert(0, List.of(X)))));
    assertThat(
            RecursiveResetMap.TYPE.operation(
                RecursiveResetMap.TYPE.downstream(
                    inMap, RecursiveResetMap.TYPE.initial(), context())))
        .as("a part of it would mislead")
        .isEmpty();
  }

  private static OperationContext context() {
    return new OperationContext(0, VectorClock.ZERO, new SelfDots());
  }

  private static <S, O, E> O said(CrdtType<S, O, E, ?> type, O operation) {
    return type.operation(type.downstream(operation, type.initial(), context())).orElseThrow();
  }
}
