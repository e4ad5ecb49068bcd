package io.github.stablecut.crdt.set;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.internal.state.HeldAs;
import io.github.stablecut.crdt.internal.state.Lists;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import io.github.stablecut.crdt.internal.tree.SortedView;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;

/**
 * A set without removal (Shapiro et al. 2011, section 3.3.1).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Add}</td><td>the operation itself: blind</td><td>are united</td></tr>
 * </table>
 *
 * <p>Value: all elements, in ascending order. Space: the elements.
 */
public final class GrowOnlySet
    implements CrdtType<GrowOnlySet.State, GrowOnlySet.Add, GrowOnlySet.Add, NavigableSet<Bytes>> {
  /** The type. */
  public static final GrowOnlySet TYPE = new GrowOnlySet();

  private static final State EMPTY = new State(PersistentMap.empty());

  private static final HeldAs<?, Add, ?, ?, NavigableSet<Bytes>> RESETTABLE =
      new HeldAs<>(
          TYPE,
          AddWinsSet.TYPE,
          add -> new AddWinsSet.Add(add.elements),
          GrowOnlySet::plain,
          AddWinsSet.TYPE::value);

  private GrowOnlySet() {}

  private static Optional<Add> plain(AddWinsSet.Operation operation) {
    return operation instanceof AddWinsSet.Add add
        ? Optional.of(new Add(add.elements()))
        : Optional.empty();
  }

  /** Adds elements. */
  public record Add(List<Bytes> elements) {
    /** Copies the list in ascending order, each element once. */
    public Add {
      elements = Bytes.ascending(elements);
    }
  }

  /** The elements, as the keys of a map. */
  public record State(PersistentMap<Bytes, Boolean> elements) {}

  @Override
  public int typeId() {
    return 7;
  }

  @Override
  public String name() {
    return "grow-only set";
  }

  @Override
  public State initial() {
    return EMPTY;
  }

  @Override
  public boolean needsState(Add operation) {
    return false;
  }

  @Override
  public Add downstream(Add operation, State state, OperationContext context) {
    return operation;
  }

  @Override
  public Optional<Add> operation(Add effect) {
    return Optional.of(effect);
  }

  @Override
  public List<Footprint> footprints(Add operation) {
    return Lists.map(operation.elements, Footprint::element);
  }

  @Override
  public boolean touches(Add effect, Footprint footprint) {
    return !(footprint instanceof Footprint.Elements range)
        || effect.elements.stream().anyMatch(range::contains);
  }

  @Override
  public State apply(State state, Add effect, EffectOrigin origin) {
    PersistentMap<Bytes, Boolean> elements = state.elements;
    for (Bytes element : effect.elements) {
      elements = elements.getForChange(element) == null ? elements.with(element, true) : elements;
    }
    return new State(elements);
  }

  @Override
  public NavigableSet<Bytes> value(State state, VectorClock snapshot) {
    return SortedView.of(state.elements, Bytes.class, (element, present) -> present).keySet();
  }

  @Override
  public State prune(State state, VectorClock frontier) {
    return state;
  }

  @Override
  public boolean isSettled(State state) {
    return true;
  }

  @Override
  public CrdtType<?, Add, ?, NavigableSet<Bytes>> resettable() {
    return RESETTABLE;
  }

  @Override
  public void writeOperation(Add operation, Encoder out) {
    writeEffect(operation, out);
  }

  @Override
  public Add readOperation(Decoder in) {
    return readEffect(in);
  }

  @Override
  public void writeState(State state, Encoder out) {
    state.elements.write(out, (element, to) -> to.writeBytes(element), (present, to) -> {});
  }

  @Override
  public State readState(Decoder in) {
    return new State(PersistentMap.read(in, 1, Decoder::readBytes, from -> true));
  }

  @Override
  public void writeEffect(Add effect, Encoder out) {
    out.writeAll(effect.elements);
  }

  @Override
  public Add readEffect(Decoder in) {
    return new Add(in.readAscending(1, Decoder::readBytes, element -> element));
  }
}
