package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is stored of an object that data centres have created with different types before they knew
 * of each other: a state for each of the types, as if there were no others. Effects of different
 * types never meet, so each of them is what its own type makes of it, in whatever order they come.
 *
 * <p>No key has this type, no operation and no effect is of it; states get it as they are folded,
 * and lose it when all of them are initial again.
 */
public final class SeveralTypes
    implements CrdtType<SeveralTypes.States, Object, SeveralTypes.Effect, SeveralTypes.States> {
  /** The one instance. */
  public static final SeveralTypes TYPE = new SeveralTypes();

  /** A type's number and its state take at least one byte each. */
  private static final int MIN_STATE_BYTES = 2;

  private SeveralTypes() {}

  /**
   * One of the types, and the state that the object has as one of that.
   *
   * @param type as {@link CrdtTypes} has it
   */
  public record State(CrdtType<?, ?, ?, ?> type, Object state) {
    /** Has the type as {@link CrdtTypes} has it, whatever form of it is given. */
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

  /** The states by the numbers of their types. Immutable. */
  public static final class States {
    private static final States NONE = new States(new TreeMap<>());

    private final SortedMap<Integer, State> byType;

    private States(SortedMap<Integer, State> byType) {
      this.byType = byType;
    }

    /** Of one type alone. */
    public static States of(CrdtType<?, ?, ?, ?> type, Object state) {
      return NONE.with(State.of(type, state));
    }

    private static States of(Collection<State> states) {
      TreeMap<Integer, State> byType = new TreeMap<>();
      for (State state : states) {
        var unused = byType.put(state.type.typeId(), state);
      }
      return new States(byType);
    }

    /** The states, by the numbers of their types. */
    public List<State> all() {
      return List.copyOf(byType.values());
    }

    /** The state of a type; empty if the object has no such type. */
    public Optional<Object> of(CrdtType<?, ?, ?, ?> type) {
      return Optional.ofNullable(byType.get(type.typeId())).map(State::state);
    }

    /** With another state for a type. */
    public States with(CrdtType<?, ?, ?, ?> type, Object state) {
      return with(State.of(type, state));
    }

    private States with(State state) {
      TreeMap<Integer, State> more = new TreeMap<>(byType);
      var unused = more.put(state.type.typeId(), state);
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

  @SuppressWarnings("unchecked") // states and effects are kept with their type
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
    throw new OperationRefusedException("an object is written as one of its types");
  }

  @Override
  public States apply(States states, Effect effect, EffectOrigin origin) {
    CrdtType<Object, ?, Object, Object> type = any(effect.type);
    Object before = states.of(type).orElseGet(type::initial);
    return states.with(type, type.apply(before, effect.effect, origin));
  }

  /** The values are those of the types: this has none but the states. */
  @Override
  public States value(States states, VectorClock snapshot) {
    return states;
  }

  /**
   * The types stay unless all states are initial then: which ones there are does not depend on
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
    for (int left = in.readCount(MIN_STATE_BYTES); left > 0; left--) {
      long typeId = in.readUnsigned();
      CrdtType<?, ?, ?, ?> type =
          CrdtTypes.byId(typeId)
              .orElseThrow(() -> new FormatException("type number " + typeId + " is not known"));
      if (!states.isEmpty() && states.lastKey() >= typeId) {
        throw new FormatException("type number " + typeId + " is not above the one before it");
      }
      var unused = states.put(type.typeId(), new State(type, type.readState(in)));
    }
    return new States(states);
  }

  @Override
  public void writeOperation(Object operation, Encoder out) {
    throw noneOfSeveral();
  }

  @Override
  public Object readOperation(Decoder in) {
    throw noneOfSeveral();
  }

  @Override
  public void writeEffect(Effect effect, Encoder out) {
    throw noneOfSeveral();
  }

  @Override
  public Effect readEffect(Decoder in) {
    throw noneOfSeveral();
  }

  private static FormatException noneOfSeveral() {
    return new FormatException("operations and effects are of one type");
  }
}
