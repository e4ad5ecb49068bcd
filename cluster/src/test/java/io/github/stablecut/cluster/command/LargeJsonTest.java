package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Commands parse large answers of servers. */
final class LargeJsonTest {
  private static final int LENGTH = 21_000_000;

  @Test
  void readsATextAboveJacksonsDefaultLimit() throws Exception {
    assertThat(LargeJson.mapper().readTree("\"" + "x".repeat(LENGTH) + "\"").asText())
        .hasSize(LENGTH);
  }
}
