package io.github.stablecut.cluster.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.journal.DiskFullException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A failure on another node fails the local call in the same way. */
class FailureCodecTest {
  private static StablecutException throughTheWire(StablecutException failure) {
    WireOutput out = new WireOutput();
    FailureCodec.write(failure, out);
    return FailureCodec.read(WireInput.untimed(out.toArray()));
  }

  @Test
  void aFullDiskIsNotAnUnreachableNode() {
    assertThat(throughTheWire(new DiskFullException("no room")))
        .isInstanceOf(DiskFullException.class)
        .hasMessage("no room");
    assertThat(throughTheWire(new PartitionUnavailableException("away")))
        .isInstanceOf(PartitionUnavailableException.class);
    assertThat(throughTheWire(new MissingRightsException("2 of 3", 1, new TreeMap<>())))
        .isInstanceOf(OperationRefusedException.class);
  }

  @Test
  void missingRightsNameTheirHolders() {
    TreeMap<Integer, Long> rights = new TreeMap<>(Map.of(0, 0L, 30, Long.MAX_VALUE));

    StablecutException read = throughTheWire(new MissingRightsException("too few", 7, rights));

    assertThat(read)
        .hasMessage("too few")
        .isInstanceOfSatisfying(
            MissingRightsException.class,
            refusal -> {
              assertThat(refusal.missing()).isEqualTo(7);
              assertThat(refusal.rights()).isEqualTo(rights);
            });
  }
}
