package io.github.stablecut.crdt.set;

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
import io.github.stablecut.crdt.internal.state.Lists;
import io.github.stablecut.crdt.internal.state.Votes;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import io.github.stablecut.crdt.internal.tree.SortedView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;

/**
 * A set in which a removal wins over a concurrent addition (Bieniusa et al., "An Optimized
 * Conflict-free Replicated Set", INRIA RR-8083, 2012, with the roles exchanged).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>{@link Add}</td><td>per element: its observed dots and a dot for it</td><td>lose to removals</td></tr>
 * <tr><td>{@link Remove}</td><td>per element: its observed dots and a dot against it</td><td>win, even if the element was absent</td></tr>
 * <tr><td>{@link Reset}</td><td>per observed element: its observed dots</td><td>removes only what it observed, and wins over nothing</td></tr>
 * </table>
 *
 * <p>Value: the elements with an addition, of which every removal was observed by an addition,
 * ignoring operations that a reset has observed; in ascending order. Space: one dot per element,
 * plus one per concurrent operation on it. A removed element keeps its dots until all are stable
 * and pruning discards it.
 */
public final class RemoveWinsSet
    implements CrdtType<
        RemoveWinsSet.State, RemoveWinsSet.Operation, RemoveWinsSet.Effect, NavigableSet<Bytes>> {
  /** The type. */
  public static final RemoveWinsSet TYPE = new RemoveWinsSet();

  private static final State EMPTY = new State(PersistentMap.empty());
  private static final int MIN_CHANGE_BYTES = 3;
  private static final int MIN_ELEMENT_BYTES = 3;

  private static final int ADD = 0;
  private static final int REMOVE = 1;
  private static final int RESET = 2;
  private static final int RESET_WITHIN = 3;

  private RemoveWinsSet() {}

  /** The operations on the set. */
  public sealed interface Operation {}

  /** Adds elements. */
  public record Add(List<Bytes> elements) implements Operation {
    /** Copies the list in ascending order, each element once. */
    public Add {
      elements = Bytes.ascending(elements);
    }
  }

  /** Removes elements, including concurrently added ones. */
  public record Remove(List<Bytes> elements) implements Operation {
    /** Copies the list in ascending order, each element once. */
    public Remove {
      elements = Bytes.ascending(elements);
    }
  }

  /** Undoes all additions and removals that the transaction sees. */
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

  /** The change of one element. */
  record Change(Bytes element, Votes.Change votes) {}

  /** The elements, each with the dots for and against it. */
  public record State(PersistentMap<Bytes, Votes> elements) {
    @SuppressWarnings("ReferenceEquality") // an unchanged set is the same object
    private State with(PersistentMap<Bytes, Votes> changed) {
      return changed == elements ? this : new State(changed);
    }
  }

  @Override
  public int typeId() {
    return 8;
  }

  @Override
  public String name() {
    return "remove-wins set";
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
    List<Change> changes = new ArrayList<>();
    if (operation instanceof Add add) {
      for (Bytes element : add.elements) {
        changes.add(new Change(element, votes(state, element).cast(true, context)));
      }
    } else if (operation instanceof Remove remove) {
      for (Bytes element : remove.elements) {
        changes.add(new Change(element, votes(state, element).cast(false, context)));
      }
    } else if (operation instanceof ResetWithin within) {
      return within.bound.effect(name(), budget -> downstreamReset(state, context, budget));
    } else {
      state.elements.forEach((element, votes) -> changes.add(new Change(element, votes.reset())));
    }
    return new Effect(changes);
  }

  @Override
  public Optional<Operation> operation(Effect effect) {
    if (effect.changes.stream().anyMatch(change -> change.votes.cast().isEmpty())) {
      return Optional.of(new Reset());
    }
    List<Bytes> elements = Lists.map(effect.changes, Change::element);
    boolean isAddition = effect.changes.stream().anyMatch(change -> change.votes.yes());
    return Optional.of(isAddition ? new Add(elements) : new Remove(elements));
  }

  @Override
  public Optional<Effect> downstreamReset(
      State state, OperationContext context, ResetBudget budget) {
    List<Change> changes = new ArrayList<>();
    for (Map.Entry<Bytes, Votes> element : state.elements) {
      Votes.Change reset = element.getValue().reset();
      if (!budget.tryTake(element.getKey(), reset.observed().size())) {
        break;
      }
      changes.add(new Change(element.getKey(), reset));
    }
    return Optional.of(new Effect(changes));
  }

  private static Votes votes(State state, Bytes element) {
    Votes votes = state.elements.getForChange(element);
    return votes == null ? Votes.NONE : votes;
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
    PersistentMap<Bytes, Votes> elements = state.elements;
    for (Change change : effect.changes) {
      elements =
          elements.update(change.element, Votes.NONE, votes -> votes.apply(change.votes, origin));
    }
    return new State(elements);
  }

  @Override
  public NavigableSet<Bytes> value(State state, VectorClock snapshot) {
    return SortedView.of(state.elements, Bytes.class, (element, votes) -> votes).keySet();
  }

  @Override
  public State prune(State state, VectorClock frontier) {
    PersistentMap<Bytes, Votes> kept =
        state.elements.pruned(
            votes -> votes.isSettledAgainst(frontier) ? Optional.empty() : Optional.of(votes));
    return state.with(kept);
  }

  @Override
  public boolean isSettled(State state) {
    return state.elements.isSettled(Votes::isSettled);
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
    state.elements.write(
        out, (element, to) -> to.writeBytes(element), Votes::write, Votes::isSettled);
  }

  @Override
  public State readState(Decoder in) {
    return new State(
        PersistentMap.read(in, MIN_ELEMENT_BYTES, Decoder::readBytes, Votes::readNonEmpty));
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    out.writeUnsigned(effect.changes.size());
    for (Change change : effect.changes) {
      out.writeBytes(change.element);
      change.votes.write(out);
    }
  }

  @Override
  public Effect readEffect(Decoder in) {
    return new Effect(
        in.readAscending(
            MIN_CHANGE_BYTES,
            from -> new Change(from.readBytes(), Votes.Change.read(from)),
            Change::element));
  }
}
