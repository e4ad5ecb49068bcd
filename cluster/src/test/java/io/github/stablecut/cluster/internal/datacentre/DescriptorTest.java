package io.github.stablecut.cluster.internal.datacentre;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.ReplicationRefusedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Descriptors of data centres, as text. */
final class DescriptorTest {
  @Test
  void isRestoredFromItsText() {
    Descriptor descriptor = new Descriptor(0x9f86d081884c7d65L, "dublin.example:7600");

    assertThat(descriptor).hasToString("stablecut 9f86d081884c7d65 dublin.example:7600");
    assertThat(Descriptor.parse(descriptor.toString())).isEqualTo(descriptor);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "stablecut",
        "stablecut 9f86 dublin.example:7600",
        "stablecut 9F86D081884C7D65 dublin.example:7600",
        "stablecut 9f86d081884c7d65 dublin.example:7600 more",
        "stablecut 9f86d081884c7d65 dublin.example:7600\n",
        "antidote@127.0.0.1"
      })
  void otherTextsAreRefused(String text) {
    assertThatThrownBy(() -> Descriptor.parse(text))
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessageContaining("not a descriptor of a Stablecut data centre")
        .hasMessageContaining("request one from each data centre");
  }

  @Test
  void aLongTextIsTruncatedInTheMessage() {
    assertThatThrownBy(() -> Descriptor.parse("x".repeat(100_000)))
        .hasMessageContaining("xxx…")
        .message()
        .hasSizeLessThan(300);
  }

  @Test
  void theErrorForAServerThatDoesNotListenSaysWhatToDo() {
    assertThatThrownBy(() -> Descriptor.parse("stablecut 9f86d081884c7d65"))
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessageContaining("store 9f86d081884c7d65 does not listen for other data centres")
        .hasMessageContaining("--dc-listen");
  }
}
