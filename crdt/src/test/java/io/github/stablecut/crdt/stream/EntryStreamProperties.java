package io.github.stablecut.crdt.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Event;
import io.github.stablecut.crdt.Events;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.Samples;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.crdt.Specification;
import io.github.stablecut.crdt.Step;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.internal.tree.PersistentMap;
import io.github.stablecut.crdt.stream.EntryStream.Append;
import io.github.stablecut.crdt.stream.EntryStream.Begin;
import io.github.stablecut.crdt.stream.EntryStream.Effect;
import io.github.stablecut.crdt.stream.EntryStream.Operation;
import io.github.stablecut.crdt.stream.EntryStream.State;
import io.github.stablecut.crdt.stream.EntryStream.Trim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * A stream: all entries in arbitration order, after the latest one that was ever the last before
 * the position of a trim.
 */
class EntryStreamProperties extends Specification<State, Operation, Effect, StreamValue> {
  /** The entries as a fold sees them: one after the other. */
  private static final StreamFold<String> TEXT =
      new StreamFold<>() {
        @Override
        public String begin(Optional<Bytes> summary) {
          return summary.map(Bytes::toUtf8).orElse("-");
        }

        @Override
        public String next(String made, Bytes entry) {
          return made + "," + entry.toUtf8();
        }
      };

  @Override
  public EntryStream type() {
    return EntryStream.TYPE;
  }

  @Override
  public List<Operation> sample() {
    return List.of(
        new Begin(5, Optional.of(Samples.B)),
        new Append(List.of(Samples.B, Samples.A), false),
        new Append(List.of(Bytes.EMPTY, Samples.B), true),
        new Trim(7, Optional.empty()),
        new Trim(8, Optional.of(Samples.A)),
        new Append(List.of(Samples.A), false));
  }

  @Override
  public Arbitrary<Operation> operations() {
    Arbitrary<Optional<Bytes>> summaries = Samples.elements().optional();
    return Arbitraries.frequencyOf(
        Tuple.of(
            8,
            Combinators.combine(Samples.elementLists(), Arbitraries.of(false, false, true))
                .as(Append::new)),
        Tuple.of(
            3, Combinators.combine(Arbitraries.longs().between(0, 12), summaries).as(Trim::new)),
        Tuple.of(
            1, Combinators.combine(Arbitraries.longs().between(0, 3), summaries).as(Begin::new)));
  }

  /** An entry of an append event. */
  private record Entry(Event<Operation> event, int index, Bytes bytes) {
    boolean isUpTo(Entry other) {
      int order = event.compareTo(other.event);
      return order < 0 || (order == 0 && index <= other.index);
    }

    boolean isOfTransaction(Event<Operation> other) {
      return event.dataCentre() == other.dataCentre() && event.time() == other.time();
    }
  }

  /** The meaning of some events. */
  private record Meaning(
      long first, Optional<Entry> bound, Optional<Bytes> summary, List<Entry> entries) {
    StreamValue value() {
      PersistentMap<Dot, Bytes> map = PersistentMap.empty();
      for (Entry entry : entries) {
        map = map.with(new Dot(0, 1, map.size()), entry.bytes);
      }
      return new StreamValue(new State(first, Optional.empty(), summary, 0, map, new StreamMemo()));
    }

    long committedTail(Event<Operation> by) {
      return first + entries.stream().filter(entry -> !entry.isOfTransaction(by)).count();
    }
  }

  /** Computes meanings; remembers the bounds that events have set. */
  private static final class Meanings {
    private final Map<Event<?>, Optional<Entry>> bounds = new HashMap<>();

    Meaning of(Events<Operation> visible) {
      List<Entry> entries = new ArrayList<>();
      Optional<Entry> bound = Optional.empty();
      Optional<Bytes> summary = Optional.empty();
      long first = 0;
      for (Event<Operation> event : visible.stream().toList()) {
        if (event.operation() instanceof Append append) {
          for (int i = 0; i < append.entries().size(); i++) {
            entries.add(new Entry(event, i, append.entries().get(i)));
          }
          continue;
        }
        Optional<Entry> last = boundOf(event, visible);
        Optional<Bytes> says =
            event.operation() instanceof Trim trim
                ? trim.summary()
                : ((Begin) event.operation()).summary();
        if (last.isPresent()) {
          boolean isSame = bound.equals(last);
          boolean isLater = bound.isEmpty() || (!isSame && bound.get().isUpTo(last.get()));
          bound = isLater ? last : bound;
          summary = isLater || (isSame && isGreater(says, summary)) ? says : summary;
        }
        first += event.operation() instanceof Begin begin ? begin.first() : 0;
      }
      List<Entry> kept = new ArrayList<>();
      for (Entry entry : entries) {
        if (bound.isPresent() && entry.isUpTo(bound.get())) {
          first++;
        } else {
          kept.add(entry);
        }
      }
      return new Meaning(first, bound, summary, kept);
    }

    private static boolean isGreater(Optional<Bytes> one, Optional<Bytes> other) {
      return one.isPresent() && (other.isEmpty() || one.get().compareTo(other.get()) > 0);
    }

