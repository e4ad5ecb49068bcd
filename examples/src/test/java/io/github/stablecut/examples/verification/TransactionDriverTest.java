package io.github.stablecut.examples.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Store;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.junit.StoreExtension;
import io.github.stablecut.option.Certification;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The driver executes adya's transactions and answers in adya's form. */
final class TransactionDriverTest {
  @RegisterExtension final StoreExtension stores = StoreExtension.onLossyDisk();

  private final Outcomes outcomes = new Outcomes();

  private TransactionDriver driver(Workload workload) {
    return new TransactionDriver(workload, Certification.READS_WRITES, outcomes);
  }

  @Test
  void appendsToListsAndReadsThem(Store store) {
    TransactionDriver driver = driver(Workload.LIST_APPEND);

    assertThat(
            driver.answer(
                () -> store,
                "{'value':[['append',3,7],['append',4,1],['r',5,null]]}".replace('\'', '"')))
        .isEqualTo(
            "{'type':'ok','value':[['append',3,7],['append',4,1],['r',5,[]]]}".replace('\'', '"'));
    assertThat(
            driver.answer(
                () -> store,
                "{'value':[['append',3,8],['r',3,null],['r',4,null]]}".replace('\'', '"')))
        .isEqualTo(
            "{'type':'ok','value':[['append',3,8],['r',3,[7,8]],['r',4,[1]]]}".replace('\'', '"'));
  }

  @Test
  void writesRegistersAndReadsThem(Store store) {
    assertThat(
            driver(Workload.RW_REGISTER)
                .answer(
                    () -> store,
                    "{'value':[['r',3,null],['w',3,7],['r',3,null]]}".replace('\'', '"')))
        .isEqualTo("{'type':'ok','value':[['r',3,null],['w',3,7],['r',3,7]]}".replace('\'', '"'));
    assertThat(outcomes.report()).startsWith("ok: 1, ");
  }

  @Test
  void tellsWhetherAFailureHasNoEffect() {
    TransactionDriver driver = driver(Workload.LIST_APPEND);
    String line = "{\"value\":[[\"r\",1,null]]}";

    assertThat(
            driver.answer(
                () -> {
                  throw new ServerUnavailableException("no server", null);
                },
                line))
        .startsWith("{\"type\":\"fail\",\"error\":");
    assertThat(
            driver.answer(
                () -> {
                  throw new OutcomeUnknownException("no answer");
                },
                line))
        .startsWith("{\"type\":\"info\",\"error\":");
    assertThat(outcomes.report().lines())
        .satisfiesExactly(
            first -> assertThat(first).startsWith("fail ServerUnavailableException: 1, "),
            second -> assertThat(second).startsWith("info OutcomeUnknownException: 1, "));
  }

  @Test
  void refusesOtherLines(Store store) {
    for (String line :
        new String[] {
          "x", "{}", "{\"value\":[[\"cas\",1,2]]}", "{\"value\":[[\"append\",1,null]]}"
        }) {
      assertThatThrownBy(() -> driver(Workload.LIST_APPEND).answer(() -> store, line))
          .as(line)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
