package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.GrowOnlyMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.map.RecursiveResetMap.Batch;
import io.github.stablecut.crdt.map.RecursiveResetMap.Remove;
import io.github.stablecut.crdt.map.RecursiveResetMap.Reset;
import io.github.stablecut.crdt.map.RecursiveResetMap.Update;
import io.github.stablecut.crdt.register.DisableWinsFlag;
import io.github.stablecut.crdt.register.EnableWinsFlag;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.crdt.register.MvRegister;
import io.github.stablecut.crdt.set.AddWinsSet;
import io.github.stablecut.crdt.set.GrowOnlySet;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import io.github.stablecut.error.LimitExceededException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The behaviour of AntidoteDB's types, and the improvements of ours (docs/sources.md, AntidoteDB).
 */
class AntidoteTest {
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");

  private static final MapKey<PnCounter.Add, Long> COUNTER = new MapKey<>(A, PnCounter.TYPE);

  @Test
  void setsAscendBytewise() {
    List<Bytes> elements =
        List.of(
            Bytes.EMPTY,
            Bytes.wrap(new byte[] {0}),
            Bytes.utf8("B"),
            Bytes.utf8("a"),
            Bytes.utf8("aa"),
            Bytes.utf8("b"),
            Bytes.wrap(new byte[] {-1}));
    List<Bytes> shuffled = new ArrayList<>(elements.subList(3, 7));
    shuffled.addAll(elements.subList(0, 3));
    var addWins = new ThreeDataCentres<>(AddWinsSet.TYPE);
    addWins.at(0, new AddWinsSet.Add(shuffled));
    var removeWins = new ThreeDataCentres<>(RemoveWinsSet.TYPE);
    removeWins.at(0, new RemoveWinsSet.Add(shuffled));
    var growOnly = new ThreeDataCentres<>(GrowOnlySet.TYPE);
    growOnly.at(0, new GrowOnlySet.Add(shuffled));

    assertThat(addWins.value(0)).containsExactlyElementsOf(elements);
    assertThat(removeWins.value(0)).containsExactlyElementsOf(elements);
    assertThat(growOnly.value(0)).containsExactlyElementsOf(elements);
  }

  @Test
  void aConcurrentAdditionBeatsARemovalOrLosesToIt() {
    var addWins = new ThreeDataCentres<>(AddWinsSet.TYPE);
    addWins.at(0, new AddWinsSet.Add(List.of(A)));
    addWins.meet();
    addWins.at(0, new AddWinsSet.Remove(List.of(A)));
    addWins.at(1, new AddWinsSet.Add(List.of(A)));
    addWins.meet();
    var removeWins = new ThreeDataCentres<>(RemoveWinsSet.TYPE);
    removeWins.at(0, new RemoveWinsSet.Remove(List.of(A)));
    removeWins.at(1, new RemoveWinsSet.Add(List.of(A)));
    removeWins.meet();

    assertThat(addWins.value(2)).containsExactly(A);
    assertThat(removeWins.value(2)).isEmpty();
  }

  @Test
  void removingAMissingElementLeavesNoPermanentTombstone() {
    var set = new ThreeDataCentres<>(RemoveWinsSet.TYPE);
    set.at(0, new RemoveWinsSet.Remove(List.of(A, B)));
    set.meet();
    set.prune(0);

    assertThat(set.state(0)).isEqualTo(RemoveWinsSet.TYPE.initial());
  }

  @Test
  void aConcurrentEnablingBeatsADisablingOrLosesToIt() {
    var enableWins = new ThreeDataCentres<>(EnableWinsFlag.TYPE);
    enableWins.at(0, EnableWinsFlag.Operation.ENABLE);
    enableWins.at(1, EnableWinsFlag.Operation.DISABLE);
    enableWins.meet();
    var disableWins = new ThreeDataCentres<>(DisableWinsFlag.TYPE);
    disableWins.at(0, DisableWinsFlag.Operation.ENABLE);
    disableWins.at(1, DisableWinsFlag.Operation.DISABLE);
    disableWins.meet();

    assertThat(enableWins.value(2)).isTrue();
    assertThat(disableWins.value(2)).isFalse();
  }

  @Test
  void anAssignmentWinsOverTheOnesItHasSeenWhateverTheClocks() {
    var register = new ThreeDataCentres<>(LwwRegister.TYPE);
    register.at(2, new LwwRegister.Assign(B));
    register.receive(0, 2);
    register.at(0, new LwwRegister.Assign(A));
    register.meet();

    assertThat(register.value(2)).contains(A);
  }

  @Test
  void equalValuesOfConcurrentWritersAreListedTwice() {
    var register = new ThreeDataCentres<>(MvRegister.TYPE);
    register.at(0, new MvRegister.Assign(B));
    register.at(1, new MvRegister.Assign(A));
    register.at(2, new MvRegister.Assign(B));
    register.meet();

    assertThat(register.value(0)).containsExactly(A, B, B);
  }

  @Test
  void entriesAscendByKeyThenType() {
    var map = new ThreeDataCentres<>(GrowOnlyMap.TYPE);
    MapKey<LwwRegister.Operation, ?> register = new MapKey<>(A, LwwRegister.TYPE);
    MapKey<PnCounter.Add, ?> last = new MapKey<>(B, PnCounter.TYPE);
    map.at(0, GrowOnlyMap.Update.of(last, new PnCounter.Add(2)));
    map.at(0, GrowOnlyMap.Update.of(register, new LwwRegister.Assign(A)));
    map.at(0, GrowOnlyMap.Update.of(COUNTER, new PnCounter.Add(1)));

    List<MapKey<?, ?>> places = new ArrayList<>(map.value(0).keySet());
    assertThat(places).isEqualTo(List.of(COUNTER, register, last));
  }

