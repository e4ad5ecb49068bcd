package io.github.stablecut.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import java.util.List;
import java.util.Optional;

/**
 * The contract of {@link CrdtType#operation}: the operation that it derives from an effect has the
 * same effect.
 */
final class EffectLaws<S, O, E, V> {
  private static final int MILLIS_SHIFT = 21;

  private final Specification<S, O, E, V> specification;
  private final CrdtType<S, O, E, V> type;

  EffectLaws(Specification<S, O, E, V> specification) {
    this.specification = specification;
    this.type = specification.type();
  }

  /**
   * Executes operations, one after the other.
   *
   * @return how many effects have such an operation
   */
  @CanIgnoreReturnValue
  int check(List<O> operations) {
    int told = 0;
    S state = type.initial();
    long time = 1L << MILLIS_SHIFT;
    for (O operation : operations) {
      time += 1L << MILLIS_SHIFT;
      Optional<E> effect = effect(operation, state, VectorClock.of(time));
      if (effect.isPresent()) {
        Optional<O> said = type.operation(effect.get());
        if (said.isPresent()) {
          told++;
          assertSame(state, effect.get(), said.get(), time);
        }
        state = applied(state, effect.get(), time);
      }
    }
    return told;
  }

  private void assertSame(S state, E effect, O said, long time) {
    VectorClock now = VectorClock.of(time);
    E again = type.downstream(said, state, new OperationContext(0, now, new SelfDots()));
    assertThat(type.value(applied(state, again, time), now))
        .as("%s, which is derived from %s", said, effect)
        .isEqualTo(type.value(applied(state, effect, time), now));
  }

  private Optional<E> effect(O operation, S state, VectorClock now) {
    try {
      O fitting = specification.fit(operation, type.value(state, now));
      return Optional.of(
          type.downstream(fitting, state, new OperationContext(0, now, new SelfDots())));
    } catch (OperationRefusedException e) {
      return Optional.empty();
    }
  }

  private S applied(S state, E effect, long time) {
    return type.apply(state, effect, new EffectOrigin(0, time + 1, VectorClock.ZERO));
  }
}
