package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import java.util.Optional;

/** Encodes versions of objects: since, at, and the encoded state, which names its type. */
final class VersionCodec {
  private VersionCodec() {}

  static void write(Version version, WireOutput out) {
    byte[] state = CallTypes.encodeState(version.type(), version.state());
    out.vector(version.since()).vector(version.at()).bytes(Bytes.wrap(state));
  }

  static Version read(WireInput in) {
    VectorClock since = in.vector();
    VectorClock at = in.vector();
    byte[] state = in.bytes().toArray();
    CrdtType<?, ?, ?, ?> type = CrdtCodec.typeOfState(state);
    return new Version(type, since, at, CallTypes.decodeState(type, state), state.length);
  }

  static void writeOptional(Optional<Version> version, WireOutput out) {
    out.kind(version.isPresent() ? 1 : 0);
    version.ifPresent(there -> write(there, out));
  }

  static Optional<Version> readOptional(WireInput in) {
    return in.kind() == 0 ? Optional.empty() : Optional.of(read(in));
  }
}
