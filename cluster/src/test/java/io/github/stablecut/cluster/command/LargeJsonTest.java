package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What commands read of servers. */
final class LargeJsonTest {
  private static final int LENGTH = 21_000_000;

  @Test
  void aTextThatIsLongerThanJacksonTakesByDefaultIsRead() throws Exception {
    assertThat(LargeJson.mapper().readTree("\"" + "x".repeat(LENGTH) + "\"").asText())
        .hasSize(LENGTH);
  }
}
