package io.github.stablecut.crdt.sequence;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.Reference;
import io.github.stablecut.crdt.ResetBound;
import io.github.stablecut.crdt.ResetBudget;
import io.github.stablecut.crdt.internal.sequence.Content;
import io.github.stablecut.crdt.internal.sequence.Dots;
import io.github.stablecut.crdt.internal.sequence.Elements;
import io.github.stablecut.crdt.internal.sequence.Run;
import io.github.stablecut.crdt.internal.sequence.RunTree;
import java.util.List;
import java.util.Optional;

/**
 * The common part of lists and texts: sequences edited by position (RGA: Roh et al., "Replicated
 * abstract data types: Building blocks for collaborative applications", JPDC 2011; with two sides,
 * as in Weidner and Kleppmann, "The Art of the Fugue", 2023).
 *
 * <table>
 * <caption>Operations</caption>
 * <tr><th>operation</th><th>effect</th><th>concurrent operations</th></tr>
 * <tr><td>insert elements at a position</td><td>the dot of the younger of the two visible neighbours, the elements, and a new dot for each</td><td>at the same position: the later insertion's elements are nearer to that neighbour; the two don't interleave</td></tr>
 * <tr><td>{@link #delete} the elements from a position on</td><td>their dots</td><td>elements
 * inserted between them stay</td></tr>
 * <tr><td>{@link #reset}</td><td>the dots of all visible elements</td><td>likewise</td></tr>
 * </table>
 *
 * <p>Value: the elements that were inserted and not deleted. All replicas agree on the order at all
 * times, including that of deleted elements: the strong list specification (Attiya et al.,
 * "Specification and Complexity of Collaborative Text Editing", PODC 2016). Concurrent typing at
 * one position, forwards or backwards, does not interleave.
 *
 * <p>Space: continuous typing is one run ({@code Run}): its content, and its dots as spans of equal
 * steps. Each run has an index entry. A tombstone has no content. Pruning discards it once its
 * deletion and all elements inserted next to it are stable. The ids of visible elements stay for
 * good, because the next insertion may refer to any of them.
 *
 * <p>Time: each operation takes time logarithmic in the number of runs. It copies a run of at most
 * {@value Run#MAX_ELEMENTS} elements and a path of nodes; next to the previous operation it copies
 * one node only.
 *
 * @param <C> a sequence of elements
 * @param <V> the value
 */
