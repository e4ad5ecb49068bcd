package io.github.stablecut.cluster.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.FatCounter;
import io.github.stablecut.crdt.PnCounter;
import io.github.stablecut.crdt.SeveralTypes;
import io.github.stablecut.internal.index.Version;
import org.junit.jupiter.api.Test;

/** Versions on their way between nodes. */
final class VersionCodecTest {
  @Test
  void anObjectOfSeveralTypesArrivesAsEach() {
    SeveralTypes.States states =
        SeveralTypes.States.of(PnCounter.TYPE, 3L).with(FatCounter.TYPE, FatCounter.TYPE.initial());
    Version version = Version.of(states, VectorClock.of(5), VectorClock.of(7), 10, 0, 0);
    WireOutput out = new WireOutput(0);

    VersionCodec.write(version, out);
    Version read = VersionCodec.read(new WireInput(out.toBytes(), 0));

    assertThat(read.type()).isEqualTo(SeveralTypes.TYPE);
    assertThat(read.state()).isEqualTo(states);
    assertThat(read.at()).isEqualTo(VectorClock.of(7));
  }
}
