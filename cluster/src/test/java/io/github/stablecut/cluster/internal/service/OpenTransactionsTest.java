package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.option.Certification;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of a descriptor that is not good here. */
class OpenTransactionsTest {
  private static final TransactionLimits LIMITS =
      new TransactionLimits(9, 9, Duration.ofHours(1), Certification.NONE);

  @TempDir private Path directory;

  private static OpenTransactions at(String node, Set<String> reached) {
    return new OpenTransactions(LIMITS, System::nanoTime, node, () -> reached);
  }

  @Test
  void aTransactionOfAnotherNodeIsNotSaidToHaveEnded() {
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      OpenTransactions first = at("n0", Set.of("n0"));
      Bytes begun = first.begin(new Client(), store::begin);

      assertThatThrownBy(() -> at("n1", Set.of("n0", "n1")).get(begun))
          .isInstanceOf(TransactionEndedException.class)
          .hasMessageContaining("was begun at node n0, and this is node n1");
      assertThatThrownBy(() -> at("n1", Set.of("n1")).get(begun))
          .isInstanceOf(TransactionEndedException.class)
          .hasMessageContaining("was begun at a node that node n1 can't reach now");
      assertThatThrownBy(() -> at("n0", Set.of("n1")).get(begun))
          .isInstanceOf(TransactionEndedException.class)
          .hasMessageContaining("it was committed or aborted");
      first.abortAll();
    }
  }
}