public abstract sealed class Rga<C, V>
    implements CrdtType<Rga.State<C>, Rga.Operation<C>, Rga.Effect<C>, V> permits RgaList, RgaText {
  private static final int INSERT = 0;
  private static final int DELETE = 1;
  private static final int RESET = 2;
  private static final int RESET_WITHIN = 3;

  private final Content<C> content;
  private final RgaStateCodec<C> states;
  private final RgaEffectCodec<C> effects;
  private final State<C> initial;

  Rga(String name, Content<C> content) {
    this.content = content;
    this.states = new RgaStateCodec<>(name, content);
    this.effects = new RgaEffectCodec<>(name, content);
    this.initial = new State<>(new Elements<>(content, RunTree.of(List.of())));
  }

  /** The operations on a list or text. */
  public sealed interface Operation<C> {}

  /**
   * Inserts elements.
   *
   * @param position the number of visible elements to the left
   */
  public record Insert<C>(int position, C elements) implements Operation<C> {
    public Insert {
      checkNotNegative("position", position);
    }
  }

  /**
   * Deletes elements.
   *
   * @param position the number of visible elements to the left
   * @param count the number of visible elements to delete
   */
  public record Delete<C>(int position, int count) implements Operation<C> {
    public Delete {
      checkNotNegative("position", position);
      checkNotNegative("count", count);
    }
  }

  /** Deletes all elements. */
  record Reset<C>() implements Operation<C> {}

  /** Like {@link Reset}, but with an effect of bounded size. */
  record ResetWithin<C>(ResetBound bound) implements Operation<C> {}

  /**
   * Deletes elements. Refused if there are fewer than {@code count}.
   *
   * @param position the number of elements to the left
   * @param count the number of elements to delete
   */
  public static <C> Operation<C> delete(int position, int count) {
    return new Delete<>(position, count);
  }

  /** Deletes all elements that the transaction sees. */
  public static <C> Operation<C> reset() {
    return new Reset<>();
  }

  /** The change that every replica applies. */
  public sealed interface Effect<C> {}

  /**
   * Inserts elements.
   *
   * @param first the dot of the first element; the others have the dots that follow
   * @param elements the elements, at least one
   */
  public record Insertion<C>(Reference reference, Dot first, C elements) implements Effect<C> {}

  /**
   * Deletes elements.
   *
   * @param ids the dots of the elements
   */
  public record Deletion<C>(List<Dots> ids) implements Effect<C> {
    public Deletion {
      ids = List.copyOf(ids);
    }
  }

  /** The elements, including tombstones that are still needed to order insertions. */
  public static final class State<C> {
    private final Elements<C> elements;

    State(Elements<C> elements) {
      this.elements = elements;
    }

    public Elements<C> elements() {
      return elements;
    }

    /** The number of elements that a reader sees. */
    public int size() {
      return elements.visibleSize();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof State<?> that
          && elements.tree().size() == that.elements.tree().size()
          && elements.longestRuns().equals(that.elements.longestRuns());
    }

    @Override
    public int hashCode() {
      return elements.longestRuns().hashCode();
    }

    @Override
    public String toString() {
      return elements.visible().toString();
    }
  }

  private static void checkNotNegative(String what, int number) {
    if (number < 0) {
      throw new IllegalArgumentException(what + " must not be negative: " + number);
    }
  }

  @Override
  public State<C> initial() {
    return initial;
  }

  @Override
  public boolean needsState(Operation<C> operation) {
    return true;
  }

  @Override
  public Operation<C> resetOperation() {
    return new Reset<>();
  }

  @Override
  public Optional<Operation<C>> deletion(ResetBound bound) {
    return Optional.of(new ResetWithin<>(bound));
  }

  @Override
  public Effect<C> downstream(Operation<C> operation, State<C> state, OperationContext context) {
    Elements<C> elements = state.elements;
    if (operation instanceof Insert<C> insert) {
      int position = insert.position;
      check(
          position <= elements.visibleSize(),
          elements,
          "position " + position + " is beyond the end");
      int size = content.size(insert.elements);
      if (size == 0) {
        return new Deletion<>(List.of());
      }
      return new Insertion<>(
          elements.referenceAt(position), context.dots().take(size), insert.elements);
    }
    if (operation instanceof Delete<C> delete) {
      int from = delete.position;
      int count = delete.count;
      check(
          count <= elements.visibleSize() - from,
          elements,
          "can't delete " + count + " from position " + from + " on");
      return new Deletion<>(elements.idsAt(from, from + count));
    }
    if (operation instanceof ResetWithin<C> within) {
      return within.bound.effect(name(), budget -> downstreamReset(state, context, budget));
    }
    return new Deletion<>(elements.idsAt(0, elements.visibleSize()));
  }

  @Override
  public Optional<Effect<C>> downstreamReset(
      State<C> state, OperationContext context, ResetBudget budget) {
    return Optional.of(new Deletion<>(state.elements.firstIds(budget)));
  }

  private void check(boolean condition, Elements<C> elements, String otherwise) {
    if (!condition) {
      throw new OperationRefusedException(
          name() + " of " + elements.visibleSize() + " elements: " + otherwise);
    }
  }

  @Override
  public State<C> apply(State<C> state, Effect<C> effect, EffectOrigin origin) {
    Elements<C> elements = state.elements;
    if (effect instanceof Insertion<C> insertion) {
      Dots ids = Dots.following(origin.resolve(insertion.first), content.size(insertion.elements));
      return with(
          state, elements.insert(insertion.reference.resolve(origin), ids, insertion.elements));
    }
    Dot by = new Dot(origin.dataCentre(), origin.commitTime(), 0);
    for (Dots ids : ((Deletion<C>) effect).ids) {
      elements = elements.delete(ids.resolve(origin), by);
    }
    return with(state, elements);
  }

  private State<C> with(State<C> state, Elements<C> elements) {
    return elements == state.elements ? state : new State<>(elements);
  }

  @Override
  public State<C> prune(State<C> state, VectorClock frontier) {
    return with(state, state.elements.withoutStableTombstones(frontier));
  }

  @Override
  public boolean isSettled(State<C> state) {
    return state.elements.areSettled();
  }

  @Override
  public void writeOperation(Operation<C> operation, Encoder out) {
    if (operation instanceof Insert<C> insert) {
      out.writeByte(INSERT);
      out.writeUnsigned(insert.position);
      content.write(insert.elements, out);
    } else if (operation instanceof Delete<C> delete) {
      out.writeByte(DELETE);
      out.writeUnsigned(delete.position);
      out.writeUnsigned(delete.count);
    } else if (operation instanceof ResetWithin<C> within) {
      out.writeByte(RESET_WITHIN);
      within.bound.write(out);
    } else {
      out.writeByte(RESET);
    }
  }

  @Override
  public Operation<C> readOperation(Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case INSERT -> new Insert<>(in.readIndex(), content.read(in));
      case DELETE -> new Delete<>(in.readIndex(), in.readIndex());
      case RESET -> new Reset<>();
      case RESET_WITHIN -> new ResetWithin<>(ResetBound.read(in));
      default ->
          throw new FormatException(
              "unknown kind of operation on a " + name() + ", expected 0 to 3: " + kind);
    };
  }

  @Override
  public void writeState(State<C> state, Encoder out) {
    states.write(state.elements, out);
  }

  @Override
  public State<C> readState(Decoder in) {
    return new State<>(states.read(in));
  }

  @Override
  public void writeEffect(Effect<C> effect, Encoder out) {
    effects.write(effect, out);
  }

  @Override
  public Effect<C> readEffect(Decoder in) {
    return effects.read(in);
  }
}
