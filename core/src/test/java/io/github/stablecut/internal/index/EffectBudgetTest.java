package io.github.stablecut.internal.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.internal.record.Commit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which effects stay in memory. */
final class EffectBudgetTest {
  private static final int VALUE_BYTES = 60;

  /** As the budget counts. */
  private static final int COST = effect(1, VALUE_BYTES).keptBytes();

  private static IndexedEffect effect(long time, int valueBytes) {
    EffectOrigin origin = new EffectOrigin(0, time, VectorClock.ZERO);
    LwwRegister.Write write =
        new LwwRegister.Write(Dot.self(0), Optional.of(Bytes.wrap(new byte[valueBytes])));
    return IndexedEffect.inMemory(
        new Commit(origin, VectorClock.ZERO, 1),
        LwwRegister.TYPE,
        0,
        write,
        CrdtCodec.encodeEffect(LwwRegister.TYPE, write));
  }

  @Test
  void keepsTheNewestWhateverTheirNumber() {
    for (int room : new int[] {0, 1, 7, 1_023, 1_024, 1_025, 3_000}) {
      EffectBudget budget = new EffectBudget((long) room * COST);
      List<IndexedEffect> effects = new ArrayList<>();
      for (int time = 1; time <= 10_000; time++) {
        IndexedEffect effect = effect(time, VALUE_BYTES);
        effects.add(effect);
        budget.admit(effect);
      }
      int gone = effects.size() - room;
      assertThat(effects.subList(0, gone)).allMatch(effect -> effect.effect().isEmpty());
      assertThat(effects.subList(gone, effects.size()))
          .allMatch(effect -> effect.effect().isPresent());
    }
  }

  @Test
  void aLargeEffectEvictsAsManyAsNeeded() {
    EffectBudget budget = new EffectBudget(10L * COST);
    List<IndexedEffect> effects = new ArrayList<>();
    for (int time = 1; time <= 10; time++) {
      effects.add(effect(time, VALUE_BYTES));
      budget.admit(effects.get(time - 1));
    }
    IndexedEffect large = effect(11, VALUE_BYTES + 3 * COST - 8);
    budget.admit(large);

    assertThat(effects.subList(0, 4)).allMatch(effect -> effect.effect().isEmpty());
    assertThat(effects.subList(4, 10)).allMatch(effect -> effect.effect().isPresent());
    assertThat(large.effect()).isPresent();
  }
}
