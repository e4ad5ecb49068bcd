package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.crdt.counter.BoundedCounter.Decrement;
import io.github.stablecut.crdt.counter.BoundedCounter.Increment;
import io.github.stablecut.crdt.counter.BoundedCounter.Transfer;
import io.github.stablecut.crdt.counter.FatCounter;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.crdt.map.CounterMap;
import io.github.stablecut.crdt.map.RecursiveResetMap;
import io.github.stablecut.crdt.map.RecursiveResetMap.Batch;
import io.github.stablecut.crdt.map.RecursiveResetMap.Remove;
import io.github.stablecut.crdt.map.RecursiveResetMap.Update;
import io.github.stablecut.crdt.register.MvRegister;
import io.github.stablecut.crdt.set.AddWinsSet;
import io.github.stablecut.crdt.set.RemoveWinsSet;
import io.github.stablecut.error.LimitExceededException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The scenarios about data types of docs/protocol.md, section 8; each name has the number. */
class ScenarioTest {
  private static final Bytes X = Bytes.utf8("x");
  private static final Bytes Y = Bytes.utf8("y");

  @Test
  void scenario39aResetOfASetKeepsConcurrentAdditions() {
    var set = new ThreeDataCentres<>(AddWinsSet.TYPE);
    set.at(0, new AddWinsSet.Add(List.of(X)));
    set.meet();

    set.at(0, new AddWinsSet.Reset());
    set.at(1, new AddWinsSet.Add(List.of(Y)));
    set.prune(0);
    set.meet();
    set.prune(1);

    assertThat(set.value(0)).containsExactly(Y);
    assertThat(set.value(1)).containsExactly(Y);
    assertThat(set.value(2)).containsExactly(Y);
  }

  @Test
  void scenario39aResetOfACounterCancelsItsObservedIncrements() {
    var counter = new ThreeDataCentres<>(FatCounter.TYPE);
    counter.at(0, new FatCounter.Add(5));
    counter.meet();
    counter.prune(2);

    counter.at(0, new FatCounter.Add(3));
    counter.at(2, new FatCounter.Reset());
    counter.meet();

    assertThat(counter.value(0)).isEqualTo(3);
    assertThat(counter.value(1)).isEqualTo(3);
    assertThat(counter.value(2)).isEqualTo(3);
  }

  @Test
  void scenario39aResetOfARegisterKeepsConcurrentAssignments() {
    var register = new ThreeDataCentres<>(MvRegister.TYPE);
    register.at(0, new MvRegister.Assign(X));
    register.meet();

    register.at(1, new MvRegister.Assign(Y));
    register.at(2, new MvRegister.Reset());
    register.meet();

    assertThat(register.value(0)).containsExactly(Y);
    assertThat(register.value(2)).containsExactly(Y);
  }

  static List<CrdtType<?, ?, ?, ?>> typesWithAReset() {
    return CrdtTypes.all().stream()
        .filter(type -> !(type instanceof Expiring) && type.resetOperation() != null)
        .toList();
  }

  /** Whichever arrives first, and whether or not it is stored and read in between. */
  @ParameterizedTest
  @MethodSource("typesWithAReset")
  void scenario39aResetOfAnyTypeKeepsConcurrentUpdates(CrdtType<?, ?, ?, ?> type) {
    var specification = Places.untyped(Specification.of(type, 0));
    Object operation = specification.sample().get(0);
    var alone = new ThreeDataCentres<>(specification.type());
    alone.at(1, operation);
    var object = new ThreeDataCentres<>(specification.type());
    object.at(0, operation);
    object.meet();
    assertThat(object.value(2)).isNotEqualTo(value(specification.type()));

    object.at(0, Objects.requireNonNull(specification.type().resetOperation()));
    object.at(1, operation);
    object.receive(2, 1);
    object.prune(2);
    object.receive(2, 0);
    object.receive(1, 0);
    object.receive(0, 1);
    object.prune(0);

    for (int dataCentre = 0; dataCentre < World.DATA_CENTRES; dataCentre++) {
      assertThat(object.value(dataCentre)).isEqualTo(alone.value(1));
    }
    object.at(2, Objects.requireNonNull(specification.type().resetOperation()));
    object.meet();
    assertThat(object.value(0)).isEqualTo(value(specification.type()));
  }

  private static <S> Object value(CrdtType<S, Object, Object, Object> type) {
    return type.value(type.initial(), VectorClock.ZERO);
  }

  @Test
  void scenario40aTransactionSeesItsOwnOperationsInOrder() {
    var set = new ThreeDataCentres<>(AddWinsSet.TYPE);
    var transaction = set.begin(0);

    set.execute(transaction, new AddWinsSet.Add(List.of(X)));
    assertThat(set.value(transaction)).containsExactly(X);
    set.execute(transaction, new AddWinsSet.Remove(List.of(X)));
    assertThat(set.value(transaction)).isEmpty();
    set.execute(transaction, new AddWinsSet.Add(List.of(X, Y)), new AddWinsSet.Remove(List.of(Y)));
    assertThat(set.value(transaction)).containsExactly(X);

    set.commit(0, transaction);
    set.meet();
    assertThat(set.value(1)).containsExactly(X);
    set.at(1, new AddWinsSet.Remove(List.of(X)));
    set.meet();
    assertThat(set.value(0)).isEmpty();
  }

  @Test
  void scenario41aCounterInAMapThatIsBackAtZeroIsThere() {
    MapKey<PnCounter.Add, Long> place = new MapKey<>(X, PnCounter.TYPE);
    var map = new ThreeDataCentres<>(RecursiveResetMap.TYPE);
    map.at(0, new Update<>(place, new PnCounter.Add(1)));
    map.at(0, new Update<>(place, new PnCounter.Add(-1)));
    map.meet();
    map.prune(1);

    assertThat(place.in(map.value(0))).contains(0L);
    assertThat(place.in(map.value(1))).contains(0L);

    map.at(1, new Remove(place));
    map.meet();
    assertThat(map.value(0)).isEmpty();
    assertThat(map.value(1)).isEmpty();
  }

