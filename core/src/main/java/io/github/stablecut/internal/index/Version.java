package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.SeveralTypes;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.Key;
import java.util.List;

/**
 * The state of an object that includes exactly the effects that a snapshot sees. Immutable.
 *
 * <p>Every snapshot from {@code since} to {@code at} sees this state; so does a later one if there
 * is no effect in between.
 *
 * @param type the object's type; {@link SeveralTypes} if it has several
 * @param since at or above the commit vectors of all effects that are in the state
 * @param at the snapshot vector at which the state is complete
 * @param state a state of the type
 * @param takes the memory that the version takes
 */
public record Version(
    CrdtType<?, ?, ?, ?> type,
    VectorClock since,
    VectorClock at,
    Object state,
    VersionBytes takes) {
  /** As the canonical constructor, for a state that is not in pages. */
  public Version(
      CrdtType<?, ?, ?, ?> type, VectorClock since, VectorClock at, Object state, int bytes) {
    this(type, since, at, state, VersionBytes.of(bytes));
  }

  /** Returns the version of an object without effects. */
  public static Version initial(CrdtType<?, ?, ?, ?> type) {
    return new Version(type, VectorClock.ZERO, VectorClock.ZERO, type.initial(), 0);
  }

  /**
   * Returns the version of an object that may have several types.
   *
   * @param states the states, one per type
   */
  public static Version of(
      SeveralTypes.States states, VectorClock since, VectorClock at, VersionBytes takes) {
    List<SeveralTypes.State> all = states.all();
    return all.size() == 1
        ? new Version(all.get(0).type(), since, at, all.get(0).state(), takes)
        : new Version(SeveralTypes.TYPE, since, at, states, takes);
  }

  /** The object's states by its types; usually one. */
  public List<SeveralTypes.State> states() {
    return state instanceof SeveralTypes.States several
        ? several.all()
        : List.of(new SeveralTypes.State(type, state));
  }

  /** Whether the object has a type. */
  public boolean has(CrdtType<?, ?, ?, ?> one) {
    return type.typeId() == one.typeId() || hasSeveral(one);
  }

  /** Whether the object has a type and others. */
  public boolean hasSeveral(CrdtType<?, ?, ?, ?> one) {
    return state instanceof SeveralTypes.States several && several.of(one).isPresent();
  }

  /**
   * Returns the state of the object as a type: the initial state if it has no type.
   *
   * @param id the object, for messages
   * @throws TypeMismatchException if it has only other types
   */
  public Object stateAs(CrdtType<?, ?, ?, ?> expected, Bytes id) {
    if (type == expected || type.typeId() == expected.typeId()) {
      return state;
    }
    if (!(state instanceof SeveralTypes.States several)) {
      throw Key.mismatch(id, expected, List.of(type));
    }
    return several
        .of(expected)
        .orElseGet(
            () -> {
              List<SeveralTypes.State> all = several.all();
              if (!all.isEmpty()) {
                throw Key.mismatch(
                    id, expected, all.stream().map(SeveralTypes.State::type).toList());
              }
              return expected.initial();
            });
  }

  /** Returns the same version for readers of a part of the object ({@link CrdtType#narrowed}). */
  public Version narrowed(Footprint part) {
    return new Version(type, since, at, narrowed(type, state, part), takes);
  }

  @SuppressWarnings("unchecked") // the state is one of the type
  private static <S> Object narrowed(CrdtType<S, ?, ?, ?> type, Object state, Footprint part) {
    return type.narrowed((S) state, part);
  }

  /**
   * Whether a snapshot sees everything in the state, so that the version can be the base of its
   * reads.
   */
  public boolean canServe(VectorClock snapshot) {
    return since.isAtOrBefore(snapshot);
  }

  /**
   * Returns the same version, complete at a later vector; there must be no effect between {@code
   * at} and that vector.
   */
  Version completeAt(VectorClock later) {
    return new Version(type, since, at.join(later), state, takes);
  }

  /** The approximate size of the encoded state, without the parts in pages. */
  public int bytes() {
    return takes.bytes();
  }

  /** Whether the state reads pages of a checkpoint on demand. */
  public boolean isInPages() {
    return takes.pageBytes() > 0;
  }

  /** Returns the same version with changed copies of more pages. */
  public Version copying(long moreBytes) {
    return moreBytes == 0 ? this : new Version(type, since, at, state, takes.copying(moreBytes));
  }

  /** The approximate memory of the state, without the pages that are read on demand. */
  public long heldBytes() {
    return takes.bytes() + takes.copiedBytes();
  }

  /** The approximate size of the complete encoded state. */
  public long wholeBytes() {
    return takes.bytes() + takes.pageBytes();
  }
}
