package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The stored form of an object that data centres created concurrently with different types: one
 * state per type, independent of the others. Effects of different types don't interact, so the
 * order between them does not matter.
 *
 * <p>Keys, operations and stored effects never have this type. Folding gives it to a state, and
 * pruning removes it once the states of all types are initial again.
 */
public final class SeveralTypes
    implements CrdtType<SeveralTypes.States, Object, SeveralTypes.Effect, SeveralTypes.States> {
  /** The only instance. */
  public static final SeveralTypes TYPE = new SeveralTypes();

  /** A type id and a state take at least one byte each. */
  private static final int MIN_STATE_BYTES = 2;

  private SeveralTypes() {}

  /**
   * The state of the object as one of its types.
   *
   * @param type the type's instance in {@link CrdtTypes}
   */
  public record State(CrdtType<?, ?, ?, ?> type, Object state) {
    /** Replaces any form of a type with its instance in {@link CrdtTypes}. */
    static State of(CrdtType<?, ?, ?, ?> type, Object state) {
      return new State(CrdtTypes.byId(type.typeId()).orElse(type), state);
    }

    private State pruned(VectorClock frontier) {
      return new State(type, any(type).prune(state, frontier));
    }

    private boolean isInitial() {
      return state.equals(type.initial());
    }
  }

  /** The states by type id. Immutable. */
  public static final class States {
    private static final States NONE = new States(new TreeMap<>());

    private final SortedMap<Integer, State> byType;

    private States(SortedMap<Integer, State> byType) {
      this.byType = byType;
    }

    /** The states of an object with one type. */
    public static States of(CrdtType<?, ?, ?, ?> type, Object state) {
      return NONE.with(State.of(type, state));
    }

    private static States of(Collection<State> states) {
      TreeMap<Integer, State> byType = new TreeMap<>();
      for (State state : states) {
        byType.put(state.type.typeId(), state);
      }
      return new States(byType);
    }

    /** The states, in ascending order of type ids. */
    public List<State> all() {
      return List.copyOf(byType.values());
    }

    /** The state of a type; empty if the object has no such type. */
    public Optional<Object> of(CrdtType<?, ?, ?, ?> type) {
      return Optional.ofNullable(byType.get(type.typeId())).map(State::state);
    }

    /** Adds or replaces the state of a type. */
    public States with(CrdtType<?, ?, ?, ?> type, Object state) {
      return with(State.of(type, state));
    }

    private States with(State state) {
      TreeMap<Integer, State> more = new TreeMap<>(byType);
      more.put(state.type.typeId(), state);
      return new States(more);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof States that && byType.equals(that.byType);
    }

    @Override
    public int hashCode() {
      return byType.hashCode();
    }

    @Override
    public String toString() {
      return byType.values().toString();
    }
  }

  /** An effect of one of the types. */
  public record Effect(CrdtType<?, ?, ?, ?> type, Object effect) {}

  @SuppressWarnings("unchecked") // states and effects are stored with their type
  private static CrdtType<Object, ?, Object, Object> any(CrdtType<?, ?, ?, ?> type) {
    return (CrdtType<Object, ?, Object, Object>) type;
  }

  @Override
  public int typeId() {
    return 64;
  }

  @Override
  public String name() {
    return "object of several types";
  }

  @Override
  public States initial() {
    return States.NONE;
  }

  @Override
  public boolean needsState(Object operation) {
    return true;
  }

  @Override
  public boolean dependsOnTime() {
    return true;
  }

  @Override
  public Effect downstream(Object operation, States state, OperationContext context) {
    throw new OperationRefusedException(
        "an object of several types can only be updated as one of its types");
  }

  @Override
  public States apply(States states, Effect effect, EffectOrigin origin) {
    CrdtType<Object, ?, Object, Object> type = any(effect.type);
    Object before = states.of(type).orElseGet(type::initial);
    return states.with(type, type.apply(before, effect.effect, origin));
  }

  /** Returns the states: only the single types have values. */
  @Override
  public States value(States states, VectorClock snapshot) {
    return states;
  }

  /**
   * Keeps all types unless every state is initial, so that the set of types does not depend on
   * pruning.
   */
  @Override
  public States prune(States states, VectorClock frontier) {
    List<State> pruned =
        states.byType.values().stream().map(state -> state.pruned(frontier)).toList();
    return pruned.stream().allMatch(State::isInitial) ? States.NONE : States.of(pruned);
  }

  @Override
  public void writeState(States states, Encoder out) {
    out.writeUnsigned(states.byType.size());
    states.byType.forEach(
        (typeId, state) -> {
          out.writeUnsigned(typeId);
          any(state.type).writeState(state.state, out);
        });
  }

  @Override
  public States readState(Decoder in) {
    TreeMap<Integer, State> states = new TreeMap<>();
    for (int remaining = in.readCount(MIN_STATE_BYTES); remaining > 0; remaining--) {
      long typeId = in.readUnsigned();
      CrdtType<?, ?, ?, ?> type =
          CrdtTypes.byId(typeId)
              .orElseThrow(
                  () ->
                      new FormatException(
                          "unknown type " + typeId + ": written by a newer version"));
      if (!states.isEmpty() && states.lastKey() >= typeId) {
        throw new FormatException(
            "type ids are not in ascending order: " + states.lastKey() + ", " + typeId);
      }
      states.put(type.typeId(), new State(type, type.readState(in)));
    }
    return new States(states);
  }

  @Override
  public void writeOperation(Object operation, Encoder out) {
    throw unsupported();
  }

  @Override
  public Object readOperation(Decoder in) {
    throw unsupported();
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    throw unsupported();
  }

  @Override
  public Effect readEffect(Decoder in) {
    throw unsupported();
  }

  private static FormatException unsupported() {
    return new FormatException(
        "an object of several types has no operations and effects of its own");
  }
}