  @Test
  void scenario42aRemovalFromAPrunedStateCoversThePrunedDots() {
    var counter = new ThreeDataCentres<>(FatCounter.TYPE);
    counter.at(0, new FatCounter.Add(5));
    counter.meet();
    counter.prune(1);

    counter.at(1, new FatCounter.Reset());
    counter.meet();

    assertThat(counter.value(0)).isZero();
    assertThat(counter.value(1)).isZero();
  }

  @Test
  void scenario44rightsAreNeitherLostNorSpentTwice() {
    var counter = new ThreeDataCentres<>(BoundedCounter.TYPE);
    counter.at(0, new Increment(10));
    counter.at(0, new Transfer(4, 1));
    List<
            Replica<BoundedCounter.State, BoundedCounter.Operation, BoundedCounter.Effect, Long>
                .OpenTransaction>
        open = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      var transaction = counter.begin(0);
      counter.execute(transaction, new Decrement(1));
      open.add(transaction);
    }
    int committed = 0;
    for (var transaction : open) {
      committed += counter.commit(0, transaction) ? 1 : 0;
    }

    assertThat(committed).isEqualTo(1);
    assertThat(counter.value(0)).isEqualTo(9);
    assertThat(counter.value(1)).isZero();
    assertThatThrownBy(() -> counter.at(1, new Decrement(1)))
        .isInstanceOf(OperationRefusedException.class)
        .hasMessageContaining("data centre 1 has 0 of the total 0");

    counter.prune(0); // encodes and decodes, as a crash does
    counter.meet();
    counter.at(0, new Decrement(5));
    counter.at(1, new Decrement(4));
    assertThatThrownBy(() -> counter.at(0, new Decrement(1)))
        .hasMessageContaining("a decrement of 1 needs as many rights, but data centre 0 has 0");
    counter.meet();
    assertThat(counter.value(0)).isZero();
    assertThat(counter.value(1)).isZero();
    assertThat(counter.value(2)).isZero();
  }

  @Test
  void scenario45aTransactionWithAnOldSnapshotHoldsTheFrontierBack() {
    var set = new ThreeDataCentres<>(RemoveWinsSet.TYPE);
    var old = set.begin(0);
    set.execute(old, new RemoveWinsSet.Add(List.of(X)));
    set.at(0, new RemoveWinsSet.Remove(List.of(X)));
    set.meet();
    set.commit(0, old);

    set.prune(0, List.of(1, 0, 0)); // the run has the removal and not the addition
    set.meet();

    assertThat(set.value(0)).isEmpty();
    assertThat(set.value(1)).isEmpty();
  }

  @Test
  void scenario46aSumThatNoLongHoldsIsRefusedToReadersAndKept() {
    var counter = new ThreeDataCentres<>(PnCounter.TYPE);
    counter.at(0, new PnCounter.Add(Long.MAX_VALUE));
    counter.at(1, new PnCounter.Add(2));
    counter.meet();

    assertThatThrownBy(() -> counter.value(0))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("9,223,372,036,854,775,809");
    counter.at(2, new PnCounter.Add(-2));
    counter.meet();

    assertThat(counter.value(0)).isEqualTo(Long.MAX_VALUE);
    assertThat(counter.value(1)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void scenario46aMapShowsItsOtherCountersBesideSuchASum() {
    var counters = new ThreeDataCentres<>(CounterMap.TYPE);
    counters.at(0, new CounterMap.Add(Map.of(X, Long.MAX_VALUE, Y, 7L)));
    counters.at(1, new CounterMap.Add(Map.of(X, 2L)));
    counters.meet();

    Map<Bytes, Long> value = counters.value(0);

    assertThat(value.get(Y)).isEqualTo(7);
    assertThatThrownBy(() -> value.get(X)).isInstanceOf(LimitExceededException.class);
    assertThat(UnreadableValue.orSum(() -> value.get(X)))
        .isEqualTo(new BigInteger("9223372036854775809"));
    assertThat(value).hasToString("{%s=9223372036854775809, %s=7}".formatted(X, Y));
  }

  @Test
  void scenario46absentEntriesCanBeRemoved() {
    var set = new ThreeDataCentres<>(AddWinsSet.TYPE);
    set.at(0, new AddWinsSet.Remove(List.of(X)), new AddWinsSet.Add(List.of()));
    var map = new ThreeDataCentres<>(RecursiveResetMap.TYPE);
    map.at(0, new Batch(List.of()), new Remove(new MapKey<>(X, PnCounter.TYPE)));
    set.meet();
    map.meet();

    assertThat(set.value(1)).isEmpty();
    assertThat(map.value(1)).isEqualTo(Map.of());
  }

  @Test
  void scenario53anElementThatWasPrunedToNothingCanComeBack() {
    var set = new ThreeDataCentres<>(RemoveWinsSet.TYPE);
    set.at(1, new RemoveWinsSet.Remove(List.of(X)));
    set.meet();
    set.prune(0);
    assertThat(set.state(0)).isEqualTo(RemoveWinsSet.TYPE.initial());
    assertThat(set.state(1)).isNotEqualTo(RemoveWinsSet.TYPE.initial());

    set.at(0, new RemoveWinsSet.Add(List.of(X)));
    set.meet();

    assertThat(set.value(0)).containsExactly(X);
    assertThat(set.value(1)).containsExactly(X);
  }
}
