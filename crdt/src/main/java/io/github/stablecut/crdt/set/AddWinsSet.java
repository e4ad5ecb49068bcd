package io.github.stablecut.crdt.set;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.ResetBound;
import io.github.stablecut.crdt.ResetBudget;
import io.github.stablecut.crdt.internal.state.DotSet;
import io.github.stablecut.crdt.internal.state.Lists;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import io.github.stablecut.crdt.internal.tree.SortedView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;

/**
 * A set in which an addition wins over a concurrent removal (Bieniusa et al., "An Optimized
 * Conflict-free Replicated Set", INRIA RR-8083, 2012; here op-based and without tombstones).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Add}</td><td>per element: its observed dots and a new one</td><td>win over removals</td></tr>
 * <tr><td>{@link Remove}</td><td>per element: its observed dots</td><td>remove only what they observed</td></tr>
 * <tr><td>{@link Reset}</td><td>the removal of every observed element</td><td>likewise</td></tr>
 * </table>
 *
 * <p>Value: the elements with an addition that no removal has observed, in ascending order. Space:
 * one dot per element, plus one per concurrent addition until the next operation on the element.
 */
public final class AddWinsSet
    implements CrdtType<
        AddWinsSet.State, AddWinsSet.Operation, AddWinsSet.Effect, NavigableSet<Bytes>> {
  /** The type. */
  public static final AddWinsSet TYPE = new AddWinsSet();

  private static final State EMPTY = new State(PersistentMap.empty());
  private static final int MIN_CHANGE_BYTES = 3;
  private static final int MIN_ELEMENT_BYTES = 2;

  private static final int ADD = 0;
  private static final int REMOVE = 1;
  private static final int RESET = 2;
  private static final int RESET_WITHIN = 3;

  private AddWinsSet() {}

  /** The operations on the set. */
  public sealed interface Operation {}

  /** Adds elements. */
  public record Add(List<Bytes> elements) implements Operation {
    /** Copies the list in ascending order, each element once. */
    public Add {
      elements = Bytes.ascending(elements);
    }
  }

  /** Removes elements; absent ones are ignored. */
  public record Remove(List<Bytes> elements) implements Operation {
    /** Copies the list in ascending order, each element once. */
    public Remove {
      elements = Bytes.ascending(elements);
    }
  }

  /** Removes all elements. */
  public record Reset() implements Operation {}

  /** Like {@link Reset}, but with an effect of bounded size. */
  public record ResetWithin(ResetBound bound) implements Operation {}

  /** Changes of elements, one per element. */
  public record Effect(List<Change> changes) {
    /** Copies the list. */
    public Effect {
      changes = List.copyOf(changes);
    }
  }

  /**
   * The change of one element.
   *
   * @param observed the dots that it removes
   * @param added the dot that it adds, if any
   */
  public record Change(Bytes element, DotSet observed, Optional<Dot> added) {
    DotSet applyTo(DotSet dots, EffectOrigin origin) {
      DotSet kept = dots.withoutObserved(observed, origin);
      return added.isPresent() ? kept.with(origin.resolve(added.get())) : kept;
    }
  }

  /** The elements, each with the dots of its additions. */
  public record State(PersistentMap<Bytes, DotSet> elements) {}

  @Override
  public int typeId() {
    return 3;
  }

  @Override
  public String name() {
    return "add-wins set";
  }

  @Override
  public State initial() {
    return EMPTY;
  }

  @Override
  public boolean needsState(Operation operation) {
    return true;
  }

  @Override
  public Operation resetOperation() {
    return new Reset();
  }

  @Override
  public Optional<Operation> deletion(ResetBound bound) {
    return Optional.of(new ResetWithin(bound));
  }

  @Override
  public Effect downstream(Operation operation, State state, OperationContext context) {
    if (operation instanceof Add add) {
      return new Effect(Lists.map(add.elements, element -> addition(element, state, context)));
    }
    if (operation instanceof Remove remove) {
      return new Effect(Lists.map(remove.elements, element -> removal(element, state)));
    }
    if (operation instanceof ResetWithin within) {
      return within.bound.effect(name(), budget -> downstreamReset(state, context, budget));
    }
    List<Change> changes = new ArrayList<>(state.elements.size());
    state.elements.forEach(
        (element, dots) -> changes.add(new Change(element, dots, Optional.empty())));
    return new Effect(changes);
  }

  @Override
  public Optional<Operation> operation(Effect effect) {
    List<Bytes> elements = Lists.map(effect.changes, Change::element);
    boolean isAddition = effect.changes.stream().anyMatch(change -> change.added.isPresent());
    return Optional.of(isAddition ? new Add(elements) : new Remove(elements));
  }

  @Override
  public Optional<Effect> downstreamReset(
      State state, OperationContext context, ResetBudget budget) {
    List<Change> changes = new ArrayList<>();
    for (Map.Entry<Bytes, DotSet> element : state.elements) {
      if (!budget.tryTake(element.getKey(), element.getValue().size())) {
        break;
      }
      changes.add(new Change(element.getKey(), element.getValue(), Optional.empty()));
    }
    return Optional.of(new Effect(changes));
  }

  private static Change addition(Bytes element, State state, OperationContext context) {
    return new Change(element, observed(state, element), Optional.of(context.dots().take()));
  }

  private static Change removal(Bytes element, State state) {
    return new Change(element, observed(state, element), Optional.empty());
  }

  private static DotSet observed(State state, Bytes element) {
    DotSet dots = state.elements.getForChange(element);
    return dots == null ? DotSet.EMPTY : dots;
  }

  @Override
  public List<Footprint> footprints(Operation operation) {
    if (operation instanceof Add add) {
      return Lists.map(add.elements, Footprint::element);
    }
    return operation instanceof Remove remove
        ? Lists.map(remove.elements, Footprint::element)
        : List.of(Footprint.whole());
  }

  @Override
  public boolean touches(Effect effect, Footprint footprint) {
    return !(footprint instanceof Footprint.Elements range)
        || effect.changes.stream().anyMatch(change -> range.contains(change.element));
  }

  @Override
  public State apply(State state, Effect effect, EffectOrigin origin) {
    PersistentMap<Bytes, DotSet> elements = state.elements;
    for (Change change : effect.changes) {
      elements =
          elements.update(change.element, DotSet.EMPTY, dots -> change.applyTo(dots, origin));
    }
    return new State(elements);
  }

  @Override
  public NavigableSet<Bytes> value(State state, VectorClock snapshot) {
    return SortedView.of(state.elements, Bytes.class, (element, dots) -> dots).keySet();
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
  public void writeOperation(Operation operation, Encoder out) {
    if (operation instanceof Add add) {
      out.writeByte(ADD);
      out.writeAll(add.elements);
    } else if (operation instanceof Remove remove) {
      out.writeByte(REMOVE);
      out.writeAll(remove.elements);
    } else if (operation instanceof ResetWithin within) {
      out.writeByte(RESET_WITHIN);
      within.bound.write(out);
    } else {
      out.writeByte(RESET);
    }
  }

  @Override
  public Operation readOperation(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case ADD -> new Add(in.readAll());
      case REMOVE -> new Remove(in.readAll());
      case RESET -> new Reset();
      case RESET_WITHIN -> new ResetWithin(ResetBound.read(in));
      default ->
          throw new FormatException("unknown kind of set operation, expected 0 to 3: " + kind);
    };
  }

  @Override
  public void writeState(State state, Encoder out) {
    state.elements.write(out, (element, to) -> to.writeBytes(element), DotSet::write);
  }

  @Override
  public State readState(Decoder in) {
    return new State(
        PersistentMap.read(in, MIN_ELEMENT_BYTES, Decoder::readBytes, DotSet::readNonEmpty));
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    out.writeUnsigned(effect.changes.size());
    for (Change change : effect.changes) {
      out.writeBytes(change.element);
      change.observed.write(out);
      out.writeFlag(change.added.isPresent());
      change.added.ifPresent(out::writeDot);
    }
  }

  @Override
  public Effect readEffect(Decoder in) {
    return new Effect(in.readAscending(MIN_CHANGE_BYTES, AddWinsSet::readChange, Change::element));
  }

  private static Change readChange(Decoder in) {
    Bytes element = in.readBytes();
    DotSet observed = DotSet.read(in);
    return new Change(
        element, observed, in.readFlag() ? Optional.of(in.readDot()) : Optional.empty());
  }
}
