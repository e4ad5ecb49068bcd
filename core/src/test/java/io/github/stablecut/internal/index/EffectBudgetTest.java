package io.github.stablecut.internal.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.PnCounter;
import io.github.stablecut.internal.record.Commit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which effects stay in memory. */
final class EffectBudgetTest {
  /** As the budget counts: the encoded bytes and what objects take. */
  private static final int COST = 100;

  private static final int ENCODED = COST - 64;

  private static IndexedEffect effect(long time) {
    EffectOrigin origin = new EffectOrigin(0, time, VectorClock.ZERO);
    return new IndexedEffect(
        new Commit(origin, VectorClock.ZERO, 1), PnCounter.TYPE, 0, "effect " + time, 8);
  }

  @Test
  void theNewestStayWhateverTheirNumber() {
    for (int room : new int[] {0, 1, 7, 1_023, 1_024, 1_025, 3_000}) {
      EffectBudget budget = new EffectBudget((long) room * COST);
      List<IndexedEffect> effects = new ArrayList<>();
      for (int time = 1; time <= 10_000; time++) {
        IndexedEffect effect = effect(time);
        effects.add(effect);
        budget.admit(effect, ENCODED);
      }
      int gone = effects.size() - room;
      assertThat(effects.subList(0, gone)).allMatch(effect -> effect.effect().isEmpty());
      assertThat(effects.subList(gone, effects.size()))
          .allMatch(effect -> effect.effect().isPresent());
    }
  }

  @Test
  void aLargeOnePushesOutAsManyAsItTakes() {
    EffectBudget budget = new EffectBudget(10 * COST);
    List<IndexedEffect> effects = new ArrayList<>();
    for (int time = 1; time <= 10; time++) {
      effects.add(effect(time));
      budget.admit(effects.get(time - 1), ENCODED);
    }
    IndexedEffect large = effect(11);
    budget.admit(large, ENCODED + 3 * COST);

    assertThat(effects.subList(0, 4)).allMatch(effect -> effect.effect().isEmpty());
    assertThat(effects.subList(4, 10)).allMatch(effect -> effect.effect().isPresent());
    assertThat(large.effect()).isPresent();
  }
}
