package io.github.stablecut.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ledger detects the violations of a store that breaks its guarantees. */
final class LedgerTest {
  private static final WrittenObjects OBJECTS = WrittenObjects.of(1);

  @TempDir private Path directory;
  private final Ledger ledger = new Ledger(2);
  private Store store;

  @BeforeEach
  void open() {
    store = Stablecut.open(directory);
    for (long n = 1; n <= 3; n++) {
      store.update(OBJECTS.transaction(n));
      ledger.add(new Acknowledgement(1, n));
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void findsAllTransactions() {
    store.update(OBJECTS.transaction(4));

    Ledger.Findings findings = ledger.check(store);
    assertThat(findings.faults()).isEmpty();
    assertThat(findings.acknowledged()).isEqualTo(3);
    assertThat(findings.recovered()).isEqualTo(3);
    assertThat(findings.others()).isEqualTo(1);
  }

  @Test
  void detectsALostTransactionEvenIfAnotherTakesItsPlace() {
    ledger.add(new Acknowledgement(1, 5));
    store.update(OBJECTS.transaction(4));
    store.update(OBJECTS.transaction(6));

    assertThat(ledger.check(store).faults())
        .containsExactly("writer 1: transaction 5 was acknowledged and is lost");
    assertThat(ledger.check(store).recovered()).isEqualTo(3);
  }

  @Test
  void detectsATornOrDuplicatedTransaction() {
    store.update(OBJECTS.left().increment(1));
    assertThat(ledger.check(store).faults()).hasSize(1).first().asString().contains("4 and 3");

    store.update(OBJECTS.right().increment(1));
    assertThat(ledger.check(store).faults())
        .containsExactly(
            "writer 1: its counters are 4 and 4 and its set holds 3: a transaction is torn or counted twice");
  }

  @Test
  void ignoresATruncatedLine() {
    assertThat(Acknowledgement.parse("3 1234 acknowledged")).contains(new Acknowledgement(3, 1234));
    assertThat(Acknowledgement.parse("3 12")).isEmpty();
    assertThat(Acknowledgement.parse("3 1234 acknow")).isEmpty();
  }
}
