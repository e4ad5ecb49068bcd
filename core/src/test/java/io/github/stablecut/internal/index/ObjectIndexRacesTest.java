package io.github.stablecut.internal.index;

import io.github.stablecut.Races;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.internal.record.Commit;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Protocol 4.5: versions that are kept while effects are dropped or added. */
final class ObjectIndexRacesTest {
  private static final int ORDERS = 200;

  /** Dropping has many steps, and only one of many orders reveals a wrong order of two. */
  private static final int ORDERS_OF_DROPPING = 1_000;

  private static final Bytes ID = Bytes.utf8("k");
  private static final VectorClock FIRST = VectorClock.of(10);
  private static final VectorClock SECOND = VectorClock.of(20);

  /** An object with two effects; a reader at the first offers the version that it materialized. */
  private abstract static class Offering implements Races.Race {
    final ObjectIndex index = new ObjectIndex(true);

    Offering() {
      append(FIRST);
    }

    final void append(VectorClock at) {
      EffectOrigin origin = new EffectOrigin(0, at.max(), VectorClock.ZERO);
      index.append(
          ID,
          IndexedEffect.inMemory(new Commit(origin, at, 1), PnCounter.TYPE, 0, 1L, new byte[4]));
    }

    @Override
    public void first() {
      index.offer(ID, new Version(PnCounter.TYPE, FIRST, FIRST, 1L, 8));
    }

    /** The state that a reader at the second effect finds, with the checkpoint at the floor. */
    @Override
    public boolean isRight() {
      Optional<ObjectContent> content = index.get(ID).map(ObjectEntry::content);
      Optional<Version> base = content.flatMap(found -> found.base(SECOND));
      VectorClock from = base.map(Version::at).orElse(index.floor());
      long folded = base.map(version -> (Long) version.state()).orElse(from.max() / 10);
      return folded + content.map(found -> found.effects().between(from, SECOND).size()).orElse(0)
          == 2;
    }

    @Override
    public String toString() {
      return "floor %s, %s"
          .formatted(index.floor(), index.get(ID).flatMap(entry -> entry.content().base(SECOND)));
    }
  }

  @Test
  void doesNotKeepAVersionWithoutTheDroppedEffects() {
    Races.inEveryOrder(
        ORDERS_OF_DROPPING,
        () ->
            new Offering() {
              {
                append(SECOND);
              }

              @Override
              public void second() {
                index.dropThrough(SECOND);
              }
            });
  }

  @Test
  void aVersionOfferedDuringAnAppendLacksTheEffect() {
    Races.inEveryOrder(
        ORDERS,
        () ->
            new Offering() {
              @Override
              public void second() {
                append(SECOND);
              }
            });
  }

  @Test
  void evictingAVersionTakesNoEffectWithIt() {
    Races.inEveryOrder(
        ORDERS,
        () ->
            new Offering() {
              @Override
              public void second() {
                index.forget(ID);
                append(SECOND);
              }
            });
  }
}