    /** The last entry that an event trims; empty if there is none. */
    private Optional<Entry> boundOf(Event<Operation> event, Events<Operation> visible) {
      Optional<Entry> known = bounds.get(event);
      if (known == null) {
        known =
            event.operation() instanceof Trim trim
                ? last(of(visible.pastOf(event)), trim)
                : Optional.of(new Entry(event, 0, Bytes.EMPTY));
        bounds.put(event, known);
      }
      return known;
    }

    private static Optional<Entry> last(Meaning seen, Trim trim) {
      long count = trim.before() - seen.first;
      return count <= 0 ? Optional.empty() : Optional.of(seen.entries.get((int) count - 1));
    }
  }

  @Override
  public boolean refuses(
      Events<Operation> visible, Operation operation, int dataCentre, VectorClock snapshot) {
    Meaning meaning = new Meanings().of(visible);
    if (operation instanceof Begin) {
      return meaning.first + meaning.entries.size() > 0;
    }
    Event<Operation> next =
        new Event<>(operation, dataCentre, Long.MAX_VALUE, Integer.MAX_VALUE, snapshot);
    return operation instanceof Trim trim
        && trim.before() > meaning.first
        && trim.before() > meaning.committedTail(next);
  }

  @Override
  public StreamValue value(Events<Operation> visible, VectorClock snapshot) {
    return new Meanings().of(visible).value();
  }

  @Override
  public int maxBytes(Events<Operation> visible, VectorClock frontier) {
    int entries = new Meanings().of(visible).entries.size();
    return Samples.COUNT_BYTES
        + 2 * Samples.NUMBER_BYTES
        + 1
        + Samples.DOT_BYTES
        + Samples.NUMBER_BYTES
        + Samples.ELEMENT_BYTES
        + entries * (Samples.DOT_BYTES + Samples.ELEMENT_BYTES);
  }

  /** A map keeps everything since the last pruning. */
  @Override
  public int maxBytesInMap(Events<Operation> visible, VectorClock frontier) {
    return maxBytes(visible, frontier) + 2;
  }

  @Property
  void aFoldResumesWhereTheLastOneEnded(@ForAll("histories") List<Step<Operation>> history) {
    State state = EntryStream.TYPE.initial();
    long time = 0;
    for (Step<Operation> step : history) {
      if (!(step instanceof Step.Operate<Operation> operate)) {
        continue;
      }
      OperationContext context = new OperationContext(0, VectorClock.of(time), new SelfDots());
      Effect effect;
      try {
        effect = type().downstream(operate.operation(), state, context);
      } catch (OperationRefusedException e) {
        continue;
      }
      State next = type().apply(state, effect, new EffectOrigin(0, ++time, VectorClock.ZERO));
      if (operate.operation() instanceof Trim) {
        // A summary is the fold of the entries before it.
        String truth =
            new StreamValue(state).foldBefore(TEXT, Math.max(next.first(), state.first()));
        next =
            next.first() == state.first()
                ? next
                : new State(
                    next.first(),
                    next.bound(),
                    Optional.of(Bytes.utf8(truth)),
                    next.bytes(),
                    next.entries(),
                    next.memo());
      }
      StreamValue value = new StreamValue(next);
      assertThat(value.fold(TEXT)).isEqualTo(value.foldBefore(TEXT, value.tail()));
      assertThat(value.bytes())
          .isEqualTo(
              value.entries(value.first(), value.tail()).stream().mapToLong(Bytes::length).sum());
      state = next;
    }
  }

  /** A fold starts over if an entry arrives between or before its entries. */
  @Property
  void aFoldSeesLateEntries(@ForAll("arrivals") List<Long> times) {
    State state = EntryStream.TYPE.initial();
    int count = 0;
    for (long time : times) {
      boolean isTrimmed = count % 5 == 4;
      Effect effect =
          isTrimmed
              ? new EntryStream.Trimmed(
                  Optional.of(new Dot(0, time, 0)), Optional.of(Bytes.utf8("until " + time)), 0)
              : new EntryStream.Appended(
                  Dot.self(0), List.of(Bytes.utf8("e" + count), Bytes.utf8("f" + count)));
      EffectOrigin origin = new EffectOrigin(count % 3, time, VectorClock.ZERO);
      state = type().apply(state, effect, origin);
      count++;
      StreamValue value = new StreamValue(state);
      if (isTrimmed) {
        // This summary is not the fold of the entries before it: start over, as another reader
        // would.
        byte[] bytes = CrdtCodec.encodeState(type(), state);
        state = CrdtCodec.decodeState(type(), bytes);
        value = new StreamValue(state);
      }

      assertThat(value.fold(TEXT)).isEqualTo(value.foldBefore(TEXT, value.tail()));
    }
  }

  @Provide
  Arbitrary<List<Long>> arrivals() {
    return Arbitraries.longs().between(1, 1_000).list().uniqueElements().ofMaxSize(30);
  }
}
