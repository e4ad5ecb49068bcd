package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.crdt.map.CounterMap;
import io.github.stablecut.crdt.question.PageBounds;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.crdt.question.SliceBounds;
import io.github.stablecut.crdt.sequence.Text;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The contract of footprints: an effect that touches no answer's footprint changes no answer, and
 * an operation whose footprints it does not touch has the same result after it as before.
 */
final class FootprintLaws<S, O, E, V> {
  private static final int MILLIS_SHIFT = 21;
  private static final int FEW = 2;

  /** That many milliseconds later. */
  private static final int LATER = 5;

  private final Specification<S, O, E, V> specification;
  private final CrdtType<S, O, E, V> type;

  /** How often an effect was concurrent with a footprint that it does not touch. */
  private int apart;

  FootprintLaws(Specification<S, O, E, V> specification) {
    this.specification = specification;
    this.type = specification.type();
  }

  int apart() {
    return apart;
  }

  /** Checks an operation against a concurrent one, both after a history. */
  void check(List<O> history, O one, O other) {
    check(history, one, other, 0);
    check(history, one, other, LATER);
  }

  private void check(List<O> history, O one, O other, int later) {
    S state = type.initial();
    int time = 1;
    List<Footprint> known = new ArrayList<>();
    for (O operation : history) {
      known.addAll(type.footprints(operation));
      Optional<E> effect = effect(operation, state, time);
      state = effect.isPresent() ? applied(state, effect.get(), ++time) : state;
    }
    S before = state;
    int snapshot = time;
    // Its transaction may have begun later, and see what has expired meanwhile.
    Optional<E> concurrent = effect(other, before, snapshot + later);
    if (concurrent.isEmpty()) {
      return;
    }
    known.addAll(type.footprints(one));
    known.addAll(type.footprints(other));
    S after = applied(before, concurrent.get(), snapshot + later + 1);
    VectorClock now = vector(snapshot);
    for (Question<?> question : questions(type, known)) {
      checkAnswer(question, before, after, now, concurrent.get());
    }
    if (type.footprints(one).stream()
        .noneMatch(footprint -> type.touches(concurrent.get(), footprint))) {
      apart++;
      Optional<E> early = effect(one, before, snapshot);
      Optional<E> late = effect(one, after, snapshot);
      assertThat(early.isPresent()).as("%s is refused", one).isEqualTo(late.isPresent());
      early.ifPresent(
          effect ->
              assertThat(value(after, effect, snapshot + later + 2, now))
                  .as("%s before and after %s", one, other)
                  .isEqualTo(value(after, late.orElseThrow(), snapshot + later + 2, now)));
    }
  }

  private <A> void checkAnswer(Question<A> question, S before, S after, VectorClock now, E effect) {
    A answer = question.answer(type.value(before, now));
    assertThat(QuestionCodec.decodeQuestion(QuestionCodec.encode(question))).isEqualTo(question);
    assertThat(QuestionCodec.decodeAnswer(question, QuestionCodec.encodeAnswer(question, answer)))
        .isEqualTo(answer);
    Footprint footprint = question.footprint(answer);
    Map<Bytes, Set<Footprint>> sent = Map.of(Bytes.EMPTY, Set.of(footprint));
    Map<Bytes, Set<Footprint>> received =
        QuestionCodec.decodeFootprints(
            QuestionCodec.encode(sent, List.of()), (byObject, ranges) -> byObject);
    assertThat(received).isEqualTo(sent);
    S narrowed = type.narrowed(before, footprint);
    assertThat(question.answer(type.value(narrowed, now)))
        .as("%s of what is in %s", question, footprint)
        .isEqualTo(answer);
    if (!type.touches(effect, footprint)) {
      apart++;
      assertThat(question.answer(type.value(after, now)))
          .as("%s after %s", question, effect)
          .isEqualTo(answer);
    }
  }

  private Object value(S state, E effect, int time, VectorClock now) {
    return type.value(applied(state, effect, time), now);
  }

  private Optional<E> effect(O operation, S state, int time) {
    VectorClock snapshot = vector(time);
    try {
      O fitting = specification.fit(operation, type.value(state, snapshot));
      return Optional.of(
          type.downstream(fitting, state, new OperationContext(0, snapshot, new SelfDots())));
    } catch (OperationRefusedException e) {
      return Optional.empty();
    }
  }

  private S applied(S state, E effect, int time) {
    return type.apply(state, effect, new EffectOrigin(0, at(time), VectorClock.ZERO));
  }

  private static long at(int time) {
    return (long) time << MILLIS_SHIFT;
  }

  private static VectorClock vector(int time) {
    return VectorClock.of(at(time));
  }

  /** All queries with small operands. */
  private static List<Question<?>> questions(
      CrdtType<?, ?, ?, ?> type, Collection<Footprint> known) {
    Object value = first(type);
    List<Question<?>> all = new ArrayList<>();
    if (value instanceof NavigableSet) {
      Samples.ELEMENTS.forEach(element -> all.add(new Question.Contains(element)));
      bounds().forEach(page -> all.add(new Question.Page(page)));
    } else if (type.name().endsWith(CounterMap.TYPE.name())) {
      for (Bytes name : Samples.ELEMENTS) {
        all.add(new Question.Contains(name));
        all.add(new Question.Count(name));
      }
      bounds().forEach(page -> all.add(new Question.CountPage(page)));
    } else if (value instanceof Map) {
      entries(known)
          .forEach(
              (place, inside) -> {
                all.add(new Question.HasEntry(place));
                questions(place.type(), inside)
                    .forEach(question -> all.add(new Question.InEntry<>(place, question)));
              });
    } else if (value instanceof List) {
      all.add(new Question.Slice(new SliceBounds(0, FEW)));
      all.add(new Question.Slice(new SliceBounds(1, 1)));
    } else if (value instanceof Text) {
      all.add(new Question.TextSlice(new SliceBounds(1, 1 + FEW)));
    } else {
      return all;
    }
    all.add(new Question.Size());
    return all;
  }

  private static Map<MapKey<?, ?>, List<Footprint>> entries(Collection<Footprint> known) {
    return known.stream()
        .flatMap(
            footprint ->
                footprint instanceof Footprint.Entry entry
                    ? Stream.of(entry)
                    : Stream.<Footprint.Entry>empty())
        .collect(
            Collectors.groupingBy(
                Footprint.Entry::place,
                Collectors.mapping(Footprint.Entry::inside, Collectors.toList())));
  }

  private static <T> Object first(CrdtType<T, ?, ?, ?> type) {
    return type.value(type.initial(), VectorClock.ZERO);
  }

  private static List<PageBounds> bounds() {
    List<PageBounds> all = new ArrayList<>();
    List<Optional<Bytes>> ends = new ArrayList<>(List.of(Optional.empty()));
    Samples.ELEMENTS.forEach(element -> ends.add(Optional.of(element)));
    for (Optional<Bytes> after : ends) {
      for (int limit = 1; limit <= FEW; limit++) {
        all.add(new PageBounds(after, false, limit));
        all.add(new PageBounds(after, true, limit));
      }
    }
    return all;
  }
}
