package io.github.stablecut.cluster.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.journal.DiskFullException;
import org.junit.jupiter.api.Test;

/** What fails on another node fails here in the same way. */
class FailureCodecTest {
  private static StablecutException sent(StablecutException failure) {
    WireOutput out = new WireOutput();
    FailureCodec.write(failure, out);
    return FailureCodec.read(WireInput.untimed(out.toArray()));
  }

  @Test
  void aFullDiskIsNoNodeThatIsAway() {
    assertThat(sent(new DiskFullException("no room")))
        .isInstanceOf(DiskFullException.class)
        .hasMessage("no room");
    assertThat(sent(new PartitionUnavailableException("away")))
        .isInstanceOf(PartitionUnavailableException.class);
  }
}