  /** AntidoteDB's map keeps counters, registers and grow-only maps after their removal. */
  @Test
  void objectsOfAnyTypeCanBeRemoved() {
    for (CrdtType<?, ?, ?, ?> type : CrdtTypes.all()) {
      assertCanBeRemoved(Places.untyped(Specification.of(type, 1)));
    }
  }

  private static void assertCanBeRemoved(
      Specification<Object, Object, Object, Object> specification) {
    MapKey<Object, Object> place = new MapKey<>(A, specification.type());
    for (RecursiveResetMap.Operation removal : List.of(new Remove(place), new Reset())) {
      var map = new ThreeDataCentres<>(RecursiveResetMap.TYPE);
      for (Object operation : specification.sample()) {
        map.at(0, new Update<>(place, operation));
      }
      assertThat(map.value(0)).containsKey(place);
      map.meet();
      map.prune(1);

      map.at(1, removal);
      map.meet();

      assertThat(map.value(0)).as("%s after %s", place, removal).isEqualTo(Map.of());
      assertThat(map.value(1)).as("%s after %s", place, removal).isEqualTo(Map.of());
      map.prune(0);
      assertThat(map.state(0)).isEqualTo(RecursiveResetMap.TYPE.initial());
    }
  }

  @Test
  void updatesConcurrentWithARemovalSurvive() {
    MapKey<GrowOnlySet.Add, ?> set = new MapKey<>(B, GrowOnlySet.TYPE);
    var map = new ThreeDataCentres<>(RecursiveResetMap.TYPE);
    map.at(0, new Update<>(COUNTER, new PnCounter.Add(5)));
    map.at(0, new Update<>(set, new GrowOnlySet.Add(List.of(A))));
    map.meet();
    map.prune(0);

    map.at(0, new Remove(COUNTER), new Remove(set));
    map.at(1, new Update<>(COUNTER, new PnCounter.Add(2)));
    map.at(1, new Update<>(set, new GrowOnlySet.Add(List.of(B))));
    map.meet();

    assertThat(COUNTER.in(map.value(0))).contains(2L);
    assertThat(COUNTER.in(map.value(1))).contains(2L);
    assertThat(map.value(2).get(set)).isEqualTo(java.util.Set.of(B));
  }

  @Test
  void entriesExistWhetherOrNotTheirObjectsAreEmpty() {
    MapKey<AddWinsSet.Operation, ?> set = new MapKey<>(B, AddWinsSet.TYPE);
    var map = new ThreeDataCentres<>(RecursiveResetMap.TYPE);
    map.at(0, new Update<>(COUNTER, new PnCounter.Add(0)));
    map.at(0, new Update<>(set, new AddWinsSet.Remove(List.of(A))));

    assertThat(map.value(0).get(COUNTER)).isEqualTo(0L);
    assertThat(map.value(0).get(set)).isEqualTo(java.util.Set.of());
  }

  /** In AntidoteDB both values stay, and the update of a batch outlives its removal. */
  @Test
  void aBatchIsExecutedInOrder() {
    MapKey<MvRegister.Operation, List<Bytes>> register = new MapKey<>(B, MvRegister.TYPE);
    var map = new ThreeDataCentres<>(RecursiveResetMap.TYPE);
    map.at(
        0,
        new Batch(
            List.of(
                new Update<>(register, new MvRegister.Assign(A)),
                new Update<>(register, new MvRegister.Assign(B)),
                new Update<>(COUNTER, new PnCounter.Add(1)),
                new Remove(COUNTER))));
    assertThat(register.in(map.value(0))).contains(List.of(B));
    assertThat(COUNTER.in(map.value(0))).isEmpty();

    map.at(
        0, new Batch(List.of(new Remove(register), new Update<>(COUNTER, new PnCounter.Add(1)))));
    assertThat(map.value(0)).isEqualTo(Map.of(COUNTER, 1L));
  }

  @Test
  void objectsNestUpToTheDepthLimit() {
    RecursiveResetMap.Operation operation = new Update<>(COUNTER, new PnCounter.Add(1));
    MapKey<RecursiveResetMap.Operation, ?> place = new MapKey<>(A, RecursiveResetMap.TYPE);
    for (int depth = 2; depth < Encoder.MAX_DEPTH; depth++) {
      operation = new Update<>(place, operation);
    }
    var map = new ThreeDataCentres<>(RecursiveResetMap.TYPE);
    RecursiveResetMap.Operation deepest = new Update<>(place, operation);
    map.at(0, deepest);
    map.meet();
    map.prune(1);

    assertThat(map.value(1)).isEqualTo(map.value(0)).isNotEmpty();
    assertThatThrownBy(() -> new Update<>(place, deepest))
        .isInstanceOf(LimitExceededException.class)
        .hasMessage(Encoder.TOO_DEEP);
  }

  @Test
  void aTransferToTheSameDataCentreChangesNothing() {
    var counter = new ThreeDataCentres<>(BoundedCounter.TYPE);
    counter.at(0, new BoundedCounter.Increment(3));
    counter.at(0, new BoundedCounter.Transfer(2, 0));

    assertThat(counter.value(0)).isEqualTo(3);
    assertThat(BoundedCounter.rights(counter.state(0), 0)).isEqualTo(3);
  }

  @Test
  void amountsOfABoundedCounterAreAboveZero() {
    assertThatThrownBy(() -> new BoundedCounter.Increment(0)).hasMessageContaining("not 0");
    assertThatThrownBy(() -> new BoundedCounter.Decrement(-1)).hasMessageContaining("not -1");
    assertThatThrownBy(() -> new BoundedCounter.Transfer(1, -1)).hasMessageContaining("-1");
  }
}
