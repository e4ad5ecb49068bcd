package io.github.stablecut.crdt.register;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Event;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.ThreeDataCentres;
import io.github.stablecut.crdt.World;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.register.LwwRecord.Operation;
import io.github.stablecut.crdt.register.LwwRecord.Reset;
import io.github.stablecut.crdt.register.LwwRecord.Write;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.Tuple;

/**
 * A record: it exists if no reset has seen some write; each column has the value of the last write
 * that neither another write to the column nor a reset has seen.
 */
class LwwRecordProperties
    extends Specification<
        LwwRecord.State, Operation, LwwRecord.Effect, Optional<SortedMap<Integer, Bytes>>> {
  private static final List<Integer> COLUMNS = List.of(0, 1, 2, 300);

  @Override
  public LwwRecord type() {
    return LwwRecord.TYPE;
  }

  private static Write write(Map<Integer, Optional<Bytes>> columns) {
    return new Write(new TreeMap<>(columns));
  }

  @Override
  public List<Operation> sample() {
    return List.of(
        write(Map.of(1, Optional.of(Samples.A), 300, Optional.of(Samples.B))),
        write(Map.of(1, Optional.empty(), 2, Optional.of(Samples.A))),
        new Reset(),
        write(Map.of()),
        write(Map.of(2, Optional.of(Samples.B))));
  }

  @Override
  public Arbitrary<Operation> operations() {
    Arbitrary<Operation> writes =
        Arbitraries.maps(Arbitraries.of(COLUMNS), Samples.elements().optional(0.7))
            .ofMaxSize(3)
            .map(LwwRecordProperties::write);
    return Arbitraries.frequencyOf(Tuple.of(4, writes), Tuple.of(1, Arbitraries.of(new Reset())));
  }

  @Override
  public Optional<SortedMap<Integer, Bytes>> value(
      Events<Operation> visible, VectorClock snapshot) {
    Events<Operation> left = visible.notFollowedBy(Reset.class::isInstance);
    if (left.operations().noneMatch(Write.class::isInstance)) {
      return Optional.empty();
    }
    TreeMap<Integer, Bytes> columns = new TreeMap<>();
    for (int column : COLUMNS) {
      left.filter(event -> names(event.operation(), column))
          .filter(event -> !visible.isFollowed(event, later -> names(later, column)))
          .operations()
          .flatMap(write -> Stream.ofNullable(((Write) write).columns().get(column)))
          .flatMap(Optional::stream)
          .reduce((first, later) -> later)
          .ifPresent(value -> columns.put(column, value));
    }
    return Optional.of(columns);
  }

  private static boolean names(Operation operation, int column) {
    return operation instanceof Write write && write.columns().containsKey(column);
  }

  @Override
  public int maxBytes(Events<Operation> visible, VectorClock frontier) {
    Events<Operation> left =
        visible
            .notFollowedBy(Reset.class::isInstance)
            .filter(event -> event.operation() instanceof Write);
    int bytes = Samples.COUNT_BYTES;
    for (Event<Operation> event : left.stream().toList()) {
      long columns =
          COLUMNS.stream()
              .filter(column -> names(event.operation(), column))
              .filter(column -> !visible.isFollowed(event, later -> names(later, column)))
              .count();
      boolean isLast = !visible.isFollowed(event, later -> true);
      bytes +=
          columns > 0 || isLast
              ? Samples.DOT_BYTES + 1 + (int) columns * (2 + Samples.ELEMENT_BYTES)
              : 0;
    }
    return bytes;
  }

  @Example
  void aWriteConcurrentWithAResetStaysWithoutTheOtherColumns() {
    var row = new ThreeDataCentres<>(LwwRecord.TYPE);
    row.at(0, write(Map.of(1, Optional.of(Samples.A), 2, Optional.of(Samples.A))));
    row.meet();
    row.prune(0);

    row.at(0, new Reset());
    row.at(1, write(Map.of(2, Optional.of(Samples.B))));
    row.at(2, write(Map.of(300, Optional.of(Samples.B))));
    row.meet();

    for (int dataCentre = 0; dataCentre < World.DATA_CENTRES; dataCentre++) {
      assertThat(row.value(dataCentre))
          .contains(new TreeMap<>(Map.of(2, Samples.B, 300, Samples.B)));
    }
    row.at(2, new Reset());
    row.meet();
    assertThat(row.state(1)).isEqualTo(LwwRecord.TYPE.initial());
  }

  @Example
  void refusesInvalidRecords() {
    assertThatThrownBy(() -> write(Map.of(-1, Optional.empty())))
        .isInstanceOf(IllegalArgumentException.class);
    byte[] descending = {1, 14, 1, 1, 1, 0, 2, 2, 0, 1, 0};
    assertThatThrownBy(() -> CrdtCodec.decodeState(LwwRecord.TYPE, descending))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("columns are not in ascending order: 2, 1");
    byte[] dots = {1, 14, 2, 1, 2, 0, 0, 1, 1, 0, 0};
    assertThatThrownBy(() -> CrdtCodec.decodeState(LwwRecord.TYPE, dots))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("not in ascending order");
  }
}
