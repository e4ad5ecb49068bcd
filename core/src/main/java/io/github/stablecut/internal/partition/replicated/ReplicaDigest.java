package io.github.stablecut.internal.partition.replicated;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Checkpoint;
import io.github.stablecut.checkpoint.CheckpointView;
import io.github.stablecut.checkpoint.EntryScan;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.materializer.TypedFold;
import io.github.stablecut.internal.paging.PageIds;
import io.github.stablecut.internal.paging.PagedStates;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * A digest of a replica's newest checkpoint: replicas that have the same checkpoint have the same
 * digest, however they obtained it. Each state is first pruned at the checkpoint's frontier, as
 * replicas may have pruned unchanged states to different degrees. Immutable.
 *
 * @param at the vector of the checkpoint
 * @param frontier the frontier at which its states are pruned
 * @param objects the number of objects
 * @param large the number of objects above 8 MiB, of which the hash includes only ids and types
 * @param hash SHA-256 of the ids, types and states, as hex digits
 */
public record ReplicaDigest(
    VectorClock at, VectorClock frontier, long objects, long large, String hash) {
  private static final long MOST_BYTES = 8 << 20;

  /**
   * Reads a checkpoint.
   *
   * @param progress receives the number of objects read so far, and may throw
   */
  static ReplicaDigest of(CheckpointView view, PagedStates states, LongConsumer progress) {
    VectorClock at = view.manifest().checkpointTime();
    VectorClock frontier =
        view.checkpoints().stream()
            .findFirst()
            .map(Checkpoint::pruneFrontier)
            .orElse(VectorClock.ZERO);
    MessageDigest hash = sha256();
    long objects = 0;
    long large = 0;
    try (EntryScan scan = view.scan(PageIds.OBJECTS, at)) {
      for (Optional<RunEntry> next = scan.next(); next.isPresent(); next = scan.next()) {
        RunEntry entry = next.get();
        if (entry.isDeleted()) {
          continue;
        }
        Version version = TypedFold.prune(states.version(entry, view, at), frontier);
        if (version.state().equals(version.type().initial())) {
          continue;
        }
        Optional<byte[]> state = CallTypes.encodeState(version.type(), version.state(), MOST_BYTES);
        add(hash, entry.id(), version.type().typeId(), state);
        objects++;
        large += state.isEmpty() ? 1 : 0;
        progress.accept(objects);
      }
    }
    return new ReplicaDigest(at, frontier, objects, large, HexFormat.of().formatHex(hash.digest()));
  }

  private static void add(MessageDigest hash, Bytes id, int type, Optional<byte[]> state) {
    byte[] name = id.toArray();
    byte[] bytes = state.orElse(new byte[0]);
    hash.update(
        ByteBuffer.allocate(3 * Integer.BYTES)
            .putInt(name.length)
            .putInt(type)
            .putInt(state.isPresent() ? bytes.length : -1)
            .array());
    hash.update(name);
    hash.update(bytes);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
