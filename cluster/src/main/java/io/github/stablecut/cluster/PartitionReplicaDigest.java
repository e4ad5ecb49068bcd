package io.github.stablecut.cluster;

import java.util.List;

/**
 * What the newest checkpoint of a copy of a partition holds, in few bytes: two copies with the same
 * checkpoint of a partition hold the same if their hashes are the same. Immutable.
 *
 * @param partition its number
 * @param replica the name of the copy
 * @param epoch of the layout that the copy leads; 0 if it does not lead
 * @param voters the names of the copies whose votes count in that epoch: all of them are to be
 *     compared; empty if it does not lead
 * @param checkpoint tells checkpoints of the partition apart; empty if the copy has none yet
 * @param objects how many it holds
 * @param large those of more than 8 MiB, of which only the names and types are in the hash
 * @param hash of all, as hex digits
 */
public record PartitionReplicaDigest(
    int partition,
    String replica,
    long epoch,
    List<String> voters,
    String checkpoint,
    long objects,
    long large,
    String hash) {
  /** Copies the list. */
  public PartitionReplicaDigest {
    voters = List.copyOf(voters);
  }
}
