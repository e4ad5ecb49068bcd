package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.copies.CopyMessage;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A leader that ends in order. */
final class CopiesHandOverTest extends ThreeCopies {
  private volatile boolean areElectionsOver;

  @Override
  void pass(String from, String to, CopyMessage message) {
    if (!areElectionsOver || !(message instanceof CopyMessage.Inquiry)) {
      super.pass(from, to, message);
    }
  }

  @Test
  void anotherCopyLeadsWithoutAnElection() {
    startAll();
    Node first = leader();
    incrementBy(first, 20);
    untilAllHaveTheSame(first);
    areElectionsOver = true;

    first.copy.handOver(Duration.ofSeconds(60));

    assertThat(first.leading).isNull();
    assertThat(first.promised).isGreaterThan(first.copy.status().layout().epoch());
    first.copy.close();
    Node second = leader();
    assertThat(second).isNotSameAs(first);
    assertThat(value(second)).isEqualTo(20);
    incrementBy(second, 5);
    assertThat(value(second)).isEqualTo(25);
  }

  @Test
  void withoutOneThatHasAllAnotherOneLeadsLater() {
    startAll();
    Node first = leader();
    incrementBy(first, 20);
    cutOff.add(first.name);

    first.copy.handOver(Duration.ZERO);
    first.copy.close();

    assertThat(value(leader())).isEqualTo(20);
  }
}
