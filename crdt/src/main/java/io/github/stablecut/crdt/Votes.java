package io.github.stablecut.crdt;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import java.util.Optional;

/**
 * The events for and against something, of those that no later one on the same thing has observed;
 * one against beats any number of concurrent ones for it. Immutable.
 */
record Votes(DotSet yes, DotSet no) implements Hideable {
  static final Votes NONE = new Votes(DotSet.EMPTY, DotSet.EMPTY);

  /**
   * What an effect does to votes.
   *
   * @param observed the votes that go
   * @param cast the one that comes, if any
   * @param yes whether it is for it; false if there is none
   */
  record Change(DotSet observed, Optional<Dot> cast, boolean yes) {
    void write(Encoder out) {
      observed.write(out);
      out.writeByte(cast.isEmpty() ? 0 : yes ? 1 : 2);
      cast.ifPresent(out::writeDot);
    }

    static Change read(Decoder in) {
      DotSet observed = DotSet.read(in);
      int kind = in.readByte();
      return switch (kind) {
        case 0 -> new Change(observed, Optional.empty(), false);
        case 1, 2 -> new Change(observed, Optional.of(in.readDot()), kind == 1);
        default -> throw new FormatException("a vote is 0, 1 or 2, not " + kind);
      };
    }
  }

  /** A new vote, which replaces all of these. */
  Change cast(boolean forIt, OperationContext context) {
    return new Change(all(), Optional.of(context.dots().take()), forIt);
  }

  /** The removal of all of these. */
  Change reset() {
    return new Change(all(), Optional.empty(), false);
  }

  Votes apply(Change change, EffectOrigin origin) {
    DotSet keptYes = yes.withoutObserved(change.observed, origin);
    DotSet keptNo = no.withoutObserved(change.observed, origin);
    if (change.cast.isEmpty()) {
      return new Votes(keptYes, keptNo);
    }
    Dot dot = origin.resolve(change.cast.get());
    return change.yes ? new Votes(keptYes.with(dot), keptNo) : new Votes(keptYes, keptNo.with(dot));
  }

  boolean isFor() {
    return !yes.isEmpty() && no.isEmpty();
  }

  @Override
  public boolean isVisible() {
    return isFor();
  }

  boolean isEmpty() {
    return yes.isEmpty() && no.isEmpty();
  }

  /**
   * Whether it is decided against: every later event has observed all of these, so they have no
   * more to say than no votes at all.
   */
  boolean isSettledAgainst(VectorClock frontier) {
    return !no.isEmpty()
        && no.allMatch(dot -> dot.isAtOrBefore(frontier))
        && yes.allMatch(dot -> dot.isAtOrBefore(frontier));
  }

  /** Whether no frontier decides more. */
  boolean isSettled() {
    return no.isEmpty();
  }

  private DotSet all() {
    DotSet all = yes;
    for (Dot dot : no) {
      all = all.with(dot);
    }
    return all;
  }

  void write(Encoder out) {
    yes.write(out);
    no.write(out);
  }

  static Votes read(Decoder in) {
    return new Votes(DotSet.read(in), DotSet.read(in));
  }

  static Votes readNonEmpty(Decoder in) {
    Votes votes = read(in);
    if (votes.isEmpty()) {
      throw new FormatException("an entry without a dot");
    }
    return votes;
  }
}
