package io.github.stablecut.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.checkpoint.internal.IdHash;
import io.github.stablecut.checkpoint.internal.SipHash;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;

/** Compares a store with its model under random steps. */
class CheckpointStoreProperties {
  private static final CheckpointOptions FEW_YOUNG = Checkpoints.OPTIONS.withMaxYoungRuns(2);

  /** An open view, and the model that its results must always match. */
  private record OpenView(CheckpointView view, StoreModel model) {
    void checkAndClose() {
      model.check(view);
      view.close();
    }
  }

  @Property(tries = 150)
  void behavesLikeTheModel(
      @ForAll("steps") List<StoreStep> steps, @ForAll @IntRange(min = 0, max = 64) int hashBits)
      throws IOException {
    LossyDirectory directory = new LossyDirectory();
    List<OpenView> held = new ArrayList<>();
    StoreModel model = StoreModel.EMPTY;
    CheckpointStore store = open(directory, model, hashBits);
    for (int i = 0; i < steps.size(); i++) {
      StoreStep step = steps.get(i);
      StoreModel before = model;
      model = step.applyTo(before, store.status().manifest());
      step.applyTo(store, before);
      try (CheckpointView view = store.view()) {
        model.check(view);
      }
      if (i % 3 == 0) {
        held.add(new OpenView(store.view(), model));
      } else if (i % 7 == 0) {
        held.forEach(OpenView::checkAndClose);
        held.clear();
      }
      if (i % 5 == 4) {
        held.forEach(OpenView::checkAndClose);
        held.clear();
        store.close();
        directory = directory.afterKill();
        store = open(directory, model, hashBits);
      }
    }
    held.forEach(OpenView::checkAndClose);
    assertThat(store.reclaim()).isZero();
    Checkpoints.assertNothingIsLeftOver(directory, store);
  }

  private static CheckpointStore open(LossyDirectory directory, StoreModel model, int hashBits)
      throws IOException {
    CheckpointStore store =
        CheckpointStore.open(
            directory, FEW_YOUNG, model.firstSegment(), seed -> hash(seed, hashBits));
    assertThat(store.status().problems()).isEmpty();
    store.start(change -> {});
    return store;
  }

  private static IdHash hash(long seed, int bits) {
    SipHash sipHash = SipHash.ofSeed(seed);
    long mask = bits == 0 ? 0 : -1L << (Long.SIZE - bits);
    return id -> sipHash.of(id) & mask;
  }

  @Provide
  Arbitrary<List<StoreStep>> steps() {
    Arbitrary<Integer> ids = Arbitraries.integers().between(0, 11);
    Arbitrary<StoreStep> take =
        Combinators.combine(
                Arbitraries.integers().between(0, 2),
                ids.list().uniqueElements().ofMaxSize(8),
                Arbitraries.of(true, false))
            .as(StoreStep.Take::new);
    Arbitrary<StoreStep> raise = Arbitraries.integers().between(0, 4).map(StoreStep.Raise::new);
    Arbitrary<StoreStep> compact = Arbitraries.just(new StoreStep.Compact());
    return Arbitraries.frequencyOf(Tuple.of(5, take), Tuple.of(2, raise), Tuple.of(2, compact))
        .list()
        .ofMaxSize(25);
  }
}
