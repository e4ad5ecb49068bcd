package io.github.stablecut.crdt.internal.state;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.internal.tree.Hideable;
import java.util.Optional;

/**
 * The votes for and against something that no later vote on it has observed; one vote against wins
 * over any number of concurrent votes for it. Immutable.
 */
public record Votes(DotSet yes, DotSet no) implements Hideable {
  public static final Votes NONE = new Votes(DotSet.EMPTY, DotSet.EMPTY);

  /**
   * The effect on votes.
   *
   * @param observed the votes that it removes
   * @param cast the vote that it adds, if any
   * @param yes whether the vote is in favour; false without a vote
   */
  public record Change(DotSet observed, Optional<Dot> cast, boolean yes) {
    public void write(Encoder out) {
      observed.write(out);
      out.writeByte(cast.isEmpty() ? 0 : yes ? 1 : 2);
      cast.ifPresent(out::writeDot);
    }

    public static Change read(Decoder in) {
      DotSet observed = DotSet.read(in);
      int kind = in.readByte();
      return switch (kind) {
        case 0 -> new Change(observed, Optional.empty(), false);
        case 1, 2 -> new Change(observed, Optional.of(in.readDot()), kind == 1);
        default -> throw new FormatException("unknown kind of vote, expected 0 to 2: " + kind);
      };
    }
  }

  /** Casts a vote, which replaces all of these. */
  public Change cast(boolean inFavour, OperationContext context) {
    return new Change(all(), Optional.of(context.dots().take()), inFavour);
  }

  /** Removes all votes. */
  public Change reset() {
    return new Change(all(), Optional.empty(), false);
  }

  public Votes apply(Change change, EffectOrigin origin) {
    DotSet keptYes = yes.withoutObserved(change.observed, origin);
    DotSet keptNo = no.withoutObserved(change.observed, origin);
    if (change.cast.isEmpty()) {
      return new Votes(keptYes, keptNo);
    }
    Dot dot = origin.resolve(change.cast.get());
    return change.yes ? new Votes(keptYes.with(dot), keptNo) : new Votes(keptYes, keptNo.with(dot));
  }

  public boolean isFor() {
    return !yes.isEmpty() && no.isEmpty();
  }

  @Override
  public boolean isVisible() {
    return isFor();
  }

  public boolean isEmpty() {
    return yes.isEmpty() && no.isEmpty();
  }

  /**
   * Whether the decision is against and final: every later event has observed all of these votes,
   * so they are equivalent to no votes.
   */
  public boolean isSettledAgainst(VectorClock frontier) {
    return !no.isEmpty()
        && no.allMatch(dot -> dot.isAtOrBefore(frontier))
        && yes.allMatch(dot -> dot.isAtOrBefore(frontier));
  }

  /** Whether {@link #isSettledAgainst} is false for every frontier. */
  public boolean isSettled() {
    return no.isEmpty();
  }

  private DotSet all() {
    DotSet all = yes;
    for (Dot dot : no) {
      all = all.with(dot);
    }
    return all;
  }

  public void write(Encoder out) {
    yes.write(out);
    no.write(out);
  }

  public static Votes read(Decoder in) {
    return new Votes(DotSet.read(in), DotSet.read(in));
  }

  public static Votes readNonEmpty(Decoder in) {
    Votes votes = read(in);
    if (votes.isEmpty()) {
      throw new FormatException("an element has no votes");
    }
    return votes;
  }
}
