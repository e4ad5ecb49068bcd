package io.github.stablecut.internal.partition.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.record.TransactionId;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The table of finished transactions equals a map that removes entries by time. */
class FinishedTransactionsProperties {
  @Property(tries = 200)
  void containsAddedEntriesUntilRemoved(@ForAll long seed) {
    Random random = new Random(seed);
    FinishedTransactions finished = new FinishedTransactions();
    Map<TransactionId, Long> model = new HashMap<>();
    int spread = 1 << random.nextInt(12);
    for (long step = 0; step < 2_000; step++) {
      if (random.nextInt(400) == 0) {
        long through = step - random.nextInt(1_000);
        finished.forgetThrough(through);
        model.values().removeIf(time -> time <= through);
      } else {
        TransactionId id = anyId(random, step, spread);
        long time = step + random.nextInt(50);
        finished.put(id, time);
        model.put(id, time);
      }
    }

    assertThat(finished.size()).isEqualTo(model.size());
    for (long probe = 0; probe < 2_000; probe++) {
      TransactionId id = anyId(random, probe, spread);
      assertThat(finished.contains(id)).isEqualTo(model.containsKey(id));
    }
  }

  @Example
  void keepsATransactionOfTimeZeroWhileTheTableGrows() {
    FinishedTransactions finished = new FinishedTransactions();
    for (int sequence = 1; sequence <= 1_000; sequence++) {
      finished.put(new TransactionId(0, 0, sequence), 0);
    }
    finished.forgetThrough(-1);

    assertThat(finished.size()).isEqualTo(1_000);
  }

  private static TransactionId anyId(Random random, long step, int spread) {
    return new TransactionId(
        random.nextInt(2), random.nextInt(2), 1 + step + random.nextInt(spread));
  }
}
